"""torch.hub without the network: repositories in a local folder, and files of weights that have been put into
PyTorch's cache folder."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import urlparse

from .api_names import listed, lookup_of
from .serialization import load as _load

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]
__dir__ = listed(__name__)

_NO_NETWORK = "torch.hub.{}: nothing is downloaded here. {}"
_folder: Path | None = None

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""The beginning of the SHA-256 that names of files of weights end with."""


def get_dir() -> str:
    """Returns the folder of repositories and weights: what `set_dir` said, or TORCH_HOME/hub, or
    XDG_CACHE_HOME/torch/hub, or ~/.cache/torch/hub."""
    if _folder is not None:
        return str(_folder)
    return os.path.join(_get_torch_home(), "hub")


def _get_torch_home() -> str:
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: Any) -> None:
    """Sets that folder."""
    global _folder
    _folder = Path(os.path.expanduser(d))


def _module(repo_or_dir: str, source: str, who: str) -> ModuleType:
    """The hubconf.py of a folder."""
    if source.lower() not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = os.path.expanduser(repo_or_dir)
    if source.lower() == "github":
        owner_name, _, branch = repo_or_dir.partition(":")
        folder = os.path.join(get_dir(), owner_name.replace("/", "_") + "_" + (branch or "main"))
        if not os.path.isdir(folder):
            raise NotImplementedError(
                _NO_NETWORK.format(
                    who,
                    f"Clone https://github.com/{owner_name} into {folder}, or anywhere and give source='local'",
                )
            )
    path = os.path.join(folder, "hubconf.py")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"[Errno 2] No such file or directory: '{path}'")
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location("hubconf", path)
        module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    finally:
        sys.path.remove(folder)
    for name in getattr(module, "dependencies", ()):
        if importlib.util.find_spec(name) is None:
            raise RuntimeError(f"Missing dependencies: {name}")
    return module


def _entry(module: ModuleType, name: str) -> Any:
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(module, name, None)
    if found is None or not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = None,
    verbose: bool = True,
    source: str = "github",
):
    """The names of a repository's entry points: the functions of its hubconf.py."""
    module = _module(github, source, "list")
    return [n for n, x in vars(module).items() if callable(x) and not n.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = None,
    source: str = "github",
) -> str:
    """The docstring of an entry point."""
    return _entry(_module(github, source, "help"), model).__doc__


def load(
    repo_or_dir: str, model: str, *args: Any, source: str = "github", trust_repo: Any = None, force_reload: bool = False, verbose: bool = True,
    skip_validation: bool = False, **kwargs: Any,
) -> Any:  # fmt: skip
    """Calls an entry point of a repository's hubconf.py with these arguments. The repository is a folder
    (source="local"), or one of GitHub's that is in `get_dir()` already; another raises NotImplementedError, which says
    what to do."""
    return _entry(_module(repo_or_dir, source, "load"), model)(*args, **kwargs)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False, file_name: str | None = None,
    weights_only: bool = True,
) -> Any:  # fmt: skip
    """Loads the file of this name if it is in `model_dir` (by default `get_dir()`/checkpoints); otherwise raises
    NotImplementedError."""
    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    path = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(path):
        raise NotImplementedError(
            _NO_NETWORK.format("load_state_dict_from_url", f"Download {url} to {path}, and call again")
        )
    return _load(path, map_location=map_location, weights_only=weights_only)


load_url = load_state_dict_from_url  # torch.utils.model_zoo's name of it


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_NO_NETWORK.format("download_url_to_file", f"Download {url} to {dst} yourself"))


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # the progress bar's, which packages take from here
        from tqdm import tqdm

        return tqdm
    return _lookup(name)


_lookup = lookup_of(__name__)
