# Two commands matter: `make demo` and `make test`. Everything else is below them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
UV     := $(shell command -v uv 2>/dev/null)
WORKERS ?= 3
TRACES ?= ../shared/traces
SEEDS ?= 1000
MINUTES ?= 10
KILLS ?= 200
SHOWN ?= 4

.DEFAULT_GOAL := help
.PHONY: bytecode sanitize compiler shown worst hostile release-check bench-scale bench-workers help install demo test chromium check bench lab docs clean bench-schedule soak fuzz audit chaos

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: bytecode ## create .venv and install recrawl with everything its tests need

$(STAMP): pyproject.toml hatch_build.py $(wildcard src/recrawl/native/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "recrawl needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	@$(MAKE) --no-print-directory compiler
ifdef UV
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python -e '.[dev]'
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
endif
	@touch $@

# Where nothing may write bytecode beside the sources while they run, each start of a changed tree would compile it again.
bytecode: $(STAMP)
	@$(BIN)/python -m compileall -q src tests

# A part of recrawl is compiled. Without a compiler and Python's headers it works all the same, slower; tests of that part are skipped.
compiler:
	@printf '#include <Python.h>' | cc -E -I"$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')" - >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev python3-dev >/dev/null; \
	else echo "recrawl is installed without its compiled part, which needs: apt-get install gcc libc6-dev python3-dev" >&2; fi

demo: bytecode ## crawl a living site on loopback and watch it stay fresh (RECRAWL_DEMO_FOR=20s ends by itself)
	@$(BIN)/recrawl demo

# Each worker rewrites the assertions of every module unless it may keep them from one run to the next.
# One worker more than two cores: a third of the suite's time is waiting, for leases, gaps and browsers.
test: bytecode chromium ## all tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=15

# The dashboard is tested in a real browser: Debian's chromium, installed when it is missing and we may.
chromium:
	@command -v chromium >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else echo "The browser tests need chromium: apt-get install chromium" >&2; exit 1; fi

check: $(STAMP) ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: bytecode ## speed, as ratios against peers on this machine
	$(BIN)/python -m tests.bench crawl
	$(BIN)/python -m tests.bench patterns
	$(BIN)/python -m tests.bench search

bench-scale: bytecode ## a million and ten million known addresses: what grows and what does not (SCALE=small: a tenth)
	$(BIN)/python -m tests.bench scale $(if $(filter small,$(SCALE)),--small)

bench-workers: bytecode ## what a second worker brings
	$(BIN)/python -m tests.bench workers

hostile: $(STAMP) ## every hostile server, one at a time, with Scrapy's row beside recrawl's (ONLY="--kind trap" or "--every 8")
	$(BIN)/python -m tests.hostile $(ONLY)

bench-schedule: bytecode ## ten million pages through the scheduler on one core
	$(BIN)/python -m tests.bench schedule

shown: $(STAMP) ## what the scheduler must show: the papers' examples, relief, notices, cold start, plan, targets, over several seeds (SHOWN=4)
	$(BIN)/python -m tests.bench shown $(SHOWN)

lab: $(STAMP) ## the race of revisit policies on real change histories
	$(BIN)/recrawl lab race --traces $(TRACES) --seeds 2 --plot out/race.html

soak: $(STAMP) ## thousands of simulated months with faults (SEEDS=), then full speed on loopback (MINUTES=)
	$(BIN)/python -m tests.laws --seeds $(SEEDS)
	$(BIN)/python -m tests.chaos load --minutes $(MINUTES)
	$(BIN)/python -m tests.chaos hour

chaos: $(STAMP) ## kill -9 at random moments (KILLS=) over SQLite and PostgreSQL, torn writes, wrong clocks, checked by a program
	$(BIN)/python -m tests.chaos sqlite --kills $(KILLS)
	$(BIN)/python -m tests.chaos postgres --kills $(KILLS)
	$(BIN)/python -m tests.chaos power
	$(BIN)/python -m tests.chaos clocks --jumps 20

worst: $(STAMP) ## the worst that a megabyte can do to each reader of strangers' bytes
	$(BIN)/python -m tests.fuzz.worst $(ONLY)

fuzz: $(STAMP) ## every reader of strangers' bytes under a coverage-guided fuzzer (MINUTES= each)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris || $(UV) pip install --quiet --python $(BIN)/python atheris
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

sanitize: $(STAMP) ## the compiled part under the sanitizers of gcc: its tests, then broken pages (MINUTES=)
	$(BIN)/python -m tests.fuzz.sanitized --minutes $(MINUTES)

audit: $(STAMP) ## known vulnerabilities where their data can be had; versions and licences of all dependencies
	$(BIN)/python -m tests.audit

docs: $(STAMP) ## write the reference pages from the code, build the site in out/site, refuse dead links
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_site.py out/site

release-check: $(STAMP) ## build, install in empty environments, use as a stranger would: what must hold before a release
	$(BIN)/python tests/release_check.py

clean: ## remove what make made
	rm -rf $(VENV) .peers demo out dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
