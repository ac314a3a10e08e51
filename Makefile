# The commands a person must remember. Each makes sure of the set-up first; that takes a blink when nothing changed.
SHELL := /bin/bash
PYTHON := .venv/bin/python
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
unexport PYTHONDONTWRITEBYTECODE # pytest keeps the tests it has compiled: collecting takes 4 s then, and 15 s otherwise

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench docs gallery sweep soak

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: ## get this machine ready: .venv, interfaces, system packages
	@scripts/setup.sh

demo: setup ## one episode over ROS with the oracle and a recorder
	@.venv/bin/vlm-bench demo

test: setup ## the fast suite
	@$(PYTHON) -m pytest -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

check: setup ## lint, format, types, architecture, stale docs
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -q test/architecture
	$(PYTHON) -m vlm_bench_tasks.pages.docs --check

bench: setup ## measure on this machine; ARGS=planning: one part
	@$(PYTHON) -m test.benchmark $(ARGS)

docs: setup ## write the generated pages of docs/
	@$(PYTHON) -m vlm_bench_tasks.pages.docs

gallery: setup ## draw the pictures of docs/gallery
	@$(PYTHON) -m vlm_bench_tasks.pages.gallery $(ARGS)

SWEEP := .venv/bin/vlm-bench sweep --pages docs/results --reports records/sweep
DROPS := --condition lohoravens --condition lohoravens,drop_rate=0.2 --condition lohoravens,drop_rate=0.3

sweep: setup ## all of docs/results, over the test seeds; goes on where it was left; ARGS="--workers 8"
	@mkdir -p records; code=0; \
	$(SWEEP) --task vlmbench --policy oracle,still,random,oracle_blind,language_ignored $(ARGS) || code=1; \
	$(SWEEP) --task lohoravens --splits test:100000:100200 $(ARGS) || code=1; \
	$(SWEEP) --task lohoravens --splits test:100000:100020 $(DROPS) $(ARGS) || code=1; \
	$(PYTHON) -m vlm_bench_tasks.pages.docs; exit $$code

soak: setup ## a thousand episodes over ROS, then ten thousand in one process, an hour each; goes on where it was left
	@code=0; for way in ros process; do $(PYTHON) -m test.soak $$way $(ARGS) || code=1; done; exit $$code
