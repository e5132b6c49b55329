# make        reproduce the paper on this machine
# make test   run the tests
# make help   the rest; `permconf --help` (in .venv/bin) does everything else

# Nothing given on the command line of make reaches the shell.
override SHELL := bash
override .SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := all

override VENV := .venv
override PY := $(VENV)/bin/python
override PERMCONF := $(VENV)/bin/permconf
override SOURCES := $(shell find scripts/permconf scripts/permconf_study -name '*.py' -not -path '*/benchmarks/*' -not -path '*/pages/*')
override PYTEST := $(PY) -m pytest -q -n auto --dist loadfile

all: setup  ## reproduce the paper: every figure and table, the ledger of claims, the report
	@$(PERMCONF) run

setup: $(VENV)/.kernels  ## only prepare .venv: packages from the hashed lock file, the permconf command, compiled kernels

$(VENV)/.packages: envs/requirements.lock pyproject.toml
	@python=$$(for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	    $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && echo $$p && break; done); \
	test -n "$$python" || { echo "permconf needs Python 3.11 to 3.14 (3.11 to 3.13 are tested); none was found on the PATH." >&2; exit 1; }; \
	$$python -c 'import venv, ensurepip' 2>/dev/null || \
	    { echo "permconf needs Python's venv module (Debian: apt install python3-venv)." >&2; exit 1; }; \
	echo "Preparing $(VENV) with $$($$python --version); this takes a minute or two."; \
	$$python -m venv --clear $(VENV)
	@{ $(PIP) --require-hashes -r <(sed -n '/^uv==/,/[^\\]$$/p' envs/requirements.lock) && \
	    UV_DEFAULT_INDEX=$$($(PY) -m pip config get global.index-url 2>/dev/null) \
	    $(UV) --require-hashes -r envs/requirements.lock; } 2>/dev/null || $(PIP) --require-hashes -r envs/requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# uv installs in parallel; pip is used where uv cannot be had or does not find the packages. Neither compiles bytecode: Python
# does that for the few modules that are imported, and keeps it.
override UV := $(VENV)/bin/uv pip install --quiet --python $(PY)
override PIP := $(PY) -m pip install --quiet --quiet --no-compile --disable-pip-version-check
unexport PYTHONDONTWRITEBYTECODE

$(VENV)/.kernels: $(VENV)/.packages $(SOURCES)
	@echo "Compiling the kernels, once; this takes a minute or two."
	@$(PY) -m permconf_study.commands.compile_kernels
	@touch $@

smoke: setup  ## the simulation study with 20 data sets per experiment, in results/smoke
	@$(PERMCONF) run figures/fig08_simstudy.pdf figures/table1_parameters.csv --directory results/smoke --config datasets=20

verify: setup  ## compare the results of make with the published ones, table by table
	@$(PERMCONF) verify

forests: setup  ## the simulation study and Section 4 with random forests, after a forecast of its time
	@$(PERMCONF) run forests --forecast

stress: setup  ## where the tests for confounding hold their type I error (docs/VALIDITY.md), after a forecast of its time
	@$(PERMCONF) run stress --forecast

arena: setup  ## adjustments for confounding, judged side by side (docs/ADJUSTMENTS.md), after a forecast of its time
	@$(PERMCONF) run arena --forecast

test: setup  ## the tests that every user should run, in about two minutes
	@$(PYTEST) -m 'not slow'

test-all: setup  ## all tests, the slow ones included
	@$(PYTEST)

cluster-test: setup  ## faults on a real Slurm, started on this machine (Debian, root) and stopped after
	@rm -f results/cluster_faults.csv
	@NODES=8 MEMORY=4000 tests/cluster/slurm.sh with bash -c '$(FAULTS) -n 5 -m "not alone" && $(FAULTS) -n 0 -m alone' || \
	    { [ $$? = 77 ] && echo "A test cluster cannot be had here: its tests were left out."; }

override FAULTS := $(PY) -m pytest -q tests/cluster --import-mode=prepend

lint: setup  ## ruff, mypy, snakefmt and snakemake --lint
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy
	@$(VENV)/bin/snakefmt --check Snakefile workflow && $(PY) -m snakemake --lint

docs: setup  ## the pages of docs/ as a site: docs/_build/index.html
	@$(PIP) 'sphinx>=8,<10' 'myst-parser>=4,<6' 'furo>=2024.8'
	@$(PY) -m sphinx -q -E -W --keep-going -b html docs docs/_build && echo "The site is in docs/_build/index.html."

lock:  ## renew envs/requirements.lock (after make setup)
	@$(VENV)/bin/uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --fork-strategy fewest \
	    --extra workflow --extra dev --no-header --no-annotate --quiet --output-file envs/requirements.lock pyproject.toml

clean: setup  ## remove results and figures, except results that took longer than an hour
	@$(PERMCONF) clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16

.PHONY: all setup smoke verify forests stress arena test test-all cluster-test lint docs lock clean help
