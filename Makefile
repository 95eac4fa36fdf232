# Everything runs with a Rust toolchain, Python 3.11 or later and make; cargo and pip fetch the rest.

.PHONY: test rust format lint api unit python python-checks python-types python-long python-examples python-shown python-reference docs reference shown supply-chain package publish wheels workflows simulations precision atlases fuzz campaign faults results bench growth browser clean

# The version of the program that builds the book.
MDBOOK = 0.5.4

# The environment in which the Python package is tested, and its programs.
PYTHON_ENVIRONMENT = target/python-environment
IN_PYTHON = $(PYTHON_ENVIRONMENT)/bin

## All checks that a change must pass: formatting, lints, documentation, tests, and the same for the Python
## package. The packages for the Python tests are downloaded while Rust is compiled.
test:
	rm -rf $(PYTHON_ENVIRONMENT)
	$(MAKE) $(PYTHON_ENVIRONMENT)/ready & environment=$$!; $(MAKE) rust && wait $$environment
	$(MAKE) python-checks

rust: format lint unit

format:
	cargo fmt --all --check

# This also compiles the dependencies of our crates in the place where the tests find them.
lint:
	RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/tools/lint.sh cargo build --profile quick --workspace --all-targets --locked
	python3 tools/imports.py
	python3 tools/supply_chain.py
	$(MAKE) workflows

## Lints the workflows of .github only, without a request to GitHub.
workflows: target/workflow-tools/ready
	target/workflow-tools/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	target/workflow-tools/bin/zizmor --offline --quiet --no-progress .github

# Includes the examples in the documentation, and treats its warnings as errors.
unit:
	RUSTDOC=$(CURDIR)/tools/rustdoc.sh cargo test --profile quick --workspace --locked

## The documentation of the library in target/doc.
api:
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --locked

## The Python package alone: its wheel is built in a fresh virtual environment, installed and tested there, and
## compared with the command.
python:
	rm -rf $(PYTHON_ENVIRONMENT)
	cargo build --profile quick --locked --package steinbound-cli
	$(MAKE) python-checks

# Byte code is compiled when it is needed: most installed modules are never imported.
$(PYTHON_ENVIRONMENT)/ready: python/requirements.txt
	rm -rf $(PYTHON_ENVIRONMENT)
	python3 -m venv $(PYTHON_ENVIRONMENT)
	$(IN_PYTHON)/pip install --quiet --disable-pip-version-check --no-compile --requirement python/requirements.txt
	touch $@

# Types are checked in parallel with the tests.
python-checks: $(PYTHON_ENVIRONMENT)/ready
	rm -rf target/wheels
	$(IN_PYTHON)/maturin sdist --out target/wheels
	tar --extract --gzip --file target/wheels/*.tar.gz --directory target/wheels --strip-components=1 --one-top-level=sdist
	cargo metadata --offline --format-version 1 --manifest-path target/wheels/sdist/python/Cargo.toml > target/wheels/sdist.json
	$(IN_PYTHON)/maturin build --profile quick --locked --quiet --out target/wheels
	$(IN_PYTHON)/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/*.whl
	$(MAKE) python-types & types=$$!; $(TEST_PYTHON) --numprocesses 2 -m "not long" && wait $$types

python-types:
	$(IN_PYTHON)/mypy
	$(IN_PYTHON)/stubtest steinbound --mypy-config-file pyproject.toml --allowlist python/stubtest_allowlist.txt

TEST_PYTHON = STEINBOUND=$(or $(CARGO_TARGET_DIR),$(CURDIR)/target)/quick/steinbound $(IN_PYTHON)/python -m pytest --quiet

## The tests of the Python package that take minutes: ten thousand hostile calls, large data. This and the next
## three targets use the environment created by `make python`.
python-long:
	$(TEST_PYTHON) -m long

## Redraws the figures of the book's Python examples.
python-examples:
	for script in examples/python/*.py; do FIGURES=docs/src/images MPLBACKEND=Agg $(IN_PYTHON)/python $$script || exit 1; done

## Updates the output of Python examples in README and book. Review the difference before you commit it.
python-shown:
	STEINBOUND_WRITE_PAGES=1 $(IN_PYTHON)/pytest -q python/tests/test_book.py -k pages_print

## Updates the options of the Python package and the page of the book that is generated from docstrings.
python-reference:
	$(IN_PYTHON)/python tools/python_options.py
	$(IN_PYTHON)/python tools/python_models.py
	$(IN_PYTHON)/python tools/python_reference.py

## The book in target/book, together with the documentation of the library. Uses the installed mdbook, or else
## builds one in target/tools.
docs: api
	$(or $(shell command -v mdbook),target/tools/bin/mdbook) build docs
	rm -rf target/book/api
	cp -R target/doc target/book/api

ifeq ($(shell command -v mdbook),)
docs: target/tools/bin/mdbook
endif

target/tools/bin/mdbook:
	cargo install mdbook --version $(MDBOOK) --locked --no-default-features --features search --root target/tools

## Updates the page of the book with the help of every command.
reference:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored write_the_reference

## Updates the output of commands in README and book. Review the difference before you commit it.
shown:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored write_what_commands_print

## The page of the book about dependencies, and a bill of materials (CycloneDX) in target/steinbound.cdx.json.
supply-chain:
	python3 tools/supply_chain.py --page docs/src/dependencies.md --bom target/steinbound.cdx.json

## The packages for a registry: created, unpacked and built. Needs the registry for their dependencies.
package:
	cargo package $(PUBLISHED) --locked

## Publishes the packages to the registry, each after those it depends on. Needs a token; `make package` builds them first.
publish:
	cargo publish $(PUBLISHED) --locked --no-verify

# All crates except those with `publish = false`.
PUBLISHED = --workspace --exclude steinbound-bench --exclude steinbound-campaign --exclude steinbound-book --exclude steinbound-python

## Wheels for old Linux systems in target/release-wheels: manylinux (glibc 2.17 or newer) and musllinux (musl 1.2
## or newer), for the processor of this machine. maturin rejects a wheel that needs more than its tag allows.
## auditwheel cannot read a musllinux wheel on a system with glibc, so it shows the needs of the manylinux wheel
## only, which is then installed into a fresh environment and imported. Needs rustup.
wheels: target/wheel-tools/ready
	rustup target add $(ARCHITECTURE)-unknown-linux-musl
	rm -rf target/release-wheels target/fresh-environment
	$(BUILD_WHEEL) --target $(ARCHITECTURE)-unknown-linux-gnu --compatibility manylinux2014
	$(BUILD_WHEEL) --target $(ARCHITECTURE)-unknown-linux-musl --compatibility musllinux_1_2
	target/wheel-tools/bin/auditwheel show target/release-wheels/*manylinux*.whl
	python3 -m venv target/fresh-environment
	target/fresh-environment/bin/pip install --quiet --disable-pip-version-check target/release-wheels/*manylinux*.whl
	cd target && fresh-environment/bin/python -c "import steinbound; print('imported', steinbound.__version__)"

ARCHITECTURE = $(shell uname -m)

# Zig is found as a module of the first python3 on the path.
BUILD_WHEEL = PATH="$(CURDIR)/target/wheel-tools/bin:$$PATH" maturin build --release --locked --zig --out target/release-wheels

target/wheel-tools/ready: tools/wheels.txt
	rm -rf target/wheel-tools
	python3 -m venv target/wheel-tools
	target/wheel-tools/bin/pip install --quiet --disable-pip-version-check --no-compile --requirement tools/wheels.txt
	touch $@

## The long versions of the simulations behind statistical claims: coverage of intervals, levels and power of
## tests, models by name, gains of tuning, warnings of sparse boundaries, precision of the default method.
simulations:
	cargo test --release --locked --package steinbound --test all -- --ignored --nocapture --test-threads=1 coverage:: goodness_of_fit:: mixture_weights:: named_families:: numerics:: oracles:: precision:: selection:: tuning:: sparse_boundaries::

## The tables of precision and coverage of the default method, simulated and written into the book's page.
precision:
	STEINBOUND_WRITE_PAGES=1 cargo test --release --locked --package steinbound --test all -- --ignored --nocapture --test-threads=1 precision::

## Every feature of the npm packages world-atlas and us-atlas is read, projected, sampled and fitted, and so are
## their layers as a whole. Needs npm for the download.
atlases: target/atlases/ready
	ATLASES=$(CURDIR)/target/atlases cargo test --release --locked --package steinbound-cli --test all -- --ignored --nocapture atlases::

target/atlases/ready:
	rm -rf target/atlases
	mkdir -p target/atlases
	cd target/atlases && npm pack --silent world-atlas@2 us-atlas@3
	cd target/atlases && for name in world-atlas us-atlas; do mkdir $$name && tar --extract --gzip --file $$name-*.tgz --directory $$name --strip-components=1 || exit 1; done
	touch $@

## A million bad inputs for every parser of files and texts; FUZZ_INPUTS=1000 for fewer, FUZZ_ONLY=WKT for one parser.
fuzz:
	cargo test --release --locked --package steinbound-io --test fuzz -- --ignored --nocapture

## Every call of the system that a short run of every command makes fails once, every limit on memory in steps of
## a megabyte, and hundreds of kills. Linux only; FAULTS_ONLY=write for one kind of call.
faults:
	cargo test --profile quick --locked --package steinbound-cli --test all -- --ignored --nocapture --test-threads=2 faults:: limits::

## Random commands on random files, each in a process of its own under limits, and a check of all that they do;
## writes target/campaign. RUNS=1000 for fewer, SEED=1 for others; CAMPAIGN=--resume goes on with what was begun,
## CAMPAIGN="--replay 12" shows a run again.
campaign:
	cargo build --release --locked --package steinbound-cli --package steinbound-campaign
	target/release/steinbound-campaign --runs $(or $(RUNS),100000) --seed $(or $(SEED),0) --minimise $(CAMPAIGN)

## The paper's experiments with all their trials (about five minutes on two cores); writes docs/src/results.md
## and its pictures.
results:
	cargo build --release --locked --package steinbound-cli
	rm -rf target/paper
	target/release/steinbound reproduce all --output target/paper
	python3 tools/results.py target/paper

## Benchmarks against NumPy and KeOps: measures, compares with the targets and writes docs/src/benchmarks.md.
## Needs a C++ compiler. Options go into BENCH, as in `make bench BENCH="--quick --no-fail"`.
bench: target/bench-venv/ready
	cargo build --release --locked --package steinbound-bench --package steinbound-cli
	target/bench-venv/bin/python bench/side_by_side.py $(BENCH)

## How time and memory grow with rows, columns, coordinates, vertices, parts and parameters, against what is documented.
## Takes some minutes. Options go into GROWTH, as in `make growth GROWTH="--only vertices"`.
growth:
	cargo build --release --locked --package steinbound-cli
	python3 bench/growth.py $(GROWTH)

target/workflow-tools/ready: tools/workflows.txt
	rm -rf target/workflow-tools
	python3 -m venv target/workflow-tools
	target/workflow-tools/bin/pip install --quiet --disable-pip-version-check --no-compile --requirement tools/workflows.txt
	touch $@

target/bench-venv/ready: bench/requirements.txt
	python3 -m venv target/bench-venv
	target/bench-venv/bin/pip install --quiet --requirement bench/requirements.txt
	touch $@

## Opens reports in Chromium (which must be on the path): checks console and network, and saves screenshots in
## target/reports.
browser:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored --nocapture report::

clean:
	cargo clean
