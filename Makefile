# Everything runs with a Rust toolchain, Python 3 and make; cargo fetches the rest.

.PHONY: test format lint docs unit simulations results bench browser clean

## All that must hold before a change lands: formatting, lints, documentation, tests.
test: format lint docs unit

format:
	cargo fmt --all --check

lint:
	cargo clippy --release --workspace --all-targets --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --locked

unit:
	cargo test --release --workspace --locked

## The long versions of the simulations behind statistical claims: coverage of intervals, levels and power of tests, gains of tuning.
simulations:
	cargo test --release --locked --package steinbound --test all -- --ignored --nocapture --test-threads=1 coverage:: goodness_of_fit:: tuning::

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
