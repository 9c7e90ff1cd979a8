# Every target does its own set-up: Python 3.11 or newer and make are all a machine needs.
#   make demo       the four jobs on real data; writes report/index.html
#   make venv       .venv: the library as it is here, with what its tests need and PyTorch to compare with
#   make test       the tests (no PyTorch needed)
#   make test-newest  the tests under the newest Python there is, with the newest JAX;  make test-oldest: with the oldest versions that pyproject.toml allows
#   make parity     the tests side by side with PyTorch, which this installs;  make parity-full: the tests and parity at full length
#   make lint       format, lint, the types of the built wheel, and those that scripts of users see
#   make package    builds the sdist and the wheel, checks them, and trains with the wheel in an environment that has nothing else
#   make notebooks  runs the tutorials; python -m tests.notebooks --write stores what they print and draw
#   make ecosystem  smoke programs of public PyTorch packages, and tests of their own suites, on this library; writes docs/ecosystem.md
#   make docs       the site, in build/site; warnings and links that lead nowhere are errors.  python -m http.server -d build/site shows it
#   make bench      the benchmarks, against PyTorch and hand-written jax.jit;  make bench-smoke: a few steps of each

VENV ?= .venv
LINT_VENV ?= .venv-lint
ECOSYSTEM_VENV ?= .venv-ecosystem
ECOSYSTEM_PYTORCH_VENV ?= .venv-ecosystem-pytorch
DOCS_VENV ?= .venv-docs
NEWEST_VENV ?= .venv-newest
OLDEST_VENV ?= .venv-oldest
PACKAGE_VENV ?= .venv-package
# which tests test-newest and test-oldest run
TESTS ?= tests
PYTEST_ARGS ?= -n 2
# LLVM's optimisations take longer than the tests' programs run, and so do splitting the code for threads that are busy, and the newer emitters of
# fusions: with them, as users have it, what compiles takes half as long again (11.2 for 7.6 s of processor time). jaxlib 0.11 cannot do without, and ends a process at a flag
# that it does not know: so test-newest has them, and is run with them in .ci/run. parity, the benchmarks and the notebooks are compiled as users' are
OLDER_EMITTERS := --xla_cpu_use_fusion_emitters=false
IF_THERE = $$(JAX_PLATFORMS=cpu XLA_FLAGS=$(OLDER_EMITTERS) $(1) -c 'import jax; jax.devices()' 2>/dev/null && echo $(OLDER_EMITTERS))
QUICK_COMPILE = XLA_FLAGS="$$XLA_FLAGS --xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1 $(call IF_THERE,$(1))"
REPORT ?= report
# Python keeps what it compiles, whatever the environment says: the processes of tests and notebooks each import the library again
export PYTHONDONTWRITEBYTECODE =

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
NEWEST_PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 $$(ls -r "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python 2>/dev/null); do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$p && break; done)
PY := $(VENV)/bin/python
LINT_PY := $(LINT_VENV)/bin/python
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
TORCH := torch==2.13.0
BESIDE_TORCH := expecttest==0.3.0 'onnx>=1.18' 'onnxruntime>=1.22'

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-newest test-oldest parity parity-full bench bench-smoke lint package notebooks docs ecosystem ecosystem-choose clean

help:
	@sed -n 's/^#  *\(make .*\)/\1/p' Makefile

# -- set-up: one stamp for each extra, redone when pyproject.toml changes ------------------------------------------------

$(VENV)/.stamp-venv:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-%: pyproject.toml $(VENV)/.stamp-venv
	$(PY) $(PIP_INSTALL) --editable '.[$*]'
	@touch $@

$(NEWEST_VENV)/.stamp-newest: pyproject.toml
	@test -n "$(NEWEST_PYTHON)" || { echo "Python 3.12 or newer is needed, and none was found (set NEWEST_PYTHON=...)"; exit 1; }
	$(NEWEST_PYTHON) -m venv $(NEWEST_VENV)
	$(NEWEST_VENV)/bin/python $(PIP_INSTALL) --upgrade --editable '.[test]'
	$(NEWEST_VENV)/bin/python $(PIP_INSTALL) --upgrade --no-deps jax jaxlib
	@touch $@

$(OLDEST_VENV)/.stamp-oldest: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(OLDEST_VENV)
	$(PYTHON) -m tests.support.versions >$(OLDEST_VENV)/oldest.txt
	$(OLDEST_VENV)/bin/python $(PIP_INSTALL) --editable '.[test]' --constraint $(OLDEST_VENV)/oldest.txt
	@touch $@

# The CPU build is a tenth of the size of the one that PyPI gives on Linux: from the configured index if it is there, else PyTorch's own.
$(VENV)/.stamp-parity: pyproject.toml $(VENV)/.stamp-test
	$(PY) $(PIP_INSTALL) '$(TORCH)+cpu' $(BESIDE_TORCH) 2>/dev/null \
		|| $(PY) $(PIP_INSTALL) '$(TORCH)+cpu' $(BESIDE_TORCH) --extra-index-url https://download.pytorch.org/whl/cpu 2>/dev/null \
		|| $(PY) $(PIP_INSTALL) --editable '.[parity]'
	@touch $@

$(LINT_VENV)/.stamp-lint: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(LINT_VENV)
	$(LINT_PY) $(PIP_INSTALL) --upgrade pip setuptools wheel
	$(LINT_PY) $(PIP_INSTALL) '.[lint,demo]'
	command -v node >/dev/null || $(LINT_PY) $(PIP_INSTALL) 'pyright[nodejs]'
	@touch $@

# -- what they run -----------------------------------------------------------------------------------------------------

venv: $(VENV)/.stamp-parity

demo: $(VENV)/.stamp-demo
	$(PY) -m functorch_lite.demo --out $(REPORT)

test: $(VENV)/.stamp-test
	$(call QUICK_COMPILE,$(PY)) $(PY) -m pytest tests -m "not parity" $(PYTEST_ARGS)

test-newest: $(NEWEST_VENV)/.stamp-newest
	$(call QUICK_COMPILE,$(NEWEST_VENV)/bin/python) $(NEWEST_VENV)/bin/python -m pytest $(TESTS) -m "not parity" $(PYTEST_ARGS)

test-oldest: $(OLDEST_VENV)/.stamp-oldest
	$(call QUICK_COMPILE,$(OLDEST_VENV)/bin/python) $(OLDEST_VENV)/bin/python -m pytest $(TESTS) -m "not parity" $(PYTEST_ARGS)

parity: $(VENV)/.stamp-parity
	$(PY) -m pytest tests -m parity $(PYTEST_ARGS)

parity-full: $(VENV)/.stamp-parity
	FUNCTORCH_LITE_PARITY=full $(PY) -m pytest tests $(PYTEST_ARGS)
	$(PY) -m tests.transform_matrix --check

bench: $(VENV)/.stamp-parity
	$(PY) -m benchmarks

bench-smoke: $(VENV)/.stamp-parity
	$(PY) -m benchmarks --smoke

notebooks: $(VENV)/.stamp-notebooks $(VENV)/.stamp-demo
	$(PY) -m tests.notebooks

$(DOCS_VENV)/.stamp-docs: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python $(PIP_INSTALL) --editable '.[docs]'
	@touch $@

docs: $(DOCS_VENV)/.stamp-docs
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/python -m mkdocs build --strict

# Packages of others, each without its dependencies: some name PyTorch among them, which must not be there.
SUITES := tests/ecosystem/suites/requirements.txt
$(ECOSYSTEM_VENV)/.stamp-ecosystem: pyproject.toml tests/ecosystem/requirements.txt $(SUITES)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(ECOSYSTEM_VENV)
	$(ECOSYSTEM_VENV)/bin/python $(PIP_INSTALL) --editable '.[demo]'
	$(ECOSYSTEM_VENV)/bin/python $(PIP_INSTALL) --no-deps -r tests/ecosystem/requirements.txt
	$(ECOSYSTEM_VENV)/bin/python $(PIP_INSTALL) -r $(SUITES)
	@touch $@

# The same with PyTorch, to choose which tests of the suites run: those that pass under it.
$(ECOSYSTEM_PYTORCH_VENV)/.stamp-ecosystem: $(ECOSYSTEM_VENV)/.stamp-ecosystem
	$(PYTHON) -m venv $(ECOSYSTEM_PYTORCH_VENV)
	$(ECOSYSTEM_PYTORCH_VENV)/bin/python $(PIP_INSTALL) '$(TORCH)+cpu' 2>/dev/null \
		|| $(ECOSYSTEM_PYTORCH_VENV)/bin/python $(PIP_INSTALL) '$(TORCH)' --extra-index-url https://download.pytorch.org/whl/cpu
	$(ECOSYSTEM_PYTORCH_VENV)/bin/python $(PIP_INSTALL) --editable '.[demo]'
	$(ECOSYSTEM_PYTORCH_VENV)/bin/python $(PIP_INSTALL) --no-deps -r tests/ecosystem/requirements.txt
	$(ECOSYSTEM_PYTORCH_VENV)/bin/python $(PIP_INSTALL) -r $(SUITES)
	@touch $@

ecosystem: $(ECOSYSTEM_VENV)/.stamp-ecosystem
	$(ECOSYSTEM_VENV)/bin/python -m tests.ecosystem --write docs/ecosystem.md
	$(ECOSYSTEM_VENV)/bin/python -m tests.ecosystem.suites --page docs/ecosystem.md

ecosystem-choose: $(ECOSYSTEM_PYTORCH_VENV)/.stamp-ecosystem
	$(ECOSYSTEM_VENV)/bin/python -m tests.ecosystem.suites --write --pytorch $(ECOSYSTEM_PYTORCH_VENV)/bin/python

# The types are checked on the wheel as users get it, unpacked in build/wheel, away from the sources; and on scripts of users (tests/typed), for whom
# it is installed, first as a wheel, then as `pip install -e .` does: of what lies elsewhere checkers take more for public.
SCRIPTS_OF_USERS = $(LINT_PY) -m pyright --project tests/typed --pythonpath $(LINT_PY) && cd tests/typed \
	&& $(abspath $(LINT_PY)) -m mypy --no-incremental --python-version 3.11 --ignore-missing-imports --follow-imports=silent .
lint: $(LINT_VENV)/.stamp-lint
	$(LINT_PY) -m ruff format --check .
	$(LINT_PY) -m ruff check .
	rm -rf build dist && $(LINT_PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(LINT_PY) $(PIP_INSTALL) --no-deps --target build/wheel dist/*.whl
	$(LINT_PY) $(PIP_INSTALL) --no-deps --force-reinstall dist/*.whl
	cp pyproject.toml build/wheel/
	$(LINT_PY) -m pyright --project build/wheel --pythonpath $(LINT_PY)
	$(SCRIPTS_OF_USERS)
	$(LINT_PY) $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	$(SCRIPTS_OF_USERS)

# without flax, which may be left out; away from the sources, which would be found first
package: $(LINT_VENV)/.stamp-lint
	rm -rf build/package && $(LINT_PY) -m build --no-isolation --outdir build/package . >/dev/null
	$(LINT_PY) -m twine check --strict build/package/*
	$(PYTHON) -m venv --clear $(PACKAGE_VENV)
	$(PACKAGE_VENV)/bin/python $(PIP_INSTALL) build/package/*.whl
	$(PACKAGE_VENV)/bin/python -I tests/installed.py

clean:
	rm -rf build dist $(REPORT) *.egg-info $(VENV) $(LINT_VENV) $(ECOSYSTEM_VENV) $(ECOSYSTEM_PYTORCH_VENV) $(DOCS_VENV) $(NEWEST_VENV) $(OLDEST_VENV) $(PACKAGE_VENV) .cache
