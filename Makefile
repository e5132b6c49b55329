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
# For runs of hundreds of steps: Snakemake looks at its queue once in this time for every step that has ended.
LONG = --max-jobs-per-timespan 1000/10s
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
	@PYTHONPATH=scripts $(PY) -m permconf.operations.compile_kernels
	@touch $@

smoke: setup  ## the simulation study with 20 data sets per experiment, in results/smoke
	@mkdir -p results/smoke
	@$(SNAKEMAKE) --directory results/smoke --config datasets=20 -- figures/fig08_simstudy.pdf figures/table1_parameters.csv $(SHOWN)

claims: setup  ## check the paper's claims against the run; fails if one that is expected to hold does not
	@$(SNAKEMAKE) results/claims.json $(SHOWN)
	@PYTHONPATH=scripts $(PY) -m permconf.claims

reproduction: claims  ## keep the ledger of this run in docs/REPRODUCTION.md
	@PYTHONPATH=scripts $(PY) -m permconf.pages.reproduction

deviations: setup  ## measure what other choices than ours would change (docs/DEVIATIONS.md)
	@PYTHONPATH=scripts $(PY) -m permconf.deviations --cores $(CORES)

FORESTS := $(patsubst workflow/scenarios/%.yaml,%,$(wildcard workflow/scenarios/*forest*.yaml))

forests: setup  ## the simulation study and Section 4 with random forests, after a forecast of its time
	@test -e results/plan.yaml && grep -q forest results/plan.yaml || \
	    PYTHONPATH=scripts $(PY) -m permconf.operations.plan $(FORESTS) --cores $(CORES)
	@$(SNAKEMAKE) $(LONG) forests $(SHOWN)

scenario: setup  ## write a commented scenario file to start from: NAME=x
	@test -n "$(NAME)" || { echo "Say how to call it: make scenario NAME=my_study" >&2; exit 1; }
	@PYTHONPATH=scripts $(PY) -m permconf.operations.new $(NAME)

scenarios: setup  ## the standard figure of every scenario that is not the paper's (docs/SCENARIOS.md)
	@$(SNAKEMAKE) $(LONG) scenarios $(SHOWN)

figures/%: setup
	@$(SNAKEMAKE) -- $@ $(SHOWN)

replay: setup  ## one data set again, in the foreground with full output: SCENARIO=x DATASET=17
	@test -n "$(SCENARIO)" -a -n "$(DATASET)" || { echo "Say which: make replay SCENARIO=exp1 DATASET=17" >&2; exit 1; }
	@PYTHONPATH=scripts $(PY) -m permconf.operations.replay $(SCENARIO) $(DATASET)

summary: setup  ## results of SCENARIO="a b" as a table with Monte Carlo errors (BY=n: for each value of a parameter)
	@test -n "$(SCENARIO)" || { echo "Say which: make summary SCENARIO=exp1" >&2; exit 1; }
	@PYTHONPATH=scripts $(PY) -m permconf.operations.summary $(SCENARIO) $(if $(BY),--by $(BY))

STRESS := $(patsubst workflow/scenarios/%.yaml,%,$(wildcard workflow/scenarios/stress_*.yaml))

stress: setup  ## where the tests for confounding hold their level (docs/VALIDITY.md), after a forecast of its time
	@test -e results/plan.yaml && grep -q stress results/plan.yaml || \
	    PYTHONPATH=scripts $(PY) -m permconf.operations.plan $(STRESS) --cores $(CORES)
	@$(SNAKEMAKE) $(LONG) stress $(SHOWN)
	@PYTHONPATH=scripts $(PY) -m permconf.paper.tables.test_costs && PYTHONPATH=scripts $(PY) -m permconf.pages.validity

mlconfound: setup .venv-mlconfound/.packages  ## mlconfound's partial confounder test on COUNT=200 data sets per cell of `make stress`
	@PYTHONPATH=scripts $(PY) -m permconf.paper.tables.predictions --count $(or $(COUNT),200)
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv-mlconfound/bin/python scripts/compare_mlconfound.py --cores $(CORES)
	@PYTHONPATH=scripts $(PY) -m permconf.pages.validity

.venv-mlconfound/.packages: envs/mlconfound.txt
	@$(PY) -m venv --clear .venv-mlconfound
	@.venv-mlconfound/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

test: setup  ## run the tests
	@$(PY) -m pytest -q -n $(CORES) --dist loadfile

lint: setup  ## ruff, mypy, snakefmt and snakemake --lint
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy
	@$(VENV)/bin/snakefmt --check Snakefile workflow && $(PY) -m snakemake --lint

bench: setup  ## measure the engine beside scikit-learn and R, and how it scales (docs/BENCHMARKS.md)
	@PYTHONPATH=scripts $(PY) -m permconf.benchmarks

plan: setup  ## time a pilot of SCENARIO="a b", print its cost, keep it in results/plan.yaml (MCSE=0.003 to size a study)
	@test -n "$(SCENARIO)" || { echo "Say which: make plan SCENARIO=exp1" >&2; exit 1; }
	@PYTHONPATH=scripts $(PY) -m permconf.operations.plan $(SCENARIO) --cores $(CORES) $(if $(MCSE),--mcse $(MCSE))

CLUSTER = PYTHONPATH=scripts $(PY) -m permconf.operations.cluster --profile $(PROFILE)
ON_CLUSTER = $(if $(CONFIG),--config $(CONFIG)) -- $(TARGET) $(SHOWN) && PYTHONPATH=scripts $(PY) -m permconf.operations.accounting

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
	@PYTHONPATH=scripts $(PY) -m permconf.operations.parity --profile $(PROFILE)

lock:  ## renew envs/requirements.lock (needs uv)
	@uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --fork-strategy fewest \
	    --extra dev --no-header --no-annotate --quiet --upgrade --output-file envs/requirements.lock pyproject.toml

clean:  ## remove what runs made (not .venv)
	@rm -rf results figures .snakemake

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16

.PHONY: all setup smoke claims reproduction deviations forests scenario scenarios replay summary stress mlconfound test lint bench plan cluster cluster-resume cluster-test parity lock clean help
