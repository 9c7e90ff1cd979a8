"""When a compiled program fails or is wrong: comparing, shrinking, scripts that reproduce.

same      whether two results are the same, as `torch._dynamo.utils.same` tells it
models    two models compared: forward and backward, and in float64
stepping  Graphs run op by op: the first step that differs, the first that makes a NaN
minify    Graphs made smaller while a fault stays
"""
