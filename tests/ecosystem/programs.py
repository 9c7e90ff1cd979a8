"""A smoke program for each package, or `package model`: it runs on the drop-in `torch`, and asserts what it claims."""

PROGRAMS: dict[str, str] = {
    "einops": """
        import torch
        from einops import rearrange, reduce, einsum
        from einops.layers.torch import Rearrange
        x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
        assert rearrange(x, "a b c -> b (a c)").shape == (3, 8)
        reduce(x, "a b c -> a", "max").sum().backward()
        assert x.grad.sum() == 2
        assert torch.equal(Rearrange("a b c -> a (b c)")(x), x.reshape(2, 12))
        assert torch.allclose(einsum(x, x, "a b c, a b c -> "), (x * x).sum())
    """,
    "torchdiffeq": """
        import torch
        from torchdiffeq import odeint, odeint_adjoint
        k = torch.tensor(0.5, requires_grad=True)
        with torch.no_grad():
            y = odeint(lambda t, y: -k * y, torch.ones(1), torch.linspace(0, 1, 3), method="dopri5", rtol=1e-6, atol=1e-8)
        assert torch.allclose(y[-1], torch.exp(-k), atol=1e-5)
        for method in ("rk4", "dopri5"):
            k.grad = None
            y = odeint(lambda t, y: -k * y, torch.ones(1), torch.linspace(0, 1, 21), method=method)
            y[-1].sum().backward()
            assert torch.allclose(k.grad, -torch.exp(-k), atol=1e-4)
        class Field(torch.nn.Module):
            def __init__(self, f):
                super().__init__()
                self.f = f
            def forward(self, t, y):
                return self.f(y)
        f = torch.nn.Linear(2, 2)
        grads = []
        for solve in (odeint, odeint_adjoint):
            f.zero_grad()
            solve(Field(f), torch.ones(2), torch.linspace(0, 1, 3))[-1].sum().backward()
            grads.append(f.weight.grad.clone())
        assert torch.allclose(*grads, atol=1e-3), grads
    """,
    "torchmetrics": """
        import torch
        from torchmetrics.classification import MulticlassAccuracy
        from torchmetrics import MeanSquaredError
        metric = MulticlassAccuracy(num_classes=3, average="micro")
        metric.update(torch.tensor([0, 1, 2, 2]), torch.tensor([0, 1, 1, 2]))
        assert metric.compute() == 0.75
        assert MeanSquaredError()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])) == 2.0
    """,
    "gpytorch": """
        import torch, gpytorch
        class Model(gpytorch.models.ExactGP):
            def __init__(self, x, y, likelihood):
                super().__init__(x, y, likelihood)
                self.mean_module = gpytorch.means.ConstantMean()
                self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))
        x = torch.linspace(0, 1, 10)
        y = torch.sin(6 * x)
        likelihood = gpytorch.likelihoods.GaussianLikelihood()
        model = Model(x, y, likelihood)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        losses = []
        for _ in range(5):
            optimizer.zero_grad()
            loss = -mll(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0], losses
        model.eval(), likelihood.eval()
        with torch.no_grad():
            assert likelihood(model(x)).mean.shape == (10,)
    """,
    "botorch": """
        import torch
        from botorch.acquisition import qExpectedImprovement
        from botorch.models import SingleTaskGP
        x = torch.rand(6, 2, dtype=torch.float64)
        model = SingleTaskGP(x, (x.sum(-1, keepdim=True)).sin())
        value = qExpectedImprovement(model, best_f=0.5)(torch.rand(3, 1, 2, dtype=torch.float64))
        assert value.shape == (3,) and (value >= 0).all()
    """,
    "pyro": """
        import torch, pyro, pyro.distributions as dist
        from pyro.infer import SVI, Trace_ELBO
        from pyro.infer.autoguide import AutoNormal
        def model(y):
            mean = pyro.sample("mean", dist.Normal(0.0, 10.0))
            with pyro.plate("data", len(y)):
                pyro.sample("y", dist.Normal(mean, 1.0), obs=y)
        pyro.set_rng_seed(0)
        guide = AutoNormal(model)
        svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.1}), Trace_ELBO())
        y = torch.tensor([2.0, 3.0, 4.0])
        losses = [svi.step(y) for _ in range(40)]
        assert sum(losses[-5:]) < sum(losses[:5]), losses
    """,
    "opacus": """
        import torch
        from opacus import PrivacyEngine
        from torch.utils.data import DataLoader, TensorDataset
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(2, (32,))), batch_size=8)
        model, optimizer, loader = PrivacyEngine().make_private(
            module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0
        )
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    """,
    "curvlinops": """
        import torch
        from curvlinops import HessianLinearOperator
        model = torch.nn.Linear(3, 1)
        params = [p for p in model.parameters()]
        data = [(torch.randn(5, 3), torch.randn(5, 1))]
        H = HessianLinearOperator(model, torch.nn.MSELoss(), params, data)
        v = torch.randn(H.shape[1])
        x = torch.cat([data[0][0], torch.ones(5, 1)], 1)
        assert torch.allclose(H @ v, 2 * x.T @ x @ v / 5, atol=1e-4)
    """,
    "laplace": """
        import torch
        from laplace import Laplace
        from torch.utils.data import DataLoader, TensorDataset
        model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        la = Laplace(model, "regression", subset_of_weights="last_layer", hessian_structure="full")
        la.fit(DataLoader(TensorDataset(torch.randn(8, 2), torch.randn(8, 1)), batch_size=4))
        mean, variance = la(torch.randn(3, 2))
        assert mean.shape == (3, 1) and (variance > 0).all()
    """,
    "lightning": """
        import torch
        from lightning.fabric import Fabric
        fabric = Fabric(accelerator="cpu", devices=1)
        model = torch.nn.Linear(2, 1)
        model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
        loss = model(torch.ones(4, 2)).square().mean()
        fabric.backward(loss)
        before = model.weight.detach().clone()
        optimizer.step()
        assert not torch.equal(before, model.weight)
    """,
    "accelerate": """
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader, TensorDataset
        accelerator = Accelerator(cpu=True)
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = DataLoader(TensorDataset(torch.randn(8, 2)), batch_size=4)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for (x,) in loader:
            optimizer.zero_grad()
            accelerator.backward(model(x).square().mean())
            optimizer.step()
    """,
    "skorch": """
        import numpy as np, torch
        from skorch import NeuralNetClassifier
        x = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
        y = (x[:, 0] > 0).astype(np.int64)
        torch.manual_seed(0)
        net = NeuralNetClassifier(
            torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)),
            criterion=torch.nn.CrossEntropyLoss, max_epochs=20, lr=0.5, verbose=0,
        )
        net.fit(x, y)
        assert net.score(x, y) > 0.8
    """,
    "ignite": """
        import torch
        from ignite.engine import Events, create_supervised_trainer
        model = torch.nn.Linear(2, 1)
        trainer = create_supervised_trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), torch.nn.MSELoss())
        losses = []
        trainer.on(Events.ITERATION_COMPLETED)(lambda engine: losses.append(engine.state.output))
        trainer.run([(torch.ones(4, 2), torch.ones(4, 1))] * 5, max_epochs=2)
        assert len(losses) == 10 and losses[-1] < losses[0]
    """,
    "tensordict": """
        import torch
        from tensordict import TensorDict
        td = TensorDict({"a": torch.ones(3, 2), "b": {"c": torch.zeros(3)}}, batch_size=[3])
        assert td[0]["a"].shape == (2,) and torch.stack([td, td]).batch_size == (2, 3)
    """,
    "higher": """
        import torch, higher
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.ones(4, 2), torch.ones(4, 1)
        with higher.innerloop_ctx(model, optimizer, copy_initial_weights=False) as (fast, inner):
            inner.step((fast(x) - y).square().mean())
            (fast(x) - y).square().mean().backward()
        assert model.weight.grad.abs().sum() > 0
    """,
    "torchopt": """
        import torch, torchopt
        params = {"w": torch.ones(3, requires_grad=True)}
        optimizer = torchopt.adam(lr=0.1)
        state = optimizer.init(params)
        grads = torch.autograd.grad((params["w"] ** 2).sum(), list(params.values()))
        updates, state = optimizer.update({"w": grads[0]}, state)
        assert torch.allclose(torchopt.apply_updates(params, updates)["w"], torch.full((3,), 0.9), atol=1e-5)
    """,
    "kornia": """
        import torch, kornia
        image = torch.rand(1, 3, 8, 8)
        assert kornia.color.rgb_to_grayscale(image).shape == (1, 1, 8, 8)
        assert kornia.filters.gaussian_blur2d(image, (3, 3), (1.0, 1.0)).shape == image.shape
    """,
    "captum": """
        import torch
        from captum.attr import IntegratedGradients
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
        x = torch.rand(2, 3)
        attributions, delta = IntegratedGradients(model).attribute(x, target=1, return_convergence_delta=True)
        assert attributions.shape == x.shape and delta.abs().max() < 1e-2
    """,
    "zuko": """
        import torch, zuko
        flow = zuko.flows.NSF(2, transforms=1, hidden_features=(16,))
        loss = -flow().log_prob(torch.randn(8, 2)).mean()
        loss.backward()
        assert flow().sample((4,)).shape == (4, 2) and all(p.grad is not None for p in flow.parameters())
    """,
    "e3nn": """
        import torch
        from e3nn import o3
        x = torch.randn(5, 3)
        R = o3.rand_matrix()
        D = o3.Irreps("1x0e + 1x1o + 1x2e").D_from_matrix(R)
        sh = lambda x: o3.spherical_harmonics([0, 1, 2], x, True)
        assert torch.allclose(sh(x @ R.T), sh(x) @ D.T, atol=1e-4)
    """,
    "safetensors": """
        import os, tempfile, torch
        from safetensors import safe_open
        from safetensors.torch import load_file, load_model, save_file, save_model
        from transformers import BertConfig, BertModel
        folder = tempfile.mkdtemp()
        saved = {"a": torch.arange(4.), "b": torch.ones(2, 3).bool(), "c": torch.randn(5).bfloat16(), "d": torch.empty(0, 3), "e": torch.ones(2, 2) @ torch.ones(2, 2)}
        save_file(saved, folder + "/x")
        read = load_file(folder + "/x")
        assert all(torch.equal(read[k], v) for k, v in saved.items())
        save_file(read, folder + "/y")
        assert open(folder + "/x", "rb").read() == open(folder + "/y", "rb").read()
        with safe_open(folder + "/x", "pt") as f:
            assert f.get_slice("a")[1:3].tolist() == [1, 2]
        tied = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
        tied[1].weight = tied[0].weight
        save_model(tied, folder + "/m")
        load_model(tied, folder + "/m")
        model = BertModel(BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))
        model.save_pretrained(folder + "/parts", max_shard_size="10KB")
        assert len(os.listdir(folder + "/parts")) > 3
        again = BertModel.from_pretrained(folder + "/parts").state_dict()
        assert all(torch.equal(again[k], v) for k, v in model.state_dict().items())
    """,
    "transformers gpt2": """
        import torch
        from transformers import GPT2Config, GPT2LMHeadModel
        ids = torch.randint(0, 50, (2, 6))
        model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_layer=1, n_head=2, n_embd=16))
        model(input_ids=ids, labels=ids).loss.backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert model.eval().generate(ids, max_new_tokens=3, do_sample=False, pad_token_id=0).shape == (2, 9)
    """,
    "transformers bert": """
        import torch
        from transformers import BertConfig, BertForMaskedLM
        ids = torch.randint(0, 50, (2, 6))
        model = BertForMaskedLM(BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32))
        out = model(input_ids=ids, labels=ids)
        out.loss.backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert out.logits.shape == (2, 6, 50)
    """,
    "transformers llama": """
        import torch
        from transformers import LlamaConfig, LlamaForCausalLM
        ids = torch.randint(0, 50, (2, 6))
        model = LlamaForCausalLM(LlamaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32))
        model(input_ids=ids, labels=ids).loss.backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert model.eval().generate(ids, max_new_tokens=3, do_sample=False, pad_token_id=0).shape == (2, 9)
    """,
    "transformers t5": """
        import torch
        from transformers import T5Config, T5ForConditionalGeneration
        ids = torch.randint(0, 50, (2, 6))
        model = T5ForConditionalGeneration(T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0))
        out = model(input_ids=ids, labels=ids)
        out.loss.backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert out.logits.shape == (2, 6, 50)
    """,
    "torchvision": """
        import torch
        from torchvision import models, ops, transforms
        from torchvision.transforms import v2
        model = models.resnet18(num_classes=10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        image = transforms.Compose([transforms.Resize(70), transforms.CenterCrop(64), transforms.Normalize([0.5] * 3, [0.2] * 3)])(torch.rand(2, 3, 80, 80))
        image = v2.RandomHorizontalFlip(p=1.0)(image)
        torch.nn.functional.cross_entropy(model(image), torch.tensor([1, 2])).backward()
        optimizer.step()
        boxes = torch.tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 2.0]])
        assert ops.box_iou(boxes, boxes)[0, 1] == 0.5
        ops.sigmoid_focal_loss(torch.zeros(3), torch.ones(3), reduction="mean")
        models.vit_b_16, models.convnext_tiny, models.segmentation.deeplabv3_resnet50
    """,
    **{
        f"timm {name}": f"""
            import timm, torch
            model = timm.create_model("{name}", num_classes=10)
            torch.nn.functional.cross_entropy(model(torch.randn(2, 3, 224, 224)), torch.tensor([1, 2])).backward()
            torch.optim.SGD(model.parameters(), lr=0.1).step()
        """
        for name in ("resnet18", "vit_tiny_patch16_224", "convnext_atto", "efficientnet_b0")
    },
}
