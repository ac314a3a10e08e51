# The main commands. Each one runs the set-up first, which is fast if nothing has changed.
SHELL := /bin/bash
PYTHON := .venv/bin/python
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
unexport PYTHONDONTWRITEBYTECODE # so pytest caches compiled tests: collection takes 4 s instead of 15 s

.DEFAULT_GOAL := help
.PHONY: help setup demo test check check-style check-types check-architecture check-docs bench docs site gallery sweep engines tracker soak baselines baseline browser notebooks

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: ## set up this machine: .venv, interfaces, system packages
	@scripts/setup.sh

demo: setup ## one episode over ROS with the oracle and a recorder
	@.venv/bin/vlm-bench demo

test: setup ## the fast suite
	@$(PYTHON) -m pytest -n 4 --dist loadfile --no-loadscope-reorder --ignore=test/architecture --ignore=test/browser --ignore=test/notebooks $(ARGS)

baselines: setup ## what learned baselines need (PyTorch, 200 MB and more), and their tests
	@scripts/baselines.sh
	@$(PYTHON) -m pytest -n 2 test/baselines $(ARGS)

browser: setup ## install Chromium and Playwright, and pass the tests of the window in a real browser
	@scripts/browser.sh
	@$(PYTHON) -m pytest -m browser test/browser $(ARGS)

notebooks: setup ## run the notebooks of docs/notebooks, and compare what they print
	@scripts/notebooks.sh
	@$(PYTHON) -m pytest -m notebook -n 2 test/notebooks $(ARGS)

baseline: setup ## train a baseline, score it on test seeds, and write a page; ARGS="stack" or "lohoravens"
	@scripts/baselines.sh
	@scripts/baseline.sh $(ARGS)

check: setup ## check lint, format, types, architecture and generated docs
	@$(MAKE) --no-print-directory --output-sync=target -j 2 check-types check-style check-architecture check-docs

check-style:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

check-types:
	$(PYTHON) -m mypy

check-architecture:
	$(PYTHON) -m pytest -q test/architecture

check-docs:
	$(PYTHON) -m vlm_bench_tasks.pages.docs --check

bench: setup ## run the benchmarks on this machine; ARGS=planning: only one part
	@$(PYTHON) -m test.benchmark $(ARGS)

docs: setup ## write the generated pages of docs/, and build the site
	@$(PYTHON) -m vlm_bench_tasks.pages.docs
	@scripts/site.sh

site: setup ## build the site of docs/ into site/, and stop at a broken link; ARGS=serve: show it, and follow changes
	@scripts/site.sh $(ARGS)

gallery: setup ## draw the pictures of docs/gallery
	@$(PYTHON) -m vlm_bench_tasks.pages.gallery $(ARGS)

SWEEP := .venv/bin/vlm-bench sweep --pages docs/results --reports records/sweep
DROPS := --condition lohoravens --condition lohoravens,drop_rate=0.2 --condition lohoravens,drop_rate=0.3
CONTROLS := still,random,dawdle,oracle_blind,language_ignored
ARNOLD := train:70000:70020,val:97000:97020,test:170000:170020,novel_object:170000:170020,novel_scene:170000:170020,novel_state:170000:170020,any_state:170000:170020

sweep: setup ## all of docs/results, over the test seeds; resumes after an interruption; ARGS="--workers 8"
	@mkdir -p records; code=0; \
	$(SWEEP) --task vlmbench --policy oracle,$(CONTROLS) $(ARGS) || code=1; \
	$(SWEEP) --task lohoravens --splits test:100000:100050 $(ARGS) || code=1; \
	$(SWEEP) --task lohoravens --splits test:100000:100005 --policy $(CONTROLS) $(ARGS) || code=1; \
	$(SWEEP) --task lohoravens --splits test:100000:100020 $(DROPS) $(ARGS) || code=1; \
	$(SWEEP) --task arnold --axis goal --splits $(ARNOLD) $(ARGS) || code=1; \
	$(SWEEP) --task arnold --axis goal --splits test:170000:170010 --policy $(CONTROLS),creep,stop_and_go $(ARGS) || code=1; \
	$(SWEEP) --task clevrskills --splits seen:170000:170020,unseen:170000:170020 $(ARGS) || code=1; \
	$(SWEEP) --task clevrskills --splits seen:170000:170003,unseen:170000:170003 --policy $(CONTROLS),picture_blind $(ARGS) || code=1; \
	$(PYTHON) -m vlm_bench_tasks.pages.docs; exit $$code

engines: setup ## docs/results/engines.md: test seeds of all rigid tasks in both engines; resumes after an interruption
	@scripts/engines.sh $(ARGS)

tracker: setup ## docs/results/tracker.md: how far a judge that sees poses agrees with the full one; resumes after an interruption
	@scripts/tracker.sh $(ARGS)

soak: setup ## a thousand episodes over ROS, then ten thousand in one process, an hour each; resumes after an interruption
	@code=0; for way in ros process; do $(PYTHON) -m test.soak $$way $(ARGS) || code=1; done; exit $$code
