# Two commands do everything: `make run` and `make test`. Bare `make` lists the rest.
PYTHON ?= python3
PORT ?= 9000
WEB ?= 1
VENV := .venv/bin
export UV_PYTHON_DOWNLOADS = never

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all lint fix e2e audit conformance conformance-record real-cluster run-real \
	real-node run-node test-node test-image \
	test-postgres test-real test-operators test-forms test-installs test-faults bench bench-live bench-load bench-start \
	bench-ui code-figures plant-faults axe screenshots messages reset clean

help: ## list these targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:
	@$(PYTHON) tools/setup.py

run: setup ## start everything on http://localhost:9000 (PORT=, KUBECONFIG=, CONTEXT=, CATALOG=, WEB=); Ctrl-C stops all
	@exec $(VENV)/python -m console.processes --port "$(PORT)" --kubeconfig "$(if $(filter command line,$(origin KUBECONFIG)),$(KUBECONFIG))" --context "$(CONTEXT)" --web "$(WEB)" $(foreach folder,$(CATALOG),--catalog "$(folder)")

test: setup ## the tests, and a browser's where Chromium is installed; suites that nothing has changed since they passed are left out (docs/testing.md)
	@$(VENV)/python tools/run_tests.py $(ARGS)

test-all: setup ## everything that there is, on both clusters, and leaves nothing out (hours; needs Go and Chromium)
	@$(VENV)/python tools/run_tests.py --all
	@$(VENV)/python tools/run_real_tests.py --all
	@$(MAKE) test-image test-operators test-postgres test-faults test-forms axe

lint: setup ## ruff, mypy --strict, import contracts, plain words (docs/language.md), templates, migrations, deploy check
	@$(VENV)/python tools/run_lint.py

fix: setup ## format, and repair what the linters can; templates are laid out by hand (templates/components/README.md)
	@$(VENV)/ruff check --fix -q . ; $(VENV)/ruff format -q . || true

e2e: setup ## the browser tests; against a running console with URL= and KUBECONFIG=
	@$(VENV)/python -m pytest tests/e2e $(if $(URL),--url "$(URL)") $(if $(KUBECONFIG),--kubeconfig "$(KUBECONFIG)") $(ARGS)

audit: setup ## known weaknesses of what we depend on, by pip-audit and npm audit (0 none, 1 some, 3 the advisories can't be reached from here)
	@$(VENV)/python tools/run_audit.py

conformance: setup ## what the Kubernetes API answers, compared with a real cluster's answers; of the sandbox, or KUBECONFIG=
	@$(VENV)/python -m pytest sandbox/conformance $(if $(filter command line,$(origin KUBECONFIG)),--kubeconfig "$(KUBECONFIG)") $(ARGS)

real-cluster: setup ## a real Kubernetes with OLM on loopback ports (needs Go; the first build takes 10 minutes); Ctrl-C stops it
	@exec $(VENV)/python -m tools.realcluster $(ARGS)

run-real: setup ## the console on such a cluster of its own, on http://localhost:9000 (PORT=)
	@exec $(VENV)/python -m tools.realcluster --free-port "$(PORT)" -- $(VENV)/python -m console.processes --port "$(PORT)" --data .data/real-console --kubeconfig .data/real/kubeconfig --context ""

real-node: setup ## a whole Kubernetes of one node with containers, in a network namespace of its own (needs root, Debian and Go; docs/real-node.md); Ctrl-C ends it
	@exec $(VENV)/python -m tools.realnode $(if $(DATA),--data "$(DATA)") $(ARGS)

run-node: setup ## the console in such a node, from images built of deploy/Containerfile, on http://localhost:9000 (PORT=; DATA= for a second one)
	@exec $(VENV)/python -m tools.realnode --console --port "$(PORT)" $(if $(DATA),--data "$(DATA)") $(ARGS)

test-node: setup ## the tutorial's overlay in such a node, from the product's own images, and in a browser
	@$(VENV)/python -m tools.realnode --build-only
	@TEST_NODE=1 $(VENV)/python -m pytest -q -s $(or $(ARGS),tests/node)

test-real: setup ## the conformance suite on both clusters, and the product's and the browser's tests on the real one
	@$(VENV)/python tools/run_real_tests.py $(ARGS)

test-operators: setup ## the operators' tests and the tutorials in both languages: on the embedded cluster, and on the real one where Go can build it
	@$(VENV)/python tools/run_operator_tests.py $(ARGS)

test-image: setup ## TLS and sockets on the images' Python and with their packages, where that Python is on this machine (IMAGE_PYTHON=)
	@$(VENV)/python tools/run_image_tests.py $(ARGS)

test-postgres: setup ## the pages and what the console keeps, with PostgreSQL instead of SQLite
	@$(VENV)/python tools/run_postgres_tests.py $(ARGS)

conformance-record: setup ## what a real cluster answers becomes what sandbox/conformance expects
	@$(VENV)/python tools/run_real_tests.py sandbox/conformance -q --record $(ARGS)

test-forms: setup ## what the forms can do with every kind of the catalog, or of a folder of bundles with DATA=
	@$(VENV)/python tools/forms_report.py $(if $(DATA),"$(DATA)")

test-installs: setup ## install every package of the folder DATA= on an embedded cluster through the JSON API: alarms, refusals, what nobody explains (ARGS=--most=15)
	@exec $(VENV)/python tools/installs_report.py "$(DATA)" $(ARGS)

test-faults: setup ## live updates while hubs, web processes, Redis and the API server are killed, stopped and cut off (FAULT_MINUTES=5, FAULT_SEED=, REAL=1: with a real API server)
	@FAULT_MINUTES="$(FAULT_MINUTES)" FAULT_SEED="$(FAULT_SEED)" FAULT_REAL="$(REAL)" $(VENV)/python -m pytest -q -s tests/faults/each.py tests/faults/long.py $(ARGS)

plant-faults: setup ## which tests notice 30 small faults in the product; the table goes into docs/testing.md (hours; ARGS=--help)
	@$(VENV)/python tools/plant_faults.py $(ARGS)

code-figures: setup ## what a newcomer pays for, counted: modules, files behind a page, long lines, calls with many arguments
	@$(VENV)/python tools/code_figures.py

bench: setup ## figures: event to screen, catalog, form and lists cold, memory; writes bench/latest.json
	@$(VENV)/python -m bench $(ARGS)

bench-live: setup ## figures: event to screen, events a second, streams, topics, faults; on the sandbox and a real cluster; writes bench/latest-live.json
	@$(VENV)/python -m bench.live $(ARGS)

bench-load: setup ## figures: 50 signed-in people browse and 500 streams are open, two web processes, SQLite and PostgreSQL (LOAD_MINUTES=5); writes bench/latest-load.json
	@LOAD_MINUTES="$(LOAD_MINUTES)" $(VENV)/python -m bench.load $(ARGS)

bench-start: setup ## seconds from `make run` in a fresh clone until /readyz is 200, first and second time
	@$(VENV)/python -m bench.start $(ARGS)

bench-ui: setup ## figures: first and largest paint, blocking, layout shift, bytes of the ten main pages, wide and on a slow phone, and of clicks from page to page; writes bench/latest-ui.json
	@$(VENV)/python -m bench.ui $(ARGS)

axe: setup ## every page, those of sign-in too, by axe-core against WCAG 2.2 A and AA: both themes, both languages, wide and on a phone (ten minutes)
	@AXE=all $(VENV)/python -m pytest -q tests/e2e/test_accessibility.py tests/e2e/signed_in/test_accessible.py $(ARGS)

screenshots: setup ## the pictures of docs/ anew, and every page in both themes, languages and widths into .data/screenshots (ARGS=operatorhub, resources, forms or pages: only these)
	@$(VENV)/python -m tools.pictures $(ARGS)

messages: setup ## collect the texts for locale/ko (needs GNU gettext)
	@$(VENV)/python manage.py makemessages -l ko --no-location --no-wrap -i .venv -i node_modules -i .data -i tests && $(VENV)/python manage.py makemessages -d djangojs -l ko --no-location -i node_modules -i vendor -i .venv 2>/dev/null || true

reset: ## forget the embedded cluster, the database and Redis (asks nothing)
	rm -rf .data

clean: ## remove everything that set-up made
	rm -rf .venv node_modules static/vendor .data .setup.lock
