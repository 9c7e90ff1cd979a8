"""The drop-in namespace: `import torch` gives the library. Each test is a process of its own, as sys.modules is at
stake."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from tests.support.processes import python


def check(code: str) -> None:
    done = python("-c", textwrap.dedent(code))
    assert done.returncode == 0, done.stderr


def test_names_are_torchs_and_objects_are_ours():
    check("""
        import functorch_lite, sys
        from functorch_lite.compat import install_as_torch, is_installed
        assert not is_installed() and "torch" not in sys.modules
        installed = install_as_torch()
        assert install_as_torch() is installed and is_installed()
        import torch, functorch, importlib.util
        import torch.nn as nn
        import torch.nn.functional as F
        import torch.optim.lr_scheduler
        import torch.utils.data
        import torch.linalg, torch.random, torch.cuda, torch.func, torch.autograd
        from torch import Tensor, optim
        from torch.optim.sgd import SGD
        from torch.optim.radam import RAdam
        from torch.distributions.normal import Normal
        from torch.utils.data.distributed import DistributedSampler
        from torch.utils.dlpack import from_dlpack, to_dlpack
        from torch.nn.common_types import _size_2_t
        from torch.autograd.variable import Variable
        from torch.utils.data import DataLoader, TensorDataset
        from functorch import vmap, make_functional, combine_state_for_ensemble
        assert torch is installed is sys.modules["torch"] and torch.nn is nn and nn.functional is F
        assert torch.__version__ == "2.13.0" and torch.__name__ == "torch" and F.__name__ == "torch.nn.functional"
        for name in ("torch", "torch.nn", "torch.nn.functional", "torch.optim.lr_scheduler", "functorch"):
            assert sys.modules[name].__spec__.name == name == importlib.util.find_spec(name).name
        assert Tensor is functorch_lite.Tensor and nn.Linear is functorch_lite.nn.Linear and SGD is optim.SGD
        assert isinstance(torch.ones(2), torch.Tensor) and torch.float32 is functorch_lite.float32
        assert vmap.__wrapped__ is torch.func.vmap is torch.vmap  # functorch's says where it is now
        assert not torch.cuda.is_available() or torch.cuda.device_count()
        assert {"sin", "nn", "Tensor"} <= set(dir(torch)) and "sin" in torch.__all__
        space = {}
        exec("from torch import *", space)
        assert space["ones"] is torch.ones
    """)


def test_metadata_tells_of_torch():
    check("""
        import importlib.metadata as metadata
        from functorch_lite.compat import install_as_torch
        torch = install_as_torch()
        assert metadata.version("torch") == torch.__version__ and metadata.metadata("torch")["Name"] == "torch"
        assert [d.version for d in metadata.distributions()][0] == torch.__version__
        assert metadata.version("numpy") and not list(metadata.distributions(path=["nowhere"]))
        try:
            metadata.version("no-such-package")
        except metadata.PackageNotFoundError:
            pass
        else:
            raise AssertionError("a package that is not there")
    """)


def test_what_is_missing_says_what_is_there():
    check("""
        from functorch_lite.compat import install_as_torch
        torch = install_as_torch()
        def failure(fn):
            try:
                fn()
            except (ImportError, AttributeError) as error:
                return error
        def of_import(name):
            error = failure(lambda: __import__(name))
            assert isinstance(error, ModuleNotFoundError) and error.name == name
            return str(error)
        assert "'torch.linalg'" in of_import("torch.linal")
        assert "'torch.nn.functional'" in of_import("torch.nn.functionals")
        assert "public functions" in of_import("torch._C._lazy")
        assert "No module named 'torch.debug'" in of_import("torch.debug")  # ours, not torch's
        assert "No module named 'functorch.dims'" in of_import("functorch.dims")
        error = failure(lambda: torch.randnn)
        assert isinstance(error, AttributeError) and "has no attribute 'randnn'" in str(error) and "'randn'" in str(error)
        assert torch.ops.aten.add.overloads() and not hasattr(torch, "_core")
        try:
            from torch import nothing_like_it
        except ImportError:
            pass
        else:
            raise SystemExit("imported")
    """)


def test_a_setting_or_a_patch_reaches_the_library():
    check("""
        import functorch_lite
        from functorch_lite.compat import install_as_torch
        torch = install_as_torch()
        import torch.nn.functional as F
        F.relu = lambda x: x
        assert functorch_lite.nn.functional.relu is F.relu
        torch.linalg.mine = 3
        assert functorch_lite.linalg.mine == torch.linalg.mine == 3
        functorch_lite.linalg.mine = 4
        assert torch.linalg.mine == 4
    """)


def test_refuses_when_pytorch_is_imported(tmp_path):
    (tmp_path / "torch.py").write_text("__version__ = 'real'\n")
    check(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import torch
        from functorch_lite.compat import install_as_torch
        try:
            install_as_torch()
        except RuntimeError as error:
            assert "before anything imports torch" in str(error) and "torch.py" in str(error), error
        else:
            raise SystemExit("installed over PyTorch")
        assert torch.__version__ == "real"
    """)


def test_comes_before_an_installed_pytorch(tmp_path):
    (tmp_path / "torch.py").write_text("raise SystemExit('the real one was imported')\n")
    check(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from functorch_lite.compat import install_as_torch
        install_as_torch()
        import torch
        assert torch.ones(2).sum().item() == 2
    """)


SCRIPT = """
import argparse
import sys
import torch
from helper_beside_the_script import double

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int)
parser.add_argument("--fail", action="store_true")
args = parser.parse_args()

def broken():
    return torch.ones(2, 3) @ torch.ones(2, 3)

if __name__ == "__main__":
    print("sum", double(torch.ones(args.n)).sum().item(), sys.argv[1:], __file__)
    if args.fail:
        broken()
    sys.exit(7)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    (tmp_path / "helper_beside_the_script.py").write_text("def double(x):\n    return x * 2\n")
    return path


def compat(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "functorch_lite.compat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_runs_an_unmodified_script(script):
    done = compat(script, "--n", "3")
    assert done.returncode == 7, done.stderr
    assert done.stdout == f"sum 6.0 ['--n', '3'] {script}\n"


def test_a_traceback_shows_the_script_only(script):
    done = compat(script, "--n", "3", "--fail")
    assert done.returncode == 1
    files = [line.split('"')[1] for line in done.stderr.splitlines() if line.startswith("  File")]
    assert files[:2] == [str(script)] * 2
    assert "runpy" not in done.stderr and "compat" not in done.stderr
    assert "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_script_shows_its_own_lines(tmp_path):
    path = tmp_path / "long.py"
    path.write_text("import os, signal, time\n\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n")
    done, plain = compat(path), subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.stderr == plain.stderr and done.stderr.count("  File") == 1
    assert done.returncode in (plain.returncode, 130)


def test_the_package_lists_what_it_exports():
    from functorch_lite import compat

    assert {n for n in dir(compat) if n[0] != "_"} == {*compat.__all__, "flax", "pytorch"}


def test_usage(tmp_path):
    def compat(*arguments):
        return python("-m", "functorch_lite.compat", *map(str, arguments))

    assert compat().returncode == 2
    assert "usage" in compat("--help").stdout
    assert "no such file" in compat(tmp_path / "absent.py").stderr
