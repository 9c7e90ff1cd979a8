"""Primitives, a row each: what everyone who reads jaxprs knows of an equation by its name.

A reader that computes something of each equation has rules, functions under names (`Rules`, `@rule("gather")`); all
else that is told from a name stands here. A name is one of the installed JAX's, one of ours, or one that other versions
of JAX have (`since`, `until`); `docs/primitives.md` says for each what each reader makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

__all__ = ["BARRIER", "PRIMITIVES", "READERS", "SIZE", "Kind", "P", "Rules", "former", "of_kind", "row"]  # fmt: skip


class Kind:
    """Kinds of primitives. A primitive is of the first that fits."""

    CALL = "call"
    """Computes one jaxpr of its operands (`P.call`)."""
    LOOP = "loop"
    BRANCH = "branch"
    SAME = "same"
    """Its first operand, number by number (rounded, perhaps, or read as another dtype)."""
    VIEW = "view"
    """Numbers of its first operand in another order or shape, or some of them, known from shapes and parameters
    alone."""
    POINTWISE = "pointwise"
    """Each element of the result is told by those of the operands in the same place; operands have one shape, or are
    scalars."""
    MADE = "made"
    """Numbers of no operand: iota."""
    JOINED = "joined"
    """Several arrays side by side, or one with something around it."""
    REDUCTION = "reduction"
    """Takes dimensions away."""
    ALONG = "along"
    """Accumulates along a dimension."""
    WINDOW = "window"
    ORDER = "order"
    """Sorts along a dimension, or takes the largest of it."""
    GATHER = "gather"
    """Numbers at places that are computed."""
    PART = "part"
    """One part of an array, at a place that is computed: read, or written."""
    SCATTER = "scatter"
    """Numbers put to places that are computed, or added to what is there."""
    PRODUCT = "product"
    RANDOM = "random"
    LIBRARY = "library"
    """A call of another library, which knows nothing of parts of arrays."""
    OTHER = "other"


class P(NamedTuple):
    """A primitive.

    call: of a call, the parameter that is its jaxpr.
    ruled: has a rule of differentiation of its own, which is not the derivative of its jaxpr.
    again: of a call, whether it is a checkpoint, whose jaxpr a derivative computes a second time.
    turns: of a loop that runs its jaxpr (`jaxpr`) a known number of times, the parameter that says how often.
    told: parameters that hold jaxprs which say something of the others, and are not computed.
    sums: adds numbers of its first operand's dtype.
    flat: its derivative is zero everywhere.
    scales: its result is zero where an operand is, of those that its derivative multiplies.
    linear: the operands that it is linear in, one by one (None: in all of them together).
    zero: keeps zeros: gives 0 where all its operands are.
    commutes: of two operands, either way.
    costly: takes several operations for each number.
    across: needs the whole of a dimension that is cut, and gives results that are not.
    placed: its results lie on a mesh as its parameters say, wherever its operands do.
    parts: its jaxpr is of the parts of arrays that lie on a mesh.
    joins: of elements alone, so that many arrays may be computed as one (`optim/joined.py`).
    broadcasts: NumPy's function of it broadcasts its operands.
    picks: of no view, from which operand on each element of its result is an element of some operand, cast to the
    result's dtype (None: is not). places: from which operand on they say at which places elements are picked.
    ours: is this library's, not JAX's.
    since, until: versions of JAX: the first that has it, the first that has it no more.
    """

    name: str
    kind: str = Kind.OTHER
    call: str | None = None
    ruled: bool = False
    again: bool = False
    turns: str | None = None
    told: Collection[str] = ()
    sums: bool = False
    flat: bool = False
    scales: bool = False
    linear: tuple[int, ...] | None = ()
    zero: bool = False
    commutes: bool = False
    costly: bool = False
    across: bool = False
    placed: bool = False
    parts: bool = False
    joins: bool = False
    broadcasts: bool = False
    picks: int | None = None
    places: int | None = None
    ours: bool = False
    since: str = ""
    until: str = ""

    @property
    def repeats(self) -> bool:
        """Returns whether what is inside runs several times, or perhaps not."""
        return self.kind in (Kind.LOOP, Kind.BRANCH)


def former(name: str, until: str, kind: str = Kind.OTHER, **of_it: Any) -> P:
    """A primitive that JAX has no more since the version `until`."""
    return P(name, kind, until=until, **of_it)


def _all(kind: str, names: str, **of_them: Any) -> list[P]:
    return [P(name, kind, **of_them) for name in names.split()]


def _pointwise(name: str, marks: str = "", **of_it: Any) -> P:
    """An elementwise primitive. marks: z zero, f flat, c costly, j joins, b broadcasts, + commutes, s scales, l linear
    in all, 0 or 1 in that one."""
    linear: Any = None if "l" in marks else tuple([i for i in (0, 1) if str(i) in marks])
    return P(
        name, Kind.POINTWISE, zero="z" in marks, flat="f" in marks, costly="c" in marks, joins="j" in marks,
        broadcasts="b" in marks, commutes="+" in marks, scales="s" in marks, linear=linear, **of_it,
    )  # fmt: skip


_ROWS = [
    # calls, loops and branches
    P("jit", Kind.CALL, call="jaxpr"),
    former("closed_call", "0.11", Kind.CALL, call="call_jaxpr"),
    P("eval_jaxpr", Kind.CALL, call="call_jaxpr"),
    P("remat2", Kind.CALL, call="jaxpr", again=True),
    P("custom_jvp_call", Kind.CALL, call="call_jaxpr", ruled=True),
    P("custom_vjp_call", Kind.CALL, call="call_jaxpr", ruled=True),
    P("ruled", Kind.CALL, call="jaxpr", ruled=True, ours=True),
    P("scan", Kind.LOOP, turns="length"),
    P("while", Kind.LOOP),
    *_all(Kind.LOOP, "loop pushed_loop pulled_loop bent_loop", ours=True),
    P("cond", Kind.BRANCH),
    P("coefficients", told=("of_inputs",), ours=True),
    *_all(Kind.OTHER, "custom_linear_solve platform_index"), P("custom_lin", ruled=True), P("shard_map", parts=True),
    # the first operand
    P("stop_gradient", Kind.SAME, flat=True), P("copy", Kind.SAME, joins=True),
    *_all(Kind.SAME, "name optimization_barrier reduce_precision bitcast_convert_type sharding_constraint"),
    *_all(Kind.SAME, "bounded required reads gradient_apart forward_only", ours=True), P("recut", Kind.SAME, placed=True, ours=True),
    P("nothing", Kind.SAME, ours=True),
    # numbers in another order or shape
    P("broadcast_in_dim", Kind.VIEW, scales=True, linear=None, zero=True),
    P("reshape", Kind.VIEW, scales=True, linear=None, zero=True, across=True),
    P("transpose", Kind.VIEW, scales=True, linear=None, zero=True),
    *_all(Kind.VIEW, "squeeze tile", linear=None, zero=True), P("unstack", Kind.VIEW, linear=None, zero=True, since="0.10.1"),
    *_all(Kind.VIEW, "slice split rev", linear=None, zero=True, across=True),
    # each element by itself
    _pointwise("convert_element_type", "zjs", picks=0),
    *[_pointwise(name, "zj") for name in "abs integer_pow square sqrt cbrt".split()],
    *[_pointwise(name, "zfj") for name in "sign floor ceil round".split()],
    *[_pointwise(name, "zcj") for name in "erf expm1 log1p sin tanh".split()],
    *[_pointwise(name, "zc") for name in "asin asinh atan atanh erf_inv sinh tan".split()],
    *[_pointwise(name, "cj") for name in "cos exp exp2 log logistic".split()],
    *[_pointwise(name, "c") for name in "acos acosh cosh digamma erfc lgamma".split()],
    _pointwise("log2", since="0.12"),
    *[_pointwise(name) for name in "bessel_i0e igamma igammac igamma_grad_a polygamma regularized_incomplete_beta zeta".split()],
    *[_pointwise(name, "z") for name in "bessel_i1e population_count shift_left shift_right_arithmetic shift_right_logical".split()],
    _pointwise("clz"),
    _pointwise("neg", "zjsl"), *[_pointwise(name, "zl") for name in "real imag conj complex".split()],
    _pointwise("add", "zlj+b"), _pointwise("sub", "zljb"), _pointwise("add_any", "zlb"),
    _pointwise("mul", "z01sj+b"), _pointwise("div", "0jb"), _pointwise("rem", "jb"), _pointwise("pow", "cjb"),
    _pointwise("mulhi", "z", since="0.10.2"),
    _pointwise("atan2", "cjb"), _pointwise("nextafter", "zfb"),
    *[_pointwise(name, "zj+b") for name in "max min and or xor".split()],
    *[_pointwise(name, "j+b") for name in "eq ne".split()], *[_pointwise(name, "jb") for name in "ge gt le lt".split()],
    *[_pointwise(name) for name in "eq_to le_to lt_to".split()],
    _pointwise("select_n", "zjb", picks=1), _pointwise("clamp", "j"), _pointwise("not", "j"), _pointwise("is_finite", "fj"),
    _pointwise("rsqrt", "j"), _pointwise("one_minus_square", since="0.12"), _pointwise("polynomial", since="0.12"),
    _pointwise("whole_power", "z", ours=True),
    # made, joined
    *_all(Kind.MADE, "iota empty empty2 iota_2x32_shape"),
    P("dim_as_value", Kind.MADE), P("zeros_like", Kind.MADE, flat=True),
    P("concatenate", Kind.JOINED, linear=None, zero=True, across=True, picks=0), P("pad", Kind.JOINED, linear=None, zero=True, across=True),
    P("stack", Kind.JOINED, linear=None, zero=True, picks=0, since="0.10.1"),
    # along dimensions
    P("reduce_sum", Kind.REDUCTION, sums=True, linear=None, zero=True, across=True),
    *_all(Kind.REDUCTION, "argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_xor", across=True),
    P("cumsum", Kind.ALONG, linear=None, zero=True, across=True),
    *_all(Kind.ALONG, "cumprod cummax cummin cumlogsumexp", across=True),
    P("reduce_window_sum", Kind.WINDOW, sums=True, linear=None, zero=True, across=True),
    *_all(Kind.WINDOW, "reduce_window reduce_window_max reduce_window_min", across=True),
    *_all(Kind.OTHER, "select_and_gather_add select_and_scatter"), P("select_and_scatter_add", Kind.OTHER, sums=True),
    *_all(Kind.ORDER, "sort top_k approx_top_k", across=True), P("place_of_rank", Kind.ORDER, across=True, ours=True),
    # places that are computed
    P("gather", Kind.GATHER, linear=(0,), zero=True, picks=0, places=1),
    P("dynamic_slice", Kind.PART, across=True, linear=(0,), zero=True, picks=0, places=1),
    P("dynamic_update_slice", Kind.PART, zero=True),
    P("scatter-add", Kind.SCATTER, sums=True), *_all(Kind.SCATTER, "scatter scatter-sub scatter-mul scatter-min scatter-max"),
    # products, random numbers, other libraries
    *_all(Kind.PRODUCT, "dot_general conv_general_dilated", linear=(0, 1), zero=True), P("ragged_dot_general", Kind.PRODUCT),
    P("convolution_form", Kind.PRODUCT, linear=(0, 1), zero=True, ours=True),
    *_all(Kind.RANDOM, "threefry2x32 random_bits rng_bit_generator random_seed random_fold_in random_split"),
    *_all(Kind.RANDOM, "random_wrap random_unwrap random_gamma random_clone rng_uniform"),
    *_all(
        Kind.LIBRARY,
        "fft cholesky triangular_solve lu lu_pivots_to_permutation qr geqrf geqp3 householder_product eigh eig svd schur hessenberg "
        "tridiagonal tridiagonal_solve pure_callback io_callback",
    ),
]  # fmt: skip

PRIMITIVES: dict[str, P] = {p.name: p for p in _ROWS}
"""By name."""


def of_kind(kind: str) -> list[str]:
    """The names of all primitives of a kind.

    >>> "jit" in of_kind(Kind.CALL)
    True
    """
    return [name for name, p in PRIMITIVES.items() if p.kind == kind]


def row(of: Any) -> P:
    """The row of a primitive: of an equation, or by its name. What JAX has beside these is of the kind OTHER.

    >>> row("jit").call
    'jaxpr'
    """
    name = of if isinstance(of, str) else of.primitive.name
    return PRIMITIVES.get(name) or P(name)


BARRIER = "optimization_barrier"
SIZE = "dim_as_value"
"""A size that may be symbolic, as a number."""
"""The primitive that XLA moves nothing across. JAX exports its name alone."""

READERS: dict[str, Rules] = {}
"""By name: those who have rules for primitives."""


class Rules(dict[str, Any]):
    """A reader's rules, by the names of primitives. about: what the reader makes of jaxprs, in a few words.
    otherwise(row): what becomes of a primitive that has no rule: "by kind: …", or "refused: …"."""

    def __init__(self, name: str, about: str, otherwise: Callable[[P], str]):
        super().__init__()
        self.name, self.about, self.otherwise = name, about, otherwise
        READERS[name] = self

    def rule(self, *names: str) -> Callable[[Any], Any]:
        """Registers a rule for the primitives of these names. Raises KeyError for one that has no row."""

        def register(rule: Any) -> Any:
            for name in names:
                self[PRIMITIVES[name].name] = rule
            return rule

        return register

    def of(self, p: P) -> str:
        """Returns how the reader treats a primitive: "rule", or what `otherwise` says."""
        return "rule" if p.name in self else self.otherwise(p)
