"""Names of `_core` for the rest of the library: everything that ops, layers and optimizers are made with.

Other modules import from here alone; the few that work on the recording itself (`tests/test_layers.py` names them)
reach further in.
"""
# ruff: noqa: F401

from __future__ import annotations

from . import older_pickles
from .call import autocast, bind, overrides
from .call.autocast import apply as apply_under_autocast
from .call.autocast import is_enabled
from .call.bind import (
    Namespace,
    checked_composite,
    composite,
    functions,
    lookup,
    lookup_method,
    make_function,
    make_inplace,
    namespace,
)
from .call.divisors import apply_division, check_divisor
from .call.gate import (
    BOOL,
    INT,
    INTS,
    INTS_OR_INT,
    PYTHON_DTYPES,
    SYMINT,
    as_int,
    check_type,
    checked,
    classes_of,
    spread_size,
    to_arrays_argument,
    to_number_argument,
    to_real_argument,
    to_size,
    to_static,
    wrong_type,
)
from .call.indexing import basic_part, check_fill, check_indices, getitem, masked_select, resolve, setitem
from .call.methods import attach, capturing, set_property, set_state, shown_again, taken_apart, to_jax_array
from .call.moving import linked, moved, to_device
from .call.names import CONSTANTS
from .call.overlap import check_apart, refuse_overlap
from .call.overrides import DisableTorchFunction, DisableTorchFunctionSubclass, disabled, name_of, overriding
from .call.results import cast, check_outs, write_inplace, write_out
from .call.signature import Signature
from .call.size import Size, size_of_ints
from .call.storage import (
    UntypedStorage,
    check_pinning,
    flat_as,
    jagged,
    layout,
    shown,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    stretch_in_elements,
    strided,
    strided_only,
)
from .declare.grad_names import all_tensors, beside_numbers, dim_given, of_a_dim, of_tensors
from .declare.op import (
    OPS,
    UNSET,
    Array,
    Arrays,
    DynamicInt,
    DynamicInts,
    Exponent,
    Number,
    Op,
    Order,
    Positive,
    Real,
    Scalar,
    Sizes,
    SymInt,
    Unset,
    op,
    view,
)
from .jaxprs import traits, walk
from .jaxprs.flops import flops_in, flops_of
from .jaxprs.primitives import Kind, P, Rules, of_kind, row
from .jaxprs.traits import op_called
from .lazy import written
from .lazy.applied import PRECISION, Applied, DerivedOp, Formula, apply_once, for_cpu, tracing
from .lazy.apply import (
    apply,
    apply_op,
    apply_view,
    check_writable,
    detach,
    from_array,
    put_op,
    read,
    replace,
    write,
)
from .lazy.bounds import bounded, not_zero, required, requirement
from .lazy.breaches import ERRORS, OutOfRange, check_bounds, look, out_of_range, require, unmet
from .lazy.builder import Builder
from .lazy.cutting import DETACH
from .lazy.dependence import (
    check_storage,
    depends_on_inputs,
    differentiable_inputs,
    differentiation_of,
    is_of_transform,
    requires_grad,
)
from .lazy.gradients import ADD, ONES, ZEROS
from .lazy.graph import Graph, transforms
from .lazy.kinds import VMAP_DYNAMIC, VMAP_LEAVES, VMAP_ONE_ANSWER
from .lazy.known import MOST_COPIED, at_hand, outside
from .lazy.levels import BatchedUpdate, Recorded, record_function, update, values_of
from .lazy.meta import meta_value
from .lazy.open_graph import NotOneGraph, OpenGraph, difference
from .lazy.reach import ENDS, ENTIRELY, FOREVER, reads
from .lazy.recorder import ESCAPED, OFF, record, state
from .lazy.rows import Power, Rows, value_of
from .lazy.sized import is_at_least, pays_from
from .lazy.strides import (
    contiguous_strides,
    geometry_of,
    reshapes_to_view,
    signs_of,
    strides_of,
    view_strides,
)
from .lazy.tape import Leaf, Node, onlookers
from .lazy.tensor import Lens, Tensor, bare, become_view, make_tensor, set_cell, share_tensor, writes
from .lazy.trie import SignedZero, TrieNode, hashed
from .lazy.value import Aval, Noting, Value, aval, concrete, make_value, number_value
from .lazy.windows import sliced
from .lazy.written import LIBRARY, CannotWrite, of_op, of_value
from .run.alone import computed
from .run.blas import at_most
from .run.cores import THREADS
from .run.executor import (
    at_once,
    dispatch_ended,
    flush,
    force,
    force_array,
    forget_programs,
    one_piece,
    set_precision,
    synchronize,
)
from .run.host import independent
from .run.program import deterministic
from .run.report import Gathering, counting, explaining, timing
from .run.threefry import BITS, bits_by_numpy, threefry, words_by_numpy
from .run.tiers import always_compile, tier
from .run.watching import watch
from .run.whole_division import cut_division, floor_quotient, floor_rest
from .words import advice, dtypes, forked, jax_private, promote, tracebacks
from .words import device as devices
from .words.advice import about_imaginary, advise, advising
from .words.device import (
    ANY,
    CPU,
    META,
    current_device,
    device,
    is_available,
    is_jax_default,
    jax_device,
    of_jax,
    set_default_device,
)
from .words.dtypes import (
    DTYPES,
    bfloat16,
    bool_,
    default_dtype,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    from_numpy,
    int32,
    int64,
    uint8,
)
from .words.errors import (
    MOST_BYTES,
    AcceleratorError,
    NotOneOp,
    NotReplayable,
    OutOfMemoryError,
    broadcast_shapes,
    cannot_allocate,
    check,
    check_broadcasts_to,
    check_int,
    check_memory,
    invalid_combination,
    not_differentiable,
    wrap_dim,
    wrap_dims,
)
from .words.kernels import check_scalar_type, cpp_name, need_kind, no_kernel, scalar_name
from .words.memory_format import (
    channels_last,
    channels_last_3d,
    check_memory_format,
    contiguous_format,
    memory_format,
    preserve_format,
)
from .words.numbers import (
    check_number,
    is_bool,
    is_int,
    is_number,
    is_numpys,
    is_python_number,
    is_real,
    is_scalar,
    is_whole,
    plain,
    plain_number,
    python_number,
)
from .words.printing import (
    contents,
    get_printoptions,
    is_default,
    printoptions,
    result_type,
    set_printoptions,
    with_suffixes,
)
from .words.promote import (
    can_cast,
    converted,
    converted_numbers,
    dtype_of,
    number_dtype,
    promote_types,
    result_dtype,
    rounded_to,
    to_common_dtype,
)
from .words.pytorchs import is_pytorchs_tensor, refuse_pytorchs
from .words.telling import cell_of
from .words.tracebacks import BELOW, OURS, USERS, below, is_installed, is_ours, kind_of, raiser, tidied, tidy
from .words.undisturbed import undisturbed
