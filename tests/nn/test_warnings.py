"""What PyTorch warns of, with its category and words: deprecated arguments, sizes that are broadcast, options that are
missing."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

import functorch_lite as ours

SIZES = (
    "Using a target size (torch.Size([3])) that is different to the input size (torch.Size([2, 3])). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)
MEAN = "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead."
FLAGS = "size_average and reduce args will be deprecated, please use reduction='{}' instead."
DIM = "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument."
CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True "
    "if the old behavior is desired. See the documentation of grid_sample for details."
)
SUPPORT = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, "
    "and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release."
)
DROPOUT2 = (
    "dropout2d: Received a 2-D input to dropout2d, which is deprecated and will result in an error in a future release. To retain the "
    "behavior and silence this warning, please use dropout instead. Note that dropout2d exists to provide channel-wise dropout on inputs "
    "with 2 spatial dimensions, a channel dimension, and an optional batch dimension (i.e. 3D or 4D inputs)."
)
DROPOUT3 = (
    "dropout3d: Received a 3-D input to dropout3d, which is deprecated and will result in an error in a future release. To retain the "
    "behavior and silence this warning, please use dropout instead. Note that dropout3d exists to provide channel-wise dropout on inputs "
    "with 3 spatial dimensions, a channel dimension, and an optional batch dimension (i.e. 4D or 5D inputs)."
)
AS_1D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is interpreted as "
    "shape (N, C, L), where C is the channel dim. This behavior will change in a future release to interpret the input as one without a "
    "batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
)
ONES, THREE, IMAGE = "torch.ones(2, 3)", "torch.ones(3)", "torch.ones(1, 1, 2, 2)"

CASES: dict[str, tuple[str, ...]] = {
    **{f"F.{name}({ONES}, {THREE})": (SIZES,) for name in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss")},
    **{f"nn.{name}()({ONES}, {THREE})": (SIZES,) for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss")},
    f"[F.mse_loss({ONES}, {THREE}) for _ in range(2)]": (SIZES, SIZES),
    f"torch.func.grad(lambda x: F.mse_loss(x, {THREE}))({ONES})": (SIZES,),
    f"F.mse_loss({ONES}, {ONES}.double())": (),
    f"F.mse_loss({ONES}, {THREE}, size_average=False)": (SIZES, FLAGS.format("sum")),
    f"F.l1_loss({ONES}, {ONES}, True, False)": (FLAGS.format("none"),),
    f"F.smooth_l1_loss({ONES}, {ONES}, reduce=True, reduction='none')": (FLAGS.format("mean"),),
    f"F.kl_div({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.kl_div({ONES}, {ONES})": (SUPPORT,),
    f"nn.KLDivLoss()({ONES}, {ONES})": (SUPPORT,),
    f"F.kl_div({ONES}, {ONES}, reduction='batchmean')": (),
    f"torch.kl_div({ONES}, {ONES})": (),
    f"F.nll_loss({ONES}, torch.tensor([0, 1]), None, False)": (FLAGS.format("sum"),),
    f"F.cross_entropy({ONES}, torch.tensor([0, 1]), reduce=False)": (FLAGS.format("none"),),
    f"F.binary_cross_entropy({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.binary_cross_entropy_with_logits({ONES}, {ONES}, reduce=False)": (FLAGS.format("none"),),
    f"F.poisson_nll_loss({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.hinge_embedding_loss({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.soft_margin_loss({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.margin_ranking_loss({ONES}, {ONES}, {ONES}, reduce=False)": (FLAGS.format("none"),),
    f"F.cosine_embedding_loss({ONES}, {ONES}, torch.ones(2), reduce=False)": (FLAGS.format("none"),),
    f"F.triplet_margin_loss({ONES}, {ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"F.multi_margin_loss({ONES}, torch.tensor([0, 1]), size_average=False)": (FLAGS.format("sum"),),
    f"F.multilabel_margin_loss({ONES}, torch.tensor([[0, 1, -1], [1, -1, 0]]), reduce=False)": (FLAGS.format("none"),),
    f"F.multilabel_soft_margin_loss({ONES}, {ONES}, size_average=False)": (FLAGS.format("sum"),),
    f"nn.MSELoss(size_average=False)({ONES}, {ONES})": (FLAGS.format("sum"),),
    f"F.l1_loss({ONES}, {ONES}, reduction='elementwise_mean')": (MEAN,),
    f"F.kl_div({ONES}, {ONES}, reduction='elementwise_mean')": (MEAN,),
    f"F.mse_loss({ONES}, {ONES}, size_average=False, reduction='elementwise_mean')": (FLAGS.format("sum"),),
    f"F.linear_cross_entropy({ONES}, {ONES}, torch.tensor([0, 1]), reduction='elementwise_mean')": (MEAN,),
    "F.ctc_loss(torch.zeros(2, 1, 3), torch.tensor([[1]]), (2,), (1,), reduction='elementwise_mean')": (MEAN,),
    "torch.ones(4).resize(2, 2)": ("non-inplace resize is deprecated",),
    "torch.ones(4).resize_as(torch.ones(2, 2))": ("non-inplace resize_as is deprecated",),
    f"F.softmax({ONES})": (DIM.format("softmax"),),
    f"[F.log_softmax({THREE}) for _ in range(2)]": (DIM.format("log_softmax"),) * 2,
    f"nn.Softmin()({IMAGE})": (DIM.format("softmin"),),
    f"F.softmax({ONES}, 1)": (),
    f"F.grid_sample({IMAGE}, torch.zeros(1, 2, 2, 2))": (CORNERS,),
    f"F.grid_sample({IMAGE}, torch.zeros(1, 2, 2, 2), align_corners=False)": (),
    "F.affine_grid(torch.ones(1, 2, 3), (1, 1, 2, 2))": (CORNERS,),
    "F.affine_grid(torch.ones(1, 2, 3), (1, 1, 1, 2), align_corners=True)": (
        "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an intended use "
        "case of affine_grid. See the documentation of affine_grid for details.",
    ),
    "F.affine_grid(torch.ones(1, 2, 3), (1, 1, 2, 2), align_corners=True)": (),
    f"F.upsample({IMAGE}, scale_factor=2)": (
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
    ),
    f"F.dropout2d({ONES})": (DROPOUT2,),
    f"F.dropout2d({ONES}, training=False)": (DROPOUT2,),
    "F.dropout2d(torch.ones(2, 3, 4), 0.0)": (AS_1D,),
    f"nn.Dropout2d().eval()({IMAGE})": (),
    "F.dropout3d(torch.ones(2, 3, 4))": (DROPOUT3,),
    "F.dropout1d(torch.ones(2, 3))": (),
    "F.embedding_bag(torch.ones(3, 2), torch.tensor([[0, 1]]))": (
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is deprecated, and should "
        "now be `embedding_bag(input, weight, ...)`.",
    ),
    "nn.modules.rnn.apply_permutation(torch.ones(2, 2), torch.tensor([1, 0]))": (
        "FutureWarning: `apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
    ),
    "nn.utils.clip_grad_norm_(iter(()), 1.0)": (),
    "nn.utils.clip_grad_norm_((p for p in ()), 1.0)": (
        "`parameters` is an empty generator, no gradient clipping will occur.",
    ),
    "torch.utils.data.ConcatDataset([[1], [2]]).cummulative_sizes": (
        "FutureWarning: `cummulative_sizes` attribute is renamed to `cumulative_sizes`",
    ),
    "list(torch.utils.data.DataLoader(torch.ones(2), pin_memory=True, pin_memory_device='cuda'))": (
        "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='cuda'.",
        "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
    ),
    "torch.utils.checkpoint.checkpoint_sequential(nn.Sequential(nn.ReLU()), 1, torch.ones(2, requires_grad=True))": (
        "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version 2.9 we will "
        "raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need to preserve the current "
        "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants.",
    ),
}  # fmt: skip
"""A call, and what it warns of; UserWarning unless another category stands before it."""


def said(torch: Any, call: str) -> tuple[str, ...]:
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(compile(call, "<user's line>", "eval"), scope)
    lines = [
        (w.filename, f"{w.category.__name__}: {w.message}".removeprefix("UserWarning: ")) for w in caught
    ]
    if torch is ours and call.startswith("F."):
        assert all(filename == "<user's line>" for filename, _ in lines), lines
    return tuple(text for _, text in lines)


@pytest.mark.parametrize("call", CASES)
def test_warns(call: str):
    if "pin_memory" in call and ours.cuda.is_available():
        pytest.skip("there is an accelerator")
    assert said(ours, call) == CASES[call]


def test_the_flags_mean_a_reduction():
    x, y = ours.tensor([1.0, 2.0]), ours.tensor([3.0, 5.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours.nn.functional.mse_loss(x, y, size_average=False).item() == 13.0
        assert ours.nn.functional.mse_loss(x, y, reduce=False).tolist() == [4.0, 9.0]
        assert ours.nn.functional.l1_loss(x, y, True, True, "none").item() == 2.5


def test_a_stream_that_is_longer_than_it_says():
    class Numbers(ours.utils.data.IterableDataset):
        def __len__(self):
            return 1

        def __iter__(self):
            return iter(range(3))

        def __repr__(self):
            return "Numbers()"

    loader = ours.utils.data.DataLoader(Numbers())
    assert len(loader) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [b.item() for b in loader] == [0, 1, 2]
    assert [str(w.message) for w in caught] == [
        f"Length of IterableDataset Numbers() was reported to be 1(when accessing len(dataloader)), but {n} samples have been fetched. "
        for n in (2, 3)
    ]


def test_flex_attention_says_once_that_return_lse_is_deprecated(monkeypatch):
    flex = sys.modules["functorch_lite.nn.attention.flex_attention"]
    monkeypatch.setattr(flex, "_said", set())
    x = ours.ones(1, 1, 2, 4)
    with pytest.warns(FutureWarning, match="return_lse is deprecated and will be removed in v2.10"):
        flex.flex_attention(x, x, x, return_lse=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flex.flex_attention(x, x, x, return_lse=True)
    with pytest.raises(ValueError, match="Cannot specify both return_lse and return_aux"):
        flex.flex_attention(x, x, x, return_lse=True, return_aux=flex.AuxRequest(lse=True))


@pytest.mark.parametrize(
    ("name", "shape", "mask"),
    [
        ("dropout1d", (6, 5), (6, 1)), ("dropout1d", (3, 6, 5), (3, 6, 1)),
        ("dropout2d", (6, 5), (6, 5)), ("dropout2d", (3, 6, 5), (3, 6, 1)), ("dropout2d", (2, 6, 2, 2), (2, 6, 1, 1)),
        ("dropout3d", (9, 5), (9, 1)), ("dropout3d", (9, 2, 2, 2), (9, 1, 1, 1)), ("dropout3d", (2, 6, 2, 2, 2), (2, 6, 1, 1, 1)),
    ],
)  # fmt: skip
def test_what_dropout_drops_as_one(name: str, shape: tuple, mask: tuple):
    ours.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = getattr(ours.nn.functional, name)(ours.ones(shape), 0.5)
    first = kept[tuple(slice(0, n) for n in mask)]
    assert first.unique().tolist() == [0.0, 2.0]
    assert kept.equal(first.expand(shape)) and first.shape == mask


@pytest.mark.parity
def test_beside_torch():
    torch = pytest.importorskip("torch")
    for call, texts in CASES.items():
        if "pin_memory" not in call or not torch.cuda.is_available():
            assert said(torch, call) == texts, call
