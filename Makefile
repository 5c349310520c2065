# Everything a fresh machine needs, from Python >= 3.10 and cargo alone.
#
#   make demo    the live demo on sample model outputs
#   make test    the Rust tests, then the Python tests
#   make engines what the tests of constrained decoding sample from: no models, no torch
#   make lint    formatting, lints, imports, types
#   make diagram the diagram of states in ARCHITECTURE.md
#   make tables  the tables of README.md, from the package
#   make bench   the benchmarks
#   make dist    a wheel and an sdist in dist/
#   make check-dist   their metadata, ABI and contents; the sdist, built and tried out
#   make test-dist    the Python tests against the wheel
#
# The set-up is two stamp files in .venv: the tools, and the built package. A change in rust/ or
# in pyproject.toml builds again; Python sources are installed as links and need no build.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := $(VENV)/.tools-installed
BUILT := $(VENV)/.package-built

# Where a wheel and an sdist are installed, each away from the checkout's own environment.
WHEEL_ENV := build/wheel-env
SDIST_ENV := build/sdist-env
SDIST_TREE := build/sdist

RUST_SOURCES := $(shell find rust -name target -prune -o \
    \( -name '*.rs' -o -name 'Cargo.toml' \) -print 2>/dev/null)

# The interpreter that the extension is built for, also for plain cargo commands.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# maturin installs into the environment named here, whatever the caller has activated.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX PYTHONHOME
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo engines test test-rust test-python lint lint-rust lint-imports lint-python \
    lint-workflows diagram tables bench \
    dist check-dist test-dist clean

help:
	@sed -n 's/^#   //p' Makefile

$(TOOLS):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	    || { echo "toolspeak needs Python >= 3.10 ($(PYTHON) is older); set PYTHON=..." >&2; exit 1; }
	@command -v cargo >/dev/null \
	    || { echo "toolspeak needs cargo: https://rustup.rs" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install 'maturin>=1.9.4,<2'
	@touch $@

$(BUILT): $(TOOLS) pyproject.toml Cargo.toml $(wildcard Cargo.lock) $(RUST_SOURCES)
	$(BIN)/maturin develop --quiet --release --extras dev
	@touch $@

setup: $(BUILT)

demo: $(BUILT)
	@$(BIN)/python examples/demo.py

# The engines declare torch and transformers, which they import for names alone: tests/engines.py.
# transformers itself is here for its response templates, which need no torch either.
engines: $(BUILT)
	$(BIN)/python -m pip install --no-deps xgrammar==0.2.9 xllamacpp==2026.10.11549
	$(BIN)/python -m pip install llguidance==1.9.1 'apache-tvm-ffi>=0.1.15,<0.2' numpy
	$(BIN)/python -m pip install --no-deps transformers==5.25.0
	$(BIN)/python -m pip install huggingface-hub regex safetensors tokenizers tqdm

test: test-rust test-python

test-rust: $(TOOLS)
	cargo test --workspace --quiet

test-python: $(BUILT) | test-rust
	$(BIN)/python -m pytest

lint: lint-rust lint-imports lint-python lint-workflows

lint-rust: $(TOOLS)
	cargo fmt --all --check
	cargo fmt --manifest-path rust/fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

# cargo-modules tells which modules use which; it takes minutes to build, once.
CARGO_MODULES := $(VENV)/cargo/bin/cargo-modules

$(CARGO_MODULES): | $(TOOLS)
	cargo install --quiet --locked --root $(VENV)/cargo --version 0.27.0 cargo-modules

lint-imports: $(BUILT) $(CARGO_MODULES)
	PATH="$(dir $(abspath $(CARGO_MODULES))):$$PATH" \
	    $(BIN)/python .ci/rust_modules.py toolspeak toolspeak-python
	$(BIN)/lint-imports --no-cache
	$(BIN)/python .ci/diagram.py

diagram: $(BUILT)
	$(BIN)/python .ci/diagram.py --write

lint-python: $(BUILT)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy benches
	$(BIN)/python -m mypy.stubtest toolspeak._core

lint-workflows: $(BUILT)
	$(BIN)/python -m pip install check-jsonschema zizmor
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --quiet --offline --pedantic .github

tables: $(BUILT)
	$(BIN)/python .ci/tables.py

bench: $(BUILT)
	$(BIN)/python -m pytest benches --benchmark-enable --benchmark-only
	cargo bench -p toolspeak

dist: $(BUILT)
	rm -rf dist
	$(BIN)/maturin build --quiet --release --locked --out dist
	$(BIN)/maturin sdist --out dist

# The sdist is built as pip builds it, and its own copy of the tests is run. A part of them will
# do: it is the same code as in the wheel, on which test-dist runs them all.
check-dist: $(BUILT)
	$(BIN)/python -m pip install twine abi3audit
	$(BIN)/twine check --strict dist/*
	$(BIN)/abi3audit --strict dist/*.whl
	$(BIN)/python .ci/check_dist.py
	$(call fresh,$(SDIST_ENV),dist/*.tar.gz)
	rm -rf $(SDIST_TREE) && mkdir -p $(SDIST_TREE)
	tar xzf dist/*.tar.gz -C $(SDIST_TREE) --strip-components=1
	cd $(SDIST_TREE) && $(CURDIR)/$(SDIST_ENV)/bin/python -m pytest -q \
	    tests/test_api.py tests/test_cli.py tests/test_readme.py tests/test_scan_vectors.py \
	    tests/test_threads.py

test-dist:
	$(call fresh,$(WHEEL_ENV),dist/*.whl)
	$(WHEEL_ENV)/bin/python -m pytest

# An environment $(1) with nothing but the distribution $(2) and what its tests need. What Python
# imports there, from here, must be the installed package.
define fresh
	rm -rf $(1)
	$(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install "$$(echo $(2))[dev]"
	$(1)/bin/python -c 'import os, sysconfig, toolspeak; \
	    home = os.path.realpath(sysconfig.get_path("platlib")); \
	    assert os.path.realpath(toolspeak.__file__).startswith(home), toolspeak.__file__'
endef

clean:
	rm -rf $(VENV) dist build target .mypy_cache .pytest_cache .ruff_cache .benchmarks
