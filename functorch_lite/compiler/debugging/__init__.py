"""When a compiled program fails or is wrong: comparing, shrinking, scripts that reproduce.

same, compare      whether two results, or two models, are the same, as torch._dynamo tells it
stepping, differ   Graphs run op by op: the first NaN, the first step whose compiled result differs
editing, strategies, answers, shrinking, minify  the minifier: edits, candidates, what was asked, the search, and what
                                                 users call
nested             steps that hold a Graph: vmap and grad
spelling, reading  Graphs as text, and back without running it
saved, script      files; scripts that reproduce
faults, repro, isolate  what scripts do when they are run
levels, programs   what is done around a compile, and around a program; `compiler/hooks.py` calls them (`hooked`)
planted            backends with a fault, for tests
"""
