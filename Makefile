# Everything runs with a Rust toolchain, Python 3 and make; cargo fetches the rest.

.PHONY: test format lint docs unit clean

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

clean:
	cargo clean
