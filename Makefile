# Everything from nothing: `make demo` and `make test` need only python3 (3.11 or newer).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Without compiling every module of every package, most of which are never imported.
INSTALL := $(PIP) install --quiet --no-compile -c constraints.txt
# Where this is set, every new process of a test would read the sources of all packages again.
export PYTHONDONTWRITEBYTECODE :=
PACKAGING := pyproject.toml constraints.txt src/novikoff/_version.py

.DEFAULT_GOAL := help
.PHONY: help venv demo test bench lint format clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One stamp per set of dependencies: a second call finds it newer than the packaging files.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(PACKAGING)
	$(INSTALL) -e .
	@touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(INSTALL) -e ".[$*]"
	@touch $@

venv: $(VENV)/.installed-dev  ## the virtual environment with the development tools

demo: $(VENV)/.installed  ## fit, prove and verify on data that scikit-learn bundles
	@mkdir -p build
	$(BIN)/python examples/breast_cancer_csv.py build/breast_cancer.csv
	$(BIN)/novikoff fit build/breast_cancer.csv --target diagnosis --out build/model.json
	$(BIN)/novikoff verify build/model.json build/breast_cancer.csv

lint: $(VENV)/.installed-dev  ## ruff, mypy, import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# One BLAS thread per worker: two workers with two threads each would fight for two cores.
test: lint  ## lint, then all tests and doctests
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(VENV)/.installed-bench  ## the benchmarks, their tables and figures
	$(BIN)/python -m benchmarks

format: $(VENV)/.installed-dev  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## remove the environment, builds and caches
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
