# make        reproduce the paper on this machine
# make test   run the tests
# make help   the rest

SHELL := bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := all

PROFILE ?= workflow/profiles/slurm
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
VENV := .venv
PY := $(VENV)/bin/python
SOURCES := $(filter-out scripts/permconf/benchmarks/%,$(wildcard scripts/permconf/*.py scripts/permconf/*/*.py))

SNAKEMAKE = $(PY) -m snakemake --quiet host reason --scheduler greedy --cores $(CORES)
SHOWN = 2>&1 | $(PY) scripts/permconf/progress.py

all: setup  ## reproduce the paper: every figure and table
	@$(SNAKEMAKE) $(SHOWN)

setup: $(VENV)/.kernels  ## only prepare .venv: packages from the hashed lock file, kernels compiled

$(VENV)/.packages: envs/requirements.lock
	@python=$$(for p in python3 python3.13 python3.12 python3.11 python; do \
	    $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && echo $$p && break; done); \
	test -n "$$python" || { echo "permconf needs Python 3.11 to 3.14; none was found on the PATH." >&2; exit 1; }; \
	$$python -c 'import venv, ensurepip' 2>/dev/null || \
	    { echo "permconf needs Python's venv module (Debian: apt install python3-venv)." >&2; exit 1; }; \
	echo "Preparing $(VENV) with $$($$python --version); this takes a minute or two."; \
	$$python -m venv --clear $(VENV) && \
	$(PY) -m pip install --quiet --quiet --disable-pip-version-check --require-hashes -r envs/requirements.lock
	@touch $@

$(VENV)/.kernels: $(VENV)/.packages $(SOURCES)
	@echo "Compiling the kernels."
	@PYTHONPATH=scripts $(PY) -m permconf.warm_up
	@touch $@

smoke: setup  ## the simulation study with 20 data sets per experiment, in results/smoke
	@mkdir -p results/smoke
	@$(SNAKEMAKE) --directory results/smoke --config datasets=20 -- figures/fig08_simstudy.pdf figures/table1_parameters.csv $(SHOWN)

FORESTS := $(patsubst workflow/scenarios/%.yaml,%,$(wildcard workflow/scenarios/*forest*.yaml))

forests: setup  ## the simulation study and Section 4 with random forests, after a forecast of its time
	@test -e results/plan.yaml && grep -q forest results/plan.yaml || \
	    PYTHONPATH=scripts $(PY) -m permconf.planning $(FORESTS) --cores $(CORES)
	@$(SNAKEMAKE) forests $(SHOWN)

test: setup  ## run the tests
	@$(PY) -m pytest -q -n $(CORES) --dist loadfile

lint: setup  ## ruff, mypy, snakefmt and snakemake --lint
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy
	@$(VENV)/bin/snakefmt --check Snakefile workflow && $(PY) -m snakemake --lint

bench: setup  ## measure the engine beside scikit-learn and R, and how it scales (docs/BENCHMARKS.md)
	@PYTHONPATH=scripts $(PY) -m permconf.benchmarks

plan: setup  ## time a pilot of SCENARIO="a b", print its cost, keep it in results/plan.yaml (MCSE=0.003 to size a study)
	@test -n "$(SCENARIO)" || { echo "Say which: make plan SCENARIO=exp1" >&2; exit 1; }
	@PYTHONPATH=scripts $(PY) -m permconf.planning $(SCENARIO) --cores $(CORES) $(if $(MCSE),--mcse $(MCSE))

CLUSTER = PYTHONPATH=scripts $(PY) -m permconf.cluster --profile $(PROFILE)
ON_CLUSTER = $(if $(CONFIG),--config $(CONFIG)) -- $(TARGET) $(SHOWN) && PYTHONPATH=scripts $(PY) -m permconf.costs

cluster: setup  ## run on Slurm with PROFILE (default workflow/profiles/slurm); TARGET="files" for less than everything
	@$(CLUSTER) $(ON_CLUSTER)

cluster-resume: setup  ## go on after the head process died: cancel its jobs, unlock, run
	@$(CLUSTER) --resume $(ON_CLUSTER)

cluster-test: setup  ## faults on a real Slurm, started on this machine (Debian, root) and stopped after
	@rm -f results/cluster_faults.csv
	@NODES=8 PYTHONPATH=scripts tests/cluster/slurm.sh with bash -c '$(FAULTS) -n 4 -m "not alone" && $(FAULTS) -m alone' || \
	    { [ $$? = 77 ] && echo "A test cluster cannot be had here: its tests were left out."; }

FAULTS := $(PY) -m pytest -q tests/cluster --import-mode=prepend

parity: setup  ## a small study with one core, two, other chunks and on Slurm (if there): every value compared
	@PYTHONPATH=scripts $(PY) -m permconf.parity --profile $(PROFILE)

lock:  ## renew envs/requirements.lock (needs uv)
	@uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --fork-strategy fewest \
	    --extra dev --no-header --no-annotate --quiet --upgrade --output-file envs/requirements.lock pyproject.toml

clean:  ## remove what runs made (not .venv)
	@rm -rf results figures .snakemake

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

.PHONY: all setup smoke forests test lint bench plan cluster cluster-resume cluster-test parity lock clean help
