# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Test files that run at the same time; some start a Spark session, which takes some 2 GB.
WORKERS ?= 2

.PHONY: demo test lint docs docs-check system vscode clean

demo: $(INSTALLED)
	@# exit 1 means "findings", which is what the examples are for
	$(BIN)/shoal audit examples/incidents || test $$? -eq 1

test: system $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/docs.py --check
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

lint: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

docs: $(INSTALLED)
	$(BIN)/python tools/docs.py

docs-check: $(INSTALLED)
	$(BIN)/python tools/docs.py --check

# The tests that compare with released engines need Java, Maven and git; they fail in CI rather than skip.
system:
	@tools/system.sh

# The VS Code extension: type-checked, tested, bundled and packaged to editors/vscode/shoal.vsix; needs Node.js 20 and npm.
vscode:
	cd editors/vscode && npm ci --no-audit --no-fund && npm test --silent && npm run --silent package

$(INSTALLED): pyproject.toml tools/build_hook.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
