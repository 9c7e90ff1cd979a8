"""torch.nn.utils: vectors of parameters, clipping, fusion, memory formats, sequences, initialization by old names."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import filled, program


def net(torch):
    """Two parameters with gradients, one without."""
    module = filled(torch, torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1, bias=False)))
    for n, p in enumerate(module.parameters()):
        p.grad = None if n == 1 else torch.ones_like(p) * (n + 1)
    return module


@program
def vectors(torch, log):
    u, module = torch.nn.utils, net(torch)
    vector = u.parameters_to_vector(module.parameters())
    log(vector, vector.grad_fn is None)
    u.vector_to_parameters(torch.arange(8.0), module.parameters())
    log(list(module.parameters()))
    log.attempts(
        lambda: u.vector_to_parameters([1.0], module.parameters()),
        lambda: u.vector_to_parameters(torch.arange(3.0), module.parameters()),
        lambda: u.parameters_to_vector([]),
        lambda: u.vector_to_parameters(torch.arange(9.0), module.parameters()),
    )


@program
def clipping(torch, log):
    u = torch.nn.utils
    for call in (
        lambda ps: u.clip_grad_norm_(ps, 1.0),
        lambda ps: u.clip_grad_norm_(ps, 100.0),
        lambda ps: u.clip_grad_norm_(ps, 1.0, norm_type=1),
        lambda ps: u.clip_grad_norm_(ps, 1.0, float("inf"), foreach=False),
        lambda ps: u.clip_grad_norm_(ps[0], 1.0, 2, True),
        lambda ps: u.clip_grad_norm_([], 1.0),
        lambda ps: u.clip_grad_norm(ps, 1.0),
        lambda ps: u.clip_grad_norm_(ps, 0.0),
        lambda ps: u.clip_grad_norm_(ps, "1"),
        lambda ps: u.clip_grad_value_(ps, 1.5),
        lambda ps: u.clip_grad_value_(ps[2], 0.5),
        lambda ps: u.get_total_norm([p.grad for p in ps if p.grad is not None]),
        lambda ps: u.get_total_norm([p.grad for p in ps if p.grad is not None], float("inf")),
        lambda ps: u.get_total_norm([]),
        lambda ps: u.clip_grads_with_norm_(ps, 2.0, torch.tensor(4.0)),
    ):
        parameters = list(net(torch).parameters())
        log.attempt(lambda: call(parameters))
        log([p.grad for p in parameters])
    parameters[0].grad.fill_(float("nan"))
    log.attempt(lambda: u.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True))
    log.attempt(lambda: u.clip_grad_norm_(iter(parameters), 1.0).isnan())


@program
def fusion(torch, log):
    nn, fusion = torch.nn, torch.nn.utils.fusion
    for layer, norm, fuse, shape in (
        (nn.Conv1d(2, 2, 2), nn.BatchNorm1d(2), fusion.fuse_conv_bn_eval, (1, 2, 3)),
        (
            nn.Conv2d(1, 2, 2, bias=False),
            nn.BatchNorm2d(2, affine=False),
            fusion.fuse_conv_bn_eval,
            (1, 1, 3, 3),
        ),
        (nn.Linear(2, 2), nn.BatchNorm1d(2), fusion.fuse_linear_bn_eval, (2, 2)),
        (nn.Linear(2, 2, bias=False), nn.BatchNorm1d(1), fusion.fuse_linear_bn_eval, (2, 2)),
        (nn.Linear(2, 2), nn.BatchNorm1d(3), fusion.fuse_linear_bn_eval, (2, 2)),
    ):
        layer, norm = filled(torch, layer).double(), filled(torch, norm).double()
        norm.running_mean.fill_(0.5)
        norm.running_var.fill_(2.0)
        log.attempt(lambda: fuse(layer, norm))
        layer.eval(), norm.eval()
        fused = log.attempt(lambda: fuse(layer, norm))
        if fused is not None:
            log(list(fused.named_parameters()), fused is layer, fused.training)
            log.attempt(lambda: fused(torch.ones(shape).double()))
    layer = nn.ConvTranspose1d(1, 2, 2).eval()
    log(fusion.fuse_conv_bn_eval(filled(torch, layer), nn.BatchNorm1d(2).eval(), transpose=True).weight)
    ones = torch.ones(2)
    weight, bias = fusion.fuse_conv_bn_weights(torch.ones(2, 1, 1), None, ones, ones * 3, 1e-5, None, None)
    log(weight, bias)
    log(*fusion.fuse_linear_bn_weights(torch.ones(2, 1), ones, ones, ones * 3, 1e-5, ones * 2, ones))


@program
def memory_formats(torch, log):
    u = torch.nn.utils
    module = filled(torch, torch.nn.Sequential(torch.nn.Conv2d(2, 1, 2), torch.nn.Linear(1, 1)))
    log(u.convert_conv2d_weight_memory_format(module, torch.channels_last) is module, module[0].weight)
    log(u.convert_conv3d_weight_memory_format(module, torch.channels_last_3d) is module)
    log(list(module.state_dict()))


@program
def without_initialization(torch, log):
    made = torch.nn.utils.skip_init(torch.nn.Linear, 2, 3, bias=False, dtype=torch.float64)
    log(made, made.weight.shape, str(made.weight.dtype), made.weight.requires_grad, made.weight.device.type)
    log.attempts(
        lambda: torch.nn.utils.skip_init(torch.nn.ReLU),
        lambda: torch.nn.utils.skip_init(dict),
    )


@program
def sequences(torch, log):
    r = torch.nn.utils.rnn
    parts = [torch.arange(3.0), torch.arange(1.0), torch.arange(2.0)]
    padded = r.pad_sequence(parts, batch_first=True, padding_value=-1.0)
    log(padded, r.pad_sequence(parts, padding_side="left"))
    log(r.unpad_sequence(padded, torch.tensor([3, 1, 2]), batch_first=True))
    log(r.unpad_sequence(padded.t(), torch.tensor([3, 1, 2])))
    log(r.invert_permutation(torch.tensor([2, 0, 1])), r.invert_permutation(None))
    packed = r.pack_sequence(parts, enforce_sorted=False)
    log(packed, r.unpack_sequence(packed), packed.is_cuda, packed.to(torch.float64).data)
    log(r.pad_packed_sequence(packed, True, 7.0, 4))
    log.attempts(
        lambda: r.pack_sequence(parts),
        lambda: r.pack_padded_sequence(padded, [3, 1], batch_first=True),
        lambda: r.pack_padded_sequence(padded, [3, 0, 1], batch_first=True, enforce_sorted=False),
        lambda: r.pad_packed_sequence(packed, total_length=2),
        lambda: r.pad_sequence([]),
        lambda: r.pad_sequence(parts, padding_side="up"),
        lambda: r.pad_sequence(3),
    )


@program
def old_names_of_initializers(torch, log):
    for name in (
        "constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal", "sparse", "uniform", "xavier_normal",
        "xavier_uniform",
    ):  # fmt: skip
        given = {"constant": (0.5,), "sparse": (0.5,)}.get(name, ())
        t = torch.zeros(3, 4) if name != "dirac" else torch.zeros(2, 2, 3)
        log.attempt(lambda: getattr(torch.nn.init, name)(t, *given).shape)
        log((t != 0).sum())


@program
def batch_norm_of_several_devices(torch, log):
    nn = torch.nn
    module = nn.Sequential(
        nn.BatchNorm1d(2, momentum=None),
        nn.Sequential(nn.BatchNorm2d(3, affine=False)),
        nn.ReLU(),
        nn.BatchNorm1d(1).eval(),
    )
    weight = module[0].weight
    made = nn.SyncBatchNorm.convert_sync_batchnorm(module)
    log(made, made is module, made[0].weight is weight, made[3].training, list(made.state_dict()))
    log(type(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm3d(1))).__name__)
    with torch.no_grad():
        log.attempt(lambda: made[0].eval()(torch.ones(2, 2)))


@program
def sizes_and_prefixes(torch, log):
    u = torch.nn.modules.utils
    log(
        [f(3) for f in (u._single, u._pair, u._triple, u._quadruple)],
        u._pair([1, 2]),
        u._pair((5,)),
        u._triple(None),
        u._pair.__name__,
    )
    state = torch.nn.Sequential(torch.nn.Sequential(filled(torch, torch.nn.Linear(1, 1)))).state_dict()
    u.consume_prefix_in_state_dict_if_present(state, "0.")
    log(list(state), sorted(state._metadata))
    plain = {"a.b": 1, "b": 2}
    log(u.consume_prefix_in_state_dict_if_present(plain, "a."), plain)
