#!/usr/bin/env bash
# Replaces rustc when cargo compiles our own crates (RUSTC_WORKSPACE_WRAPPER; the first argument is the rustc it
# replaces): they are linted, and no machine code is generated. `cargo clippy` would check every dependency in
# addition to the tests' compilation; this way both use the same compiled dependencies.
set -euo pipefail

arguments=()
for argument in "$@"; do
    case $argument in
        # A build script has to run.
        build_script_*) exec clippy-driver "$@" -D warnings ;;
        --emit=*link) argument=--emit=dep-info,metadata ;;
        # Our crates have only metadata here, and lints need no more of the others.
        *=*.rlib) argument=${argument%.rlib}.rmeta ;;
    esac
    arguments+=("$argument")
done
exec clippy-driver "${arguments[@]}" -D warnings
