# Two commands are all that a new machine needs: `make demo` and `make test`. Both make their own environment.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SMALL := $(VENV)/.installed-cli
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -e
export OMP_NUM_THREADS ?= 2

.PHONY: demo test check lint types fast soak bench bench-full bench-quality clean help

help:            ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed (set PYTHON=…)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(SMALL): pyproject.toml | $(BIN)/python  # the library and its command line
	$(INSTALL) '.[cli]'
	@touch $(SMALL)

$(STAMP): pyproject.toml | $(BIN)/python  # and what tests and checks need
	$(INSTALL) '.[dev]'
	@touch $(SMALL) $(STAMP)

demo: $(SMALL)   ## Import real text, ask questions, explain every score
	$(BIN)/python examples/demo.py

test: $(STAMP)   ## Every test (ONLY='-m slow': those that check leaves out)
	$(BIN)/python -m pytest $(ONLY)

fast: $(STAMP)   ## The tests that take no more than moments
	$(BIN)/python -m pytest -m "not slow"

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

check: lint types fast ## Style, types, tidiness, fast tests

bench: $(STAMP)  ## Speed beside other systems, small: a few minutes
	$(INSTALL) '.[bench]'
	$(BIN)/python -m benchmarks.speed

bench-full: $(STAMP) ## Every system, size and part; goes on where it was stopped
	$(INSTALL) '.[bench]'
	$(BIN)/python -m benchmarks.speed --full

bench-quality: $(STAMP) ## Quality on the evaluation sets (DATA=folder)
	$(BIN)/simonides eval all --data $(DATA)

soak: $(STAMP)   ## Long years in the life of a store (SEEDS=10 EVENTS=5000)
	$(BIN)/python tests/year/__main__.py --seeds $(or $(SEEDS),10) --events $(or $(EVENTS),5000)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-out
