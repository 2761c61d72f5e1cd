# The two commands: `make run` and `make test`.
STUDY ?= model-queries
PROFILE ?= demo
PYTHON ?= python3
SITE ?= site
BIN := .venv/bin
# SOURCE=archive makes everything from an archive, with neither a JDK nor Maven
SOURCE ?= measure
ARCHIVE ?= archives/model-queries-claims.zip
ifeq ($(SOURCE),archive)
CHOSEN = source=archive "archive=$(ARCHIVE)"
WHICH = --archive "$(ARCHIVE)"
else
CHOSEN = profile=$(PROFILE) "studies=['$(STUDY)']"
WHICH = --study "$(STUDY)" --profile "$(PROFILE)"
endif
SNAKEMAKE = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --cores all --quiet host reason --config $(CHOSEN)
MVN := mvn -B -ntp -q -f java-shims/pom.xml $(MVNFLAGS)
# Unit tests that only compute need no Java program: they use what other tests leave of the CPUs.
UNITS := $(addprefix tests/unit/,analysis cli config design driver orb report samples stats steering workloads)
# Tests of programs and pages that do not mind a busy machine: two files at a time. In those of cells
# busy clients make nothing invalid (tests/e2e/beside_others).
BESIDE := $(patsubst %,tests/e2e/test_%.py,archive baseline batches compare_page configuration_space explore metadata \
    first_steps killed_snakemake new_tool own_model pipeline rootless_hosts several_hosts \
    shared_starts steering uml) \
  $(addprefix tests/integration/,environment findings golden hawk inputs jvm measure/test_conformance.py \
  notebooks orb packages pages scoreboard steering stores validators tools/test_cdo_http.py tools/test_documented_tools.py \
  tools/test_hawk_queries.py tools/test_mogwai_queries.py tools/test_graph_stores.py \
  tools/test_postgresql_queries.py traffic/test_beside_tshark.py)
# Tests that wait more than they compute, four files at a time; only one of them asks for Docker.
WAITING := $(addprefix tests/integration/,driver ledger hosts/test_containers.py hosts/test_namespace_hosts.py \
  measure traffic/test_namespace.py)
# All others judge measurements, and have the machine for themselves.
TWO := -n 2 --dist loadfile --no-loadscope-reorder
FOUR := -n 4 --dist loadfile --no-loadscope-reorder
except = $(foreach tests,$(1),--ignore=$(tests))

VALIDATORS := .venv/validators/bin

.PHONY: run check test test-long test-java test-beside test-units build wheels orb lint lint-python format schemas thrift lock clean tools validators sbom codemeta site

run: .venv/.ready ## measure a study (or take an archive), write its tables, figures and report
	@$(BIN)/python tools/stale_lock.py
	@$(SNAKEMAKE); code=$$?; $(BIN)/modelstress results $(WHICH) || code=$$?; exit $$code

check: .venv/.ready lint-python ## the inner loop, 3 minutes at most: lint, types and unit tests, no Java
	$(BIN)/python -m pytest $(TWO) $(PYTESTFLAGS) $(UNITS)
	$(BIN)/python -m pytest $(PYTESTFLAGS) tests/unit $(call except,$(UNITS))

test: .venv/.ready build orb ## all tests but the long ones
	$(MAKE) -j 2 --output-sync=target test-beside test-units
	$(BIN)/python -m pytest -m "not long" $(FOUR) $(PYTESTFLAGS) $(WAITING) $(call except,$(BESIDE))
	$(BIN)/python -m pytest -m "not long" $(PYTESTFLAGS) $(call except,$(UNITS) $(BESIDE) $(WAITING))

test-java:
	$(MVN) verify

test-beside: test-java
	$(BIN)/python -m pytest -m "not long" $(TWO) $(PYTESTFLAGS) $(BESIDE)

test-units:
	nice -n 19 $(BIN)/python -m pytest -m "not long" $(TWO) $(PYTESTFLAGS) $(UNITS)

test-long: .venv/.ready build ## soaks and kill storms
	$(MVN) verify -DexcludedGroups=
	$(BIN)/python -m pytest -m long --timeout 7200

build: tools ## the Java programs
	$(MVN) package -DskipTests

wheels: .venv/.ready ## the package and the tools for pip, into dist/; needs `make build`
	$(BIN)/python tools/wheels.py

orb: .venv/.ready ## programs in C++, where omniORB is there or can be installed; their tests need it
	@if sh tools/system.sh orb; then $(MAKE) -s -j 2 -C orb; fi

lint: lint-python ## everything that looks at the code without running it
	$(MVN) spotless:check

lint-python: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(wildcard orb/harness/*.?pp orb/corba/*.?pp)
	$(BIN)/snakefmt --check workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

format: .venv/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt workflow
	$(BIN)/clang-format -i $(wildcard orb/harness/*.?pp orb/corba/*.?pp)
	$(MVN) spotless:apply

schemas: .venv/.ready ## generate workflow/schemas again
	$(BIN)/modelstress schemas

thrift: ## generate the Java code of Hawk's API again; needs the package thrift-compiler
	$(PYTHON) java-shims/hawk-api/generate.py

lock: .venv/.ready ## resolve the dependencies again; with Debian's Python 3.11.2, newer ones take what it cannot install
	$(BIN)/pip-compile -q --generate-hashes --allow-unsafe --strip-extras --extra dev --extra cluster --extra measure \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --upgrade \
	  -o requirements.lock pyproject.toml
	sed -i '/^# WARNING: pip install/,/# via modelstress/d' requirements.lock # extras of our own name us
	$(BIN)/python tools/environment.py

validators: .venv/.ready .venv/validators/.ready ## metadata of the project and its archives, without a network
	$(BIN)/python tools/codemeta.py --check
	$(MAKE) -s sbom/python.cdx.json
	$(VALIDATORS)/python tools/validators/validate.py sbom/python.cdx.json

codemeta: .venv/.ready ## generate codemeta.json and .zenodo.json again
	$(BIN)/python tools/codemeta.py

# Java's is only made here: the goal refuses to work offline, and takes half a minute of a processor
sbom: .venv/validators/.ready ## software bills of materials (CycloneDX) of Python and Java, in sbom/
	$(MAKE) -s sbom/python.cdx.json
	$(MVN) org.cyclonedx:cyclonedx-maven-plugin:2.9.1:makeAggregateBom -DoutputFormat=json \
	  -DschemaVersion=1.6 -DoutputName=java.cdx -DoutputDirectory=$(CURDIR)/sbom
	$(VALIDATORS)/python tools/validators/validate.py sbom/python.cdx.json sbom/java.cdx.json

sbom/python.cdx.json: requirements.lock pyproject.toml | .venv/validators/.ready
	mkdir -p sbom
	$(VALIDATORS)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --sv 1.6 \
	  --output-reproducible --of JSON -o $@

site: .venv/.ready ## the documentation as a site; a link that leads nowhere is an error
	$(BIN)/sphinx-build -q -E -W --keep-going -b html -d .venv/site-pages docs $(SITE)

clean: ## everything that can be made again; samples and results stay
	rm -rf .venv .snakemake .mypy_cache .ruff_cache .pytest_cache java-shims/*/target

tools:
	@SOURCE=$(SOURCE) sh tools/system.sh

.venv/validators/.ready: tools/validators/requirements.txt
	$(PYTHON) -m venv .venv/validators
	$(VALIDATORS)/pip install -q -r tools/validators/requirements.txt
	touch $@

.venv/.ready: requirements.lock pyproject.toml | tools
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q --require-hashes -r requirements.lock
	$(BIN)/pip install -q --no-deps --no-build-isolation -e .
	touch $@
