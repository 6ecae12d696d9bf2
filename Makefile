# The main commands are `make run` and `make test`. `make` without a target lists all of them.
PYTHON ?= python3
PORT ?= 9000
WEB ?= 1
SBOM ?= .data/sbom
VENV := .venv/bin
export UV_PYTHON_DOWNLOADS = never

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all lint fix e2e audit sbom conformance conformance-record real-cluster run-real \
	real-node run-node test-node test-image \
	test-postgres test-real test-compatibility test-operators test-forms test-installs test-faults bench bench-live bench-load bench-start \
	bench-ui code-figures plant-faults axe screenshots messages reset clean

help: ## list these targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:
	@$(PYTHON) tools/setup.py

run: setup ## start everything on http://localhost:9000 (PORT=, KUBECONFIG=, CONTEXT=, CATALOG=, WEB=); Ctrl-C stops it
	@exec $(VENV)/python -m console.processes --port "$(PORT)" --kubeconfig "$(if $(filter command line,$(origin KUBECONFIG)),$(KUBECONFIG))" --context "$(CONTEXT)" --web "$(WEB)" $(foreach folder,$(CATALOG),--catalog "$(folder)")

test: setup ## run the tests, with browser tests if Chromium is installed; skips suites that passed and are unchanged since (docs/testing.md)
	@$(VENV)/python tools/run_tests.py $(ARGS)

test-all: setup ## run all tests on all clusters, without skipping any suite (takes hours; needs Go, Chromium and, for the single-node cluster, root)
	@$(VENV)/python tools/run_tests.py --all
	@$(VENV)/python tools/run_real_tests.py --all
	@$(MAKE) test-image test-operators test-postgres test-faults test-forms axe test-compatibility test-node

lint: setup ## ruff, mypy --strict, import contracts, language check (docs/language.md), templates, migrations, deploy check
	@$(VENV)/python tools/run_lint.py

fix: setup ## format, and fix what the linters can; templates are formatted by hand (templates/components/README.md)
	@$(VENV)/ruff check --fix -q . ; $(VENV)/ruff format -q . || true

e2e: setup ## run the browser tests; against a running console with URL= and KUBECONFIG=
	@$(VENV)/python -m pytest tests/e2e $(if $(URL),--url "$(URL)") $(if $(KUBECONFIG),--kubeconfig "$(KUBECONFIG)") $(ARGS)

audit: setup ## check dependencies for known vulnerabilities, with pip-audit and npm audit (exit code 0: none, 1: some, 3: advisories unreachable)
	@$(VENV)/python tools/run_audit.py

sbom: setup ## write the image's Python and npm packages as CycloneDX files into SBOM=
	@mkdir -p "$(SBOM)"
	@$(VENV)/uv export --quiet --frozen --no-default-groups --group tracing --format cyclonedx1.5 \
		--preview-features sbom-export --output-file "$(SBOM)/python.cdx.json" > /dev/null
	@PATH="$(CURDIR)/$(VENV):$$PATH" npm sbom --sbom-format cyclonedx --package-lock-only --omit=dev \
		> "$(SBOM)/front-end.cdx.json"

conformance: setup ## compare the answers of the Kubernetes API with those of a real cluster; for the sandbox, or the cluster of KUBECONFIG=
	@$(VENV)/python -m pytest sandbox/conformance $(if $(filter command line,$(origin KUBECONFIG)),--kubeconfig "$(KUBECONFIG)") $(ARGS)

real-cluster: setup ## start a real Kubernetes with OLM on loopback ports (needs Go; the first build takes 10 minutes); Ctrl-C stops it
	@exec $(VENV)/python -m tools.realcluster $(ARGS)

run-real: setup ## start the console with a real cluster of its own, on http://localhost:9000 (PORT=)
	@exec $(VENV)/python -m tools.realcluster --free-port "$(PORT)" -- $(VENV)/python -m console.processes --port "$(PORT)" --data .data/real-console --kubeconfig .data/real/kubeconfig --context ""

real-node: setup ## start a single-node Kubernetes with containers in its own network namespace (needs root, Debian and Go; OLM=1: with OLM, OLM=v1: with OLM v1, OLM=all: both, ARGOCD=1: Argo CD in its catalog; docs/real-node.md); Ctrl-C stops it
	@exec $(VENV)/python -m tools.realnode $(if $(OLM),--olm $(OLM:1=v0)) $(if $(ARGOCD),--argocd) $(if $(DATA),--data "$(DATA)") $(ARGS)

run-node: setup ## start the console in such a node, from images built with deploy/Containerfile, on http://localhost:9000 (PORT=; OLM=1, v1 or all; ARGOCD=1; DATA= for a second node)
	@exec $(VENV)/python -m tools.realnode $(if $(OLM),--olm $(OLM:1=v0)) $(if $(ARGOCD),--argocd) --console --port "$(PORT)" $(if $(DATA),--data "$(DATA)") $(ARGS)

test-node: setup ## test the tutorial's overlay in such a node, from the product's own images, and in a browser
	@$(VENV)/python -m tools.realnode --build-only
	@TEST_NODE=1 $(VENV)/python -m pytest -q -s $(or $(ARGS),tests/node)

test-real: setup ## run the conformance suite on both clusters, and the product's tests and browser tests on the real one
	@$(VENV)/python tools/run_real_tests.py $(ARGS)

test-compatibility: setup ## run the tests that a real cluster decides with other versions of Kubernetes and OLM (docs/compatibility.md; VERSIONS="1.37 olm-0.45")
	@$(VENV)/python tools/run_compatibility_tests.py $(VERSIONS) $(ARGS)

test-operators: setup ## run the operators' tests and the tutorials in both languages: on the embedded cluster, and on the real one if Go can build it
	@$(VENV)/python tools/run_operator_tests.py $(ARGS)

test-image: setup ## test TLS and sockets with the Python and packages of the images, if that Python is installed here (IMAGE_PYTHON=)
	@$(VENV)/python tools/run_image_tests.py $(ARGS)

test-postgres: setup ## test the pages and the database code with PostgreSQL instead of SQLite
	@$(VENV)/python tools/run_postgres_tests.py $(ARGS)

conformance-record: setup ## record a real cluster's answers as what sandbox/conformance expects
	@$(VENV)/python tools/run_real_tests.py sandbox/conformance -q --record $(ARGS)

test-forms: setup ## report what the forms support for each kind of the catalog, or of a folder of bundles with DATA=
	@$(VENV)/python tools/forms_report.py $(if $(DATA),"$(DATA)")

test-installs: setup ## install every package of the folder DATA= on an embedded cluster through the JSON API; reports false alarms, refusals and unexplained failures (ARGS=--most=15)
	@exec $(VENV)/python tools/installs_report.py "$(DATA)" $(ARGS)

test-faults: setup ## test live updates while hubs, web processes, Redis and the API server are killed, stopped and disconnected (FAULT_MINUTES=5, FAULT_SEED=, REAL=1: with a real API server)
	@FAULT_MINUTES="$(FAULT_MINUTES)" FAULT_SEED="$(FAULT_SEED)" FAULT_REAL="$(REAL)" $(VENV)/python -m pytest -q -s tests/faults/each.py tests/faults/long.py $(ARGS)

plant-faults: setup ## mutation test: which tests detect 30 small faults in the product; writes the table into docs/testing.md (takes hours; ARGS=--help)
	@$(VENV)/python tools/plant_faults.py $(ARGS)

code-figures: setup ## print code metrics: modules, files behind a page, long lines, calls with many arguments
	@$(VENV)/python tools/code_figures.py

bench: setup ## measure event to screen, catalog, forms and lists with a cold cache, memory; writes bench/latest.json
	@$(VENV)/python -m bench $(ARGS)

bench-live: setup ## measure live updates: event to screen, events a second, streams, topics, faults; on the sandbox and a real cluster; writes bench/latest-live.json
	@$(VENV)/python -m bench.live $(ARGS)

bench-load: setup ## measure 50 signed-in users and 500 open streams, with two web processes, SQLite and PostgreSQL (LOAD_MINUTES=5); writes bench/latest-load.json
	@LOAD_MINUTES="$(LOAD_MINUTES)" $(VENV)/python -m bench.load $(ARGS)

bench-start: setup ## measure the seconds from `make run` in a fresh clone until /readyz returns 200, first and second start
	@$(VENV)/python -m bench.start $(ARGS)

bench-ui: setup ## measure first and largest contentful paint, blocking time, layout shift and bytes of the ten main pages, on a desktop and a slow phone, and of navigation between pages; writes bench/latest-ui.json
	@$(VENV)/python -m bench.ui $(ARGS)

axe: setup ## check every page, also with sign-in, with axe-core against WCAG 2.2 A and AA: both themes and languages, desktop and phone (ten minutes)
	@AXE=all $(VENV)/python -m pytest -q tests/e2e/test_accessibility.py tests/e2e/signed_in/test_accessible.py $(ARGS)

screenshots: setup ## regenerate the pictures of docs/, and take every page in both themes, languages and widths into .data/screenshots (ARGS=operatorhub, resources, forms or pages: only these)
	@$(VENV)/python -m tools.pictures $(ARGS)

messages: setup ## collect the messages for each language of locale/ (needs GNU gettext)
	@$(VENV)/python manage.py makemessages --all --no-obsolete --no-location --no-wrap -i .venv -i node_modules -i .data -i tests

reset: ## delete the data of the embedded cluster, the database and Redis (without confirmation)
	rm -rf .data

clean: ## delete everything that the set-up created
	rm -rf .venv node_modules static/vendor .data .setup.lock
