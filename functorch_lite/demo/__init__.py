"""Four jobs on real data, written as one writes PyTorch, and an HTML report of them: `python -m functorch_lite.demo`.

Needs the `demo` extra: scikit-learn (whose handwritten digits are used, nothing is downloaded), matplotlib and tqdm.
"""
