"""Parts of arrays, sorts and what accumulates, evaluated by NumPy, against XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from functorch_lite._core.run.cold import places, sorts
from functorch_lite._core.run.cold.interpreter import RULES, NoRule

HERE = {places.__name__, sorts.__name__}
NAMES = {name for name, make in RULES.items() if make.__module__ in HERE}
BF16 = ml_dtypes.bfloat16
SOME = [bool, np.int8, np.uint32, np.int64, np.float16, BF16, np.float32, np.float64, np.complex64]
MODES = ["clip", "fill", "promise_in_bounds"]
NAN, INF = np.nan, np.inf


def _id(dtype):
    return np.dtype(dtype).name


def _broadcast_in_dim(x, *_, shape, broadcast_dimensions, sharding=None):
    column = [1] * len(shape)
    for at, n in zip(broadcast_dimensions, np.shape(x)):
        column[at] = n
    return np.broadcast_to(np.reshape(x, column), shape)


# what stands between the equations that are looked at: each would be compiled by itself
OTHERS = {
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": lambda x, new_sizes, **_: x.reshape(new_sizes),
    "squeeze": lambda x, dimensions: np.squeeze(x, dimensions),
    "expand_dims": lambda x, dimensions: np.expand_dims(x, dimensions),
    "transpose": lambda x, permutation: x.transpose(permutation),
    "convert_element_type": lambda x, new_dtype, **_: x.astype(new_dtype),
    "select_n": lambda which, *cases: np.where(which, cases[1], cases[0]) if len(cases) == 2 else None,
    "lt": lambda x, y: np.less(x, y),
    "ge": lambda x, y: np.greater_equal(x, y),
    "le": lambda x, y: np.less_equal(x, y),
    "and": lambda x, y: np.bitwise_and(x, y),
    "add": lambda x, y: np.add(x, y),
    "add_any": lambda x, y: np.add(x, y),
    "sub": lambda x, y: np.subtract(x, y),
    "mul": lambda x, y, **_: np.multiply(x, y),
    "neg": lambda x: np.negative(x),
    "stop_gradient": lambda x: x,
}


def evaluate(jaxpr, consts, args, used):
    """What a jaxpr gives, with the rules that are looked at, whose names are put into `used`."""
    env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args]))

    def read(v):
        return np.asarray(v.val, v.aval.dtype) if hasattr(v, "val") else np.asarray(env[v])

    for eqn in jaxpr.eqns:
        name, ins = eqn.primitive.name, [read(v) for v in eqn.invars]
        inner = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr")
        if name in NAMES:
            used.add(name)
            kept = [x.tobytes() for x in ins]
            run = RULES[name](eqn)
            out = run(*ins)
            outs = out if getattr(run, "several", False) else [out]
            assert kept == [x.tobytes() for x in ins], f"{name} wrote to its operands"
            for v, o in zip(eqn.outvars, outs, strict=True):
                assert (o.dtype, np.shape(o)) == (v.aval.dtype, v.aval.shape), eqn
        elif inner is not None:
            closed = hasattr(inner, "consts")
            outs = evaluate(inner.jaxpr if closed else inner, inner.consts if closed else (), ins, used)
        elif name in OTHERS:
            outs = [np.asarray(OTHERS[name](*ins, **eqn.params)).astype(eqn.outvars[0].aval.dtype)]
        else:
            outs = eqn.primitive.bind(*ins, **eqn.params)
            outs = outs if eqn.primitive.multiple_results else [outs]
        env.update(zip(eqn.outvars, outs))
    return [read(v) for v in jaxpr.outvars]


def check(cases, *args, within=0.0, signs=False):
    """That functions, by name, give of the arguments what they give under XLA: in one program, as each would be
    compiled by itself."""
    used = set()
    with jax.enable_x64(True), np.errstate(all="ignore"):
        traced = jax.jit(lambda *xs: {name: f(*xs) for name, f in cases.items()}).trace(*args)
        want = jax.tree.leaves_with_path(traced.lower().compile()(*args))
        got = evaluate(traced.jaxpr.jaxpr, traced.jaxpr.consts, jax.tree.leaves(args), used)
        for g, (path, w) in zip(got, want, strict=True):
            same(g, np.asarray(w), path[0].key, within, signs)
    return used


def same(got, want, name, within=0.0, signs=False):
    assert (got.dtype, got.shape) == (want.dtype, want.shape), name
    if got.dtype == BF16:
        got, want = got.astype(np.float32), want.astype(np.float32)
    if within:
        np.testing.assert_allclose(got, want, within, within, err_msg=name)
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)
    if signs:
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want), err_msg=name)


def numbers(dtype, *shape, seed=0):
    """Small whole numbers, whose sums every dtype holds."""
    made = np.random.default_rng(seed).integers(0, 5, shape)
    if np.dtype(dtype).kind in "fcVi":
        made -= 2
    return made.astype(dtype)


I1 = np.array([3, 0, 4, 3, 1])
J1 = np.array([5, 1, 0, 2, 2])
I2 = np.array([[0, 4, 2], [2, 1, 3]])
FAR = np.array([3, -1, 7, 0, 100, -9, 4])
K = np.array(3)

READS = {
    "i": lambda x: x[I1],
    ":i": lambda x: x[:, I1],
    "..i": lambda x: x[..., I1],
    "i2": lambda x: x[I2],
    ":i2": lambda x: x[:, I2],
    "ij": lambda x: x[I1, J1],
    "i:j": lambda x: x[I1, :, J1],
    ":ij": lambda x: x[:, I1, J1],
    "i2j1": lambda x: x[I2[:, :, None], J1],
    "ijk": lambda x: x[I1, J1, I1],
    "i::2": lambda x: x[I1, ::2, 1:3],
    "1": lambda x: x[2],
    "-1": lambda x: x[-1, 3],
    "one": lambda x: x[np.array([2])],
    "none": lambda x: x[np.array([], int)],
    "reversed": lambda x: x[::-1, 4:1:-1],
    "steps": lambda x: x[1::2, :, 5:1:-2],
    "take": lambda x: jnp.take(x, I1, axis=1),
    "take flat": lambda x: jnp.take(x, FAR),
    "take wrap": lambda x: jnp.take(x, FAR, axis=0, mode="wrap"),
    "along": lambda x: jnp.take_along_axis(x, np.argsort(np.ones((5, 6, 7)), 1), 1),
    "along last": lambda x: jnp.take_along_axis(x, FAR[None, None, :5] % 7, -1),
    "grads": lambda x: x.at[I1].get(mode="fill", fill_value=0),
    "vmap": lambda x: jax.vmap(lambda row, i: row[i])(x, I1),
    "vmap 2": lambda x: jax.vmap(jax.vmap(lambda row, i: row[i], (0, None)), (0, 0))(x, I1),
    "vmap in": lambda x: jax.vmap(lambda row, i: row[:, i], (2, 0), 1)(x, np.arange(7) % 6),
}


def test_indexing():
    check(READS, numbers(np.float32, 5, 6, 7))


def test_indexing_of_a_view():
    jumbled = numbers(np.int64, 7, 6, 5).T  # whose elements do not lie side by side
    check({k: READS[k] for k in ("i", ":i", "ij", "i2", "vmap", "one")}, jumbled)


@pytest.mark.parametrize("dtype", [*SOME, np.uint64], ids=_id)
def test_out_of_range(dtype):
    x = numbers(dtype, 5, 6)
    cases = {}
    for mode in MODES if dtype is np.float32 else ["fill"]:
        for axis in (0, 1):
            far = (slice(None),) * axis + (FAR,)
            cases[f"{mode} {axis}"] = lambda x, m=mode, at=far: x.at[at].get(mode=m)
        cases[f"{mode} both"] = lambda x, m=mode: x.at[FAR, FAR[::-1]].get(mode=m)
        cases[f"{mode} one"] = lambda x, m=mode: x.at[np.array([6])].get(mode=m)
        cases[f"{mode} along"] = lambda x, m=mode: jnp.take_along_axis(x, FAR[:, None], 0, mode=m)
    cases["filled"] = lambda x: x.at[FAR].get(mode="fill", fill_value=1)
    cases["filled all"] = lambda x: x.at[FAR + 200].get(mode="fill")
    check(cases, x)


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64], ids=_id)
def test_dtypes_of_indices(dtype):
    far = np.array([3, 0, 120, 127, 2]).astype(dtype)
    if np.dtype(dtype).kind == "i":
        far[1] = -2
    cases = {}
    for mode in MODES:
        get = {"mode": mode, "wrap_negative_indices": False}
        cases[f"get {mode}"] = lambda x, i, get=get: x.at[i].get(**get)
        cases[f"add {mode}"] = lambda x, i, get=get: x.at[i].add(1, **get)
        for numbered, gather in (("", _gather), ("2", _gather_2)):
            cases[f"gather{numbered} {mode}"] = lambda x, i, m=mode, gather=gather: gather(x, i, m)
    cases["slice"] = lambda x, i: [lax.dynamic_slice(x, (i[k], i[k]), (2, 3)) for k in (1, 2)]
    cases["update"] = lambda x, i: lax.dynamic_update_slice(x, x[1:2, 1:3] + 3, (i[2], i[1]))
    check(cases, numbers(np.float32, 6, 7), far)


def _gather(x, i, mode):
    dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
    return lax.gather(x, i[:, None], dims, (1, 7), mode=mode)


def _gather_2(x, i, mode):
    dims = lax.GatherDimensionNumbers((1, 2), (), (1, 0))
    return lax.gather(x, jnp.stack([i, i[::-1]], 1), dims, (2, 3), mode=mode)


OPS = ["set", "add", "subtract", "multiply", "min", "max"]


@pytest.mark.parametrize("dtype", SOME, ids=_id)
def test_scatters(dtype):
    kind, cases = np.dtype(dtype).kind, {}
    for op in OPS:
        if (kind == "b" and op not in ("set", "min", "max")) or (kind == "c" and op in ("min", "max")):
            continue

        def put(at, *shape, op=op, seed=1, **how):
            return lambda x: getattr(x.at[at], op)(numbers(dtype, *shape, seed=seed), **how)

        if op != "set":
            cases[f"{op} twice"] = put(I1, 5, 6, 7)
        cases[f"{op} far"] = put((slice(None), np.array([5, 9, -8])), 5, 3, 7)
        if dtype is not np.float32:
            continue
        cases[f"{op} i"] = put(np.array([4, 1, 0]), 3, 6, 7)
        cases[f"{op} one"] = put((np.array([2]), slice(1, 3)), 1, 2, 7)
        cases[f"{op} scalar"] = put((2, 3, 1))
        cases[f"{op} sorted"] = put(np.array([0, 2, 3]), 6, 7, unique_indices=True, indices_are_sorted=True)
        for mode in ("clip", "drop"):
            cases[f"{op} out {mode}"] = put(np.array([9]), 6, 7, mode=mode)
        cases[f"{op} far clip"] = put((slice(None), np.array([5, 9, -8])), 5, 3, 7, mode="clip")
        if op != "set":
            cases[f"{op} twice 2"] = put((I1, slice(None), J1), 5, 6)
            cases[f"{op} places"] = put((I1, J1, I1), 5)
    check(cases, numbers(dtype, 5, 6, 7))


def test_long_rows():
    x, u = numbers(np.float32, 5, 700), numbers(BF16, 5, 700, seed=1)
    check(
        {
            "add": lambda x, u: x.at[I1].add(u.astype(np.float32)),
            "max": lambda x, u: x.at[I1].max(u.astype(np.float32)),
            "drop": lambda x, u: x.at[I1 + 2].subtract(u.astype(np.float32)),
            "clip": lambda x, u: x.at[I1 + 2].multiply(
                u.astype(np.float32), mode="clip", unique_indices=True
            ),
            "set": lambda x, u: x.at[np.array([4, 2])].set(u[:2].astype(np.float32)),
            "halves": lambda x, u: x.astype(BF16).at[I1].add(u),
        },
        x,
        u,
    )


def test_scatters_of_nothing():
    check(
        {
            "no indices": lambda x: x.at[np.zeros(0, int)].add(1),
            "no elements": lambda x: x[:0].at[np.array([0, 1])].add(1, mode="clip"),
            "a number": lambda x: x[0, 0].at[()].add(3),
            "no window": lambda x: x.at[I1, 1:1].set(2),
        },
        numbers(np.float32, 5, 6),
    )


def test_halves_are_added_in_float32():
    for dtype in (np.float16, BF16):
        u = np.full(1000, 1.25, dtype)
        closed = jax.make_jaxpr(lambda x, u: x.at[np.zeros(1000, int)].add(u))(u[:3], u)
        got = evaluate(closed.jaxpr, closed.consts, [u[:3], u], set())
        assert float(got[0][0]) == float(np.asarray(1251.25).astype(dtype))


def test_gradients_of_indexing():
    x = numbers(np.float32, 5, 6, 7)
    start = np.array([0, 3, -4, 9, 1])

    def sliced(row, k):
        return lax.dynamic_slice(row, (k, 2), (3, 2))

    reads = {
        **{name: READS[name] for name in ("i", ":i", "i2j1", "take flat", "along", "vmap in")},
        "slices": lambda x: jax.vmap(sliced)(x, start),
        "slices of one": lambda x: jax.vmap(sliced, (None, 0))(x[0], start),
        "update": lambda x: jax.vmap(lambda row, k: lax.dynamic_update_slice(row, row[:2] * 2, (k, 1)))(
            x, start
        ),
        "sort": lambda x: jnp.sort(x, 1),
        "top_k": lambda x: lax.top_k(x, 3)[0],
        "pad": lambda x: lax.pad(x, np.float32(1), [(1, 2, 1), (-1, 0, 0), (0, -2, 2)]),
        "cumsum": lambda x: jnp.cumsum(x, 1),
    }
    cases = {name: jax.grad(lambda x, f=f: (f(x) * f(x)).sum()) for name, f in reads.items()}
    used = check(cases, x)
    assert {"scatter-add", "gather", "pad"} <= used


def test_vmapped_scatters():
    x = numbers(np.int32, 5, 6, 7)
    cases = {}
    for op in OPS:
        how = {"unique_indices": True} if op == "set" else {}
        cases[op] = lambda x, op=op, how=how: jax.vmap(
            lambda row, i: getattr(row.at[np.array([3, 2]) + i], op)(i.astype(np.int32) + 1, **how)
        )(x, I1)
        cases[f"{op} last"] = lambda x, op=op, how=how: jax.vmap(
            lambda row, i: getattr(row.at[:, i], op)(i.astype(np.int32) + 1, **how), (1, 0), 1
        )(x, np.array([0, 3, 6, 9, 2, 2]))
    cases["along"] = lambda x: jnp.put_along_axis(x, I2[:, :, None][:1], 9, 1, inplace=False, mode="clip")
    check(cases, x)


def _fitting(rng, rank):
    """The dimension numbers of random windows in a random array, with indices near its ends."""
    shape = rng.integers(1, 5, rank)
    n_batching = int(rng.integers(0, rank // 2 + 1))
    dims = rng.permutation(rank)
    batching, others = dims[:n_batching], dims[n_batching:]
    mapped = rng.permutation(others)[: rng.integers(0, len(others) + 1)]
    gone = sorted(d for d in others if rng.random() < 0.4)
    sizes = np.array(
        [1 if d in gone or d in batching else rng.integers(0, n + 1) for d, n in enumerate(shape)]
    )
    for d in range(rank):
        if d not in gone and d not in batching and rng.random() < 0.6:
            sizes[d] = shape[d] if rng.random() < 0.6 else max(sizes[d], 1)
    batch = list(rng.integers(1, 4, rng.integers(0, 3)))
    places = []
    order = np.argsort(batching)
    batching = batching[order]
    for d in batching:
        at = int(rng.integers(0, len(batch) + 1))
        places = [p + (p >= at) for p in places] + [at]
        batch.insert(at, shape[d])
    kept = [d for d in range(rank) if d not in gone and d not in batching]
    out = len(batch) + len(kept)
    windows = sorted(rng.permutation(out)[: len(kept)].tolist())
    full, b, k = [], iter(batch), iter(kept)
    for d in range(out):
        full.append(int(sizes[next(k)]) if d in windows else int(next(b)))
    indices = rng.integers(-1, 4, (*batch, len(mapped)))
    if len(mapped) and rng.random() < 0.4:
        indices = np.minimum(np.maximum(indices, 0), (shape - sizes)[mapped])
    indices = indices.astype(rng.choice([np.int32, np.int64, np.int8]))
    ints = [tuple(map(int, t)) for t in (windows, gone, mapped, batching, places)]
    return tuple(map(int, shape)), tuple(map(int, sizes)), indices, ints, tuple(full)


def _random_gather(rng):
    shape, sizes, indices, ints, _ = _fitting(rng, int(rng.integers(1, 5)))
    dims = lax.GatherDimensionNumbers(*ints)
    mode = MODES[rng.integers(3)]
    x = rng.integers(-50, 50, shape).astype(np.float32)
    return lambda x, i: lax.gather(x, i, dims, sizes, mode=mode), (x, indices)


def _random_scatter(rng):
    shape, _, indices, ints, given = _fitting(rng, int(rng.integers(1, 5)))
    while not ints[2]:
        shape, _, indices, ints, given = _fitting(rng, int(rng.integers(1, 5)))
    dims = lax.ScatterDimensionNumbers(*ints)
    mode = MODES[rng.integers(3)]
    ops = [lax.scatter, lax.scatter_add, lax.scatter_sub, lax.scatter_mul, lax.scatter_min, lax.scatter_max]
    scatter = ops[rng.integers(len(ops))]
    x, u = rng.integers(-3, 3, shape), rng.integers(-3, 3, given)
    return lambda x, i, u: scatter(x, i, u, dims, mode=mode), (x, indices, u)


@pytest.mark.parametrize("make", [_random_gather, _random_scatter])
def test_random_windows(make):
    rng = np.random.default_rng(0)
    made = [make(rng) for _ in range(18)]
    check(
        {str(k): lambda all_args, k=k, f=f: f(*all_args[k]) for k, (f, _) in enumerate(made)},
        [a for _, a in made],
    )


def test_dynamic_slices():
    x = numbers(np.float32, 5, 6, 7)
    starts = [(0, 0, 0), (1, 2, 3), (-9, 9, 2), (4, -1, 6), (2**31 - 1, -(2**31), 0)]
    used = check(
        {
            "slices": lambda x, s: [lax.dynamic_slice(x, tuple(k), (2, 6, 3)) for k in s],
            "updates": lambda x, s: [lax.dynamic_update_slice(x, x[:2, 1:4] + 9, tuple(k)) for k in s],
            "all": lambda x, s: lax.dynamic_update_slice(x, x + 1, tuple(s[1])),
            "in dim": lambda x, s: lax.dynamic_slice_in_dim(x, s[3][0], 2, 1),
            "index": lambda x, s: lax.dynamic_index_in_dim(x, s[1][1], 0, keepdims=False),
            "number": lambda x, s: lax.dynamic_slice(x[0, 0, 0], (), ()),
            "number by": lambda x, s: lax.dynamic_update_slice(x[0, 0, 0], x[1, 1, 1], ()),
            "loop": lambda x, s: x.at[s[1][1]].set(2.0),
        },
        x,
        [tuple(map(np.int32, s)) for s in starts],
    )
    assert {"dynamic_slice", "dynamic_update_slice"} <= used


@pytest.mark.parametrize("dtype", [bool, np.int8, BF16, np.complex64], ids=_id)
def test_pieces(dtype):
    x = numbers(dtype, 4, 5, 6)
    zero, one = np.zeros((), dtype), np.ones((), dtype)
    cases = {
        "slice": lambda x: lax.slice(x, (1, 0, 2), (3, 5, 6), (1, 2, 3)),
        "rev": lambda x: lax.rev(x, (0, 2)),
        "concatenate": lambda x: jnp.concatenate([x, x[:, :2], x[:, :0]], 1),
        "one": lambda x: lax.concatenate([x], 0),
        "split": lambda x: lax.split(x, (2, 0, 3), 1),
        "stack": lambda x: jnp.stack([x, x], -1),
        "pad": lambda x: lax.pad(x, one, [(1, 2, 0), (0, 0, 2), (3, 0, 1)]),
        "pad less": lambda x: lax.pad(x, one, [(-1, -2, 0), (2, -1, 2), (-3, 4, 1)]),
        "pad between": lambda x: lax.pad(x, zero, [(-2, -2, 2), (-4, 1, 1), (-1, -1, 3)]),
        "pad all away": lambda x: lax.pad(x, one, [(-4, 3, 0), (0, 0, 0), (0, 0, 0)]),
        "pad to nothing": lambda x: lax.pad(x, one, [(-2, -2, 0), (0, 0, 0), (0, 0, 0)]),
        "pad number": lambda x: lax.pad(x[0, 0, 0], one, []),
        "roll": lambda x: jnp.roll(x, 3, 1),
    }
    if np.dtype(dtype).kind not in "bc":
        cases["clamp"] = lambda x: lax.clamp(zero, x, one)
        cases["clamp each"] = lambda x: lax.clamp(x[::-1], x, x[:, ::-1])
        cases["clamp number"] = lambda x: lax.clamp(zero, x[0, 0, 0], one)
    if np.dtype(dtype).kind != "b":
        cases["iota"] = lambda x: [lax.iota(dtype, 300), lax.broadcasted_iota(dtype, (3, 1, 4), 2)]
        cases["iota 0"] = lambda x: [lax.broadcasted_iota(dtype, (0, 3), 1), lax.iota(dtype, 0)]
    check(cases, x)


def test_paddings():
    x = numbers(np.float32, 3, 4)
    modes = ["constant", "edge", "reflect", "wrap"]
    check({m: lambda x, m=m: jnp.pad(x, [(2, 1), (0, 3)], mode=m) for m in modes}, x, within=1e-6)
    rng, cases = np.random.default_rng(0), {}
    for k in range(16):
        n = int(rng.integers(0, 5))
        interior = int(rng.integers(0, 4))
        low, high = rng.integers(-7, 5, 2).tolist()
        if n + (n - 1 if n else 0) * interior + low + high >= 0:
            cases[str(k)] = lambda x, n=n, p=(low, high, interior): lax.pad(x[0, :n], x[0, 0], [p])
    check(cases, x)


SPECIAL = [0.0, -0.0, NAN, 1.0, -NAN, -0.0, 0.0, INF, -INF, NAN, -1.0, 1.0]


def _special(dtype, *shape, seed=0):
    made = np.random.default_rng(seed).choice(np.array(SPECIAL + [3.0, -2.0, 0.5]), shape)
    return np.copysign(made, np.random.default_rng(seed + 1).standard_normal(shape)).astype(dtype)


def _plain(dtype, *shape, seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        made = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        made[made % 3 == 0] = limits.max
        return made
    return (
        rng.integers(-9, 9, shape) + (1j * rng.integers(-2, 2, shape) if np.dtype(dtype).kind == "c" else 0)
    ).astype(dtype)


@pytest.mark.parametrize("dtype", [*SOME, np.uint64], ids=_id)
def test_sorts(dtype):
    special = np.dtype(dtype).kind in "fV"
    cases = {
        "sort": lambda x, y: lax.sort(x, dimension=1),
        "sort 0": lambda x, y: lax.sort(x[:, :20], dimension=0),
        "unstable": lambda x, y: lax.sort(y, dimension=1, is_stable=False),
        "plain": lambda x, y: lax.sort(y, dimension=1),
        "with": lambda x, y: lax.sort(
            (x, lax.iota(np.int32, x.size).reshape(x.shape)), dimension=1, num_keys=1
        ),
        "with 0": lambda x, y: lax.sort((y[:, :9], x[:, :9]), dimension=0, num_keys=1),
        "two keys": lambda x, y: lax.sort(
            (x, y, lax.iota(np.int32, x.size).reshape(x.shape)), dimension=1, num_keys=2
        ),
        "argsort": lambda x, y: jnp.argsort(y, axis=1),
        "argsort down": lambda x, y: jnp.argsort(x, axis=1, descending=True),
        "argsort middle": lambda x, y: jnp.argsort(y.reshape(3, 75, 2), axis=1),
        "argsort few": lambda x, y: jnp.argsort(x[0, :30]),
        "argsort line": lambda x, y: jnp.argsort(x[0]),
        "empty": lambda x, y: [jnp.sort(x[:, :0]), jnp.argsort(x[:0], axis=1)],
    }
    if dtype not in (np.float32, np.complex64):
        cases = {name: cases[name] for name in ("sort", "two keys", "argsort", "argsort few")}
    x = _special(dtype, 3, 150) if special else _plain(dtype, 3, 150)
    check(cases, x, _plain(dtype, 3, 150, seed=5), signs=special)


@pytest.mark.parametrize(
    "dtype", [bool, np.uint32, np.int64, np.float16, BF16, np.float32, np.float64], ids=_id
)
def test_largest(dtype):
    cases = {"argmax line": lambda x, y: [jnp.argmax(x[0]), jnp.argmin(y[0])]}
    for n in (12, 150):
        for k in (0, 1, 5, n) if dtype is BF16 else (5,):
            cases[f"top_k {n} {k}"] = lambda x, y, n=n, k=k: lax.top_k(x[:, :n], k)
        if dtype is np.float32:
            cases[f"top_k {n} 0"] = lambda x, y, n=n: lax.top_k(x[:, :n].T, 4, axis=0)
            cases[f"top_k {n} line"] = lambda x, y, n=n: lax.top_k(y[0, :n], 7)
            cases[f"argmax {n} 0"] = lambda x, y, n=n: lax.argmax(y[:, :n], 0, np.int32)
        cases[f"argmax {n}"] = lambda x, y, n=n: lax.argmax(x[:, :n], 1, np.int64)
        cases[f"argmin {n}"] = lambda x, y, n=n: lax.argmin(x[:, :n], 1, np.uint8)
    special = np.dtype(dtype).kind in "fV"
    x = _special(dtype, 3, 150) if special else _plain(dtype, 3, 150)
    check(cases, x, _plain(dtype, 3, 150, seed=5), signs=special)


CUMULATIVE = [lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp]
ROUGH = {
    "float16": 4e-3,
    "bfloat16": 4e-2,
    "float32": 3e-6,
    "complex64": 3e-6,
    "float64": 1e-14,
    "complex128": 1e-14,
}


@pytest.mark.parametrize("dtype", [d for d in SOME if d not in (bool, np.uint32)], ids=_id)
def test_accumulated(dtype):
    kind = np.dtype(dtype).kind
    cases = {}
    for f in CUMULATIVE:
        if (kind == "c" and f not in CUMULATIVE[:2]) or (kind in "iu" and f is lax.cumlogsumexp):
            continue
        cases[f"{f.__name__} 0"] = lambda x, f=f: f(x, axis=0, reverse=True)
        cases[f"{f.__name__} 1"] = lambda x, f=f: f(x, axis=1)
    cases["nothing"] = lambda x: lax.cumsum(x[:0])
    rng = np.random.default_rng(0)
    x = (
        _plain(dtype, 4, 9)
        if kind in "iu"
        else (rng.standard_normal((4, 9)) * (1 + (1j if kind == "c" else 0))).astype(dtype)
    )
    check(cases, x, within=ROUGH.get(_id(dtype), 0.0))


def test_accumulated_infinities():
    x = np.array([1, -INF, 2, INF, 0, NAN, 3], np.float32)
    cases = {}
    for f in CUMULATIVE:
        cases[f.__name__] = lambda x, f=f: [f(x), f(x[:5], reverse=True)]
    check(cases, x, within=1e-6)


def test_clamps():
    x = np.array(SPECIAL, np.float32)
    check(
        {
            "nan": lambda x: lax.clamp(np.float32(NAN), x, np.float32(1)),
            "crossed": lambda x: lax.clamp(np.float32(2), x, np.float32(1)),
            "usual": lambda x: lax.clamp(np.float32(-1), x, np.float32(1)),
            "halves": lambda x: lax.clamp(BF16(-1), x.astype(BF16), BF16(NAN)),
        },
        x,
    )


def test_what_has_no_rule():
    x, c = np.ones(5, np.float32), np.ones((3, 80), np.complex64)
    key, at = jax.random.key(0), np.array([0, 0], np.int32)
    of_all = lax.ScatterDimensionNumbers((), (0,), ())
    for f, *args in [
        (lambda x: x.at[at].get(mode="one_hot"), x),
        (lambda x: x.at[at].apply(jnp.sin), x),
        (lambda x: lax.scatter_add(x[:1], np.zeros((2, 0), int), x[:2], of_all), x),
        (lambda c: c.at[at].max(c[:2]), c),
        (lambda c: lax.cummax(c), c),
        (lambda c: lax.cumlogsumexp(c), c),
        (lambda c: lax.clamp(c, c, c), c),
        (lambda k: jnp.stack([k, k])[:1], key),
        (lambda x: x.astype(jnp.float8_e4m3fn)[1:], x),
    ]:
        closed = jax.make_jaxpr(f)(*args)
        with pytest.raises(NoRule):
            for eqn in closed.jaxpr.eqns:
                RULES[eqn.primitive.name](eqn) if eqn.primitive.name in NAMES else None
