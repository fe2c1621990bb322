# Two commands matter: `make demo` and `make test`. Both do the set-up; neither needs a key, a server or a download but packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
# Bytecode is kept also where a machine's settings say not to: workers and commands would each compile the whole project anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo pictures quick test test-coverage test-slow test-long test-servers servers test-browser test-wheel test-ray test-doors test-ucp test-model test-versions lint types docs sbom dist endurance bench lock clean

help:
	@echo "make demo          set up, judge recorded answers again, catch a liar by code alone"
	@echo "make test          set up, pass the tests (no network, no server)"
	@echo "make test-slow     whole journeys, seconds each; .ci/run has them after make test"
	@echo "make test-coverage nightly: make test, test-slow and test-long in one, and the share of lines that they run through, which may not fall"
	@echo "make quick         ROOM=env: half a minute of the tests of one room and of what leans on it directly"
	@echo "make test-long     nightly: what takes seconds each: kills, fuzz, hostile lines, a full disk"
	@echo "make test-servers  the contract suite on MongoDB and Elasticsearch test servers (needs a JDK >= 21 and Maven)"
	@echo "make servers       DO=start, stop or status: the test servers alone, on this machine, without security"
	@echo "make test-browser  the viewer and the annotation page in a headless Chromium, pictures of drawers by tesseract"
	@echo "make test-wheel    nightly: the wheel in a fresh environment, beside packages of others (installs the locked packages)"
	@echo "make test-ray      nightly: units on any number of machines, a Ray cluster of several nodes on this one (installs Ray beside the locked packages)"
	@echo "make test-doors    nightly: doors for trainers: Gymnasium, verifiers, OpenEnv (installs them beside the locked packages)"
	@echo "make test-ucp      nightly: UCP by its own models and a conformance tool (installs them beside the locked packages)"
	@echo "make test-model    nightly: a small real model behind llama.cpp (downloads 0.6 GB of packages once, outside this folder)"
	@echo "make test-versions nightly: security, crash and determinism tests with Python 3.13 and 3.14, where they are, and as an ordinary user"
	@echo "make sbom          sbom.json: a bill of materials of the lock (CycloneDX)"
	@echo "make lint types    ruff, format check, strict mypy"
	@echo "make docs          the site in build/site: pages by hand, pages from the code, llms.txt; a dead link fails"
	@echo "make dist          dist/: the wheel and the source, built from the lock"
	@echo "make endurance     the long counts: many kills, big fuzz; writes benchmarks/RESULTS.md"
	@echo "make bench         the benchmarks, as ratios in one run"

setup: $(STAMP)

# The lock is whole, so nothing is resolved: a pip older than 23.3 does not know `html_clean` (jusText asks for it) as lxml's `html-clean`, and warns.
$(STAMP): requirements.lock pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 demo")'
	@test -x $(BIN)/python || { echo "setting up $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@echo "installing $$(grep -c '==' requirements.lock) locked packages: a minute or two, more on a busy machine; $(VENV)/pip.log grows meanwhile ..."
	@test -t 1 || export PIP_PROGRESS_BAR=off; $(BIN)/python -m pip install --quiet --log $(VENV)/pip.log --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: setup
	@$(BIN)/drr demo demo

pictures: demo
	$(BIN)/python -m benchmarks.pictures demo

test: setup
	$(BIN)/python -m pytest -n 3 --dist loadfile -m "not servers and not browser and not wheel and not ray and not doors and not model and not slow and not long and not endurance"

quick: setup
	@$(BIN)/python -m tests.quick $(ROOM)

test-coverage: setup
	@mkdir -p build
	$(BIN)/python -m tests.versions covered

test-slow: setup
	$(BIN)/python -m pytest -n 3 --dist loadfile -m "slow and not servers and not ray and not long and not endurance"

test-long: setup
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -m "(long or hypothesis) and not endurance and not servers and not ray"

test-servers: setup
	$(BIN)/python -m pytest -m "servers and not endurance"

servers: setup
	$(BIN)/python -m tests.servers.testservers $(DO)

test-browser: setup
	$(BIN)/python -m pytest -m browser

test-wheel: setup
	$(BIN)/python -m pytest -o faulthandler_timeout=1200 -m wheel

# Ray and what it needs go into an environment of their own, beside links to the locked packages.
test-ray: setup
	$(BIN)/python -m tests.environment_beside .venv-ray 'ray[client]==2.60.0'
	.venv-ray/bin/python -m pytest -m "ray and not endurance"

# Packages that train agents, beside links to the locked ones. OpenEnv asks for MCP 1 and verifiers for MCP 2, so there are two environments.
test-doors: setup
	$(BIN)/python -m tests.environment_beside .venv-doors gymnasium==1.4.0 verifiers==0.4.0 uv
	DRR_REQUIRE_DOORS=1 .venv-doors/bin/python -m pytest -m doors tests/doors/test_gym.py tests/doors/test_verifiers.py
	$(BIN)/python -m tests.environment_beside .venv-openenv openenv==0.10.0
	DRR_REQUIRE_DOORS=1 .venv-openenv/bin/python -m pytest -m doors tests/doors/test_openenv.py

test-ucp: setup
	$(BIN)/python -m tests.environment_beside .venv-ucp ucp-sdk==0.5.0 spck-conformance==0.4.0
	DRR_REQUIRE_DOORS=1 .venv-ucp/bin/python -m pytest -m doors tests/tools/test_ucp.py tests/doors/test_ucp.py

# Low priority; six units and their judging: some twenty minutes on one core.
test-model: setup
	$(BIN)/python -m pytest -o faulthandler_timeout=0 -m model tests/test_model.py

test-versions: setup
	$(BIN)/python -m tests.versions

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# The pages lie beside what is made of them, for readers that are no browsers.
docs: setup
	$(BIN)/python docs/generate.py
	$(BIN)/zensical build --clean
	cp -r build/docs/. build/site

# Built with the locked setuptools: what is published fetches nothing that the lock does not name. A tag names the version that it publishes.
dist: setup
	@test -z "$$DRR_TAG" || grep -qxF "version = \"$${DRR_TAG#v}\"" pyproject.toml || { echo "dist: the tag $$DRR_TAG is not the version of pyproject.toml"; exit 1; }
	rm -rf build/lib dist
	$(BIN)/python -c "from setuptools import build_meta as b; b.build_sdist('dist'); b.build_wheel('dist')"

sbom: setup
	$(BIN)/python -m benchmarks.sbom requirements.lock > sbom.json

endurance: setup
	$(BIN)/python -m pytest -o faulthandler_timeout=0 -m "endurance and not ray"
	$(BIN)/python -m tests.environment_beside .venv-ray 'ray[client]==2.60.0'
	.venv-ray/bin/python -m pytest -o faulthandler_timeout=0 -m "ray and endurance"

bench: setup
	$(BIN)/python -m benchmarks

# Versions are chosen by `uv pip compile`, which records hashes and no address.
lock:
	uv pip compile pyproject.toml --extra tables --extra pages --extra dr3 --extra docs --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -o requirements.lock

clean:
	rm -rf $(VENV) .venv-ray .venv-doors .venv-openenv .venv-ucp .venv-3.* build dist demo sbom.json .mypy_cache .pytest_cache .ruff_cache
