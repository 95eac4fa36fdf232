#!/usr/bin/env bash
# Stands in for rustc when cargo compiles our own crates (RUSTC_WORKSPACE_WRAPPER; the first argument is the rustc it replaces): they are linted, and no
# machine code is made of them. `cargo clippy` would check every dependency beside what the tests compile; this way both rest on the same compiled ones.
set -euo pipefail

arguments=()
for argument in "$@"; do
    case $argument in
        # A build script has to run.
        build_script_*) exec clippy-driver "$@" -D warnings ;;
        --emit=*link) argument=--emit=dep-info,metadata ;;
        # Of our crates there is nothing but the metadata, and lints need no more of the others.
        *=*.rlib) argument=${argument%.rlib}.rmeta ;;
    esac
    arguments+=("$argument")
done
exec clippy-driver "${arguments[@]}" -D warnings
