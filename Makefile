# Everything runs with a Rust toolchain, Python 3 and make; cargo fetches the rest.

.PHONY: test format lint api unit docs reference shown package simulations fuzz results bench browser clean

# The version of the program that makes the book.
MDBOOK = 0.5.4

## All that must hold before a change lands: formatting, lints, documentation, tests.
test: format lint api unit

format:
	cargo fmt --all --check

lint:
	cargo clippy --release --workspace --all-targets --locked -- -D warnings

api:
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --locked

unit:
	cargo test --release --workspace --locked

## The book in target/book, with the documentation of the library beside it. Takes the mdbook of the system, or else builds one in target/tools.
docs: api
	$(or $(shell command -v mdbook),target/tools/bin/mdbook) build docs
	rm -rf target/book/api
	cp -R target/doc target/book/api

ifeq ($(shell command -v mdbook),)
docs: target/tools/bin/mdbook
endif

target/tools/bin/mdbook:
	cargo install mdbook --version $(MDBOOK) --locked --no-default-features --features search --root target/tools

## The page of the book that has the help of every command, written anew.
reference:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored write_the_reference

## What commands print, written anew where the README and the book show it. Look at the difference before it is committed.
shown:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored write_what_commands_print

## The packages for a registry: made, unpacked and built there. Needs the registry for what they depend on.
package:
	cargo package --workspace --exclude steinbound-bench --exclude steinbound-book --locked

## The long versions of the simulations behind statistical claims: coverage of intervals, levels and power of tests, gains of tuning.
simulations:
	cargo test --release --locked --package steinbound --test all -- --ignored --nocapture --test-threads=1 coverage:: goodness_of_fit:: tuning::

## A million bad inputs for every parser of files and texts; FUZZ_INPUTS=1000 for fewer, FUZZ_ONLY=WKT for one parser.
fuzz:
	cargo test --release --locked --package steinbound-io --test fuzz -- --ignored --nocapture

## The paper's experiments with all their trials (about five minutes on two cores); writes docs/src/results.md and its pictures.
results:
	cargo build --release --locked --package steinbound-cli
	rm -rf target/paper
	target/release/steinbound reproduce all --output target/paper
	python3 tools/results.py target/paper

## Side by side with NumPy and KeOps: measures, compares with the targets and writes docs/src/benchmarks.md. Needs a C++ compiler.
## Options go into BENCH, as in `make bench BENCH="--quick --no-fail"`.
bench: target/bench-venv/ready
	cargo build --release --locked --package steinbound-bench --package steinbound-cli
	target/bench-venv/bin/python bench/side_by_side.py $(BENCH)

target/bench-venv/ready: bench/requirements.txt
	python3 -m venv target/bench-venv
	target/bench-venv/bin/pip install --quiet --requirement bench/requirements.txt
	touch $@

## Opens reports in Chromium (which must be on the path): console, network, screenshots into target/reports.
browser:
	cargo test --release --locked --package steinbound-cli --test all -- --ignored --nocapture report::

clean:
	cargo clean
