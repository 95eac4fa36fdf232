#!/usr/bin/env bash
# Replaces rustdoc when cargo runs the examples of a crate (RUSTDOC): first builds the pages of the crate, with
# warnings as errors. `cargo doc` would check every dependency in addition to the tests' compilation.
set -euo pipefail

# Arguments for the runner of the examples, with their values, do not apply to pages.
pages=()
is_value_of_runner=
for argument in "$@"; do
    case $argument in
        --test) ;;
        --test-*=*) ;;
        --test-*) is_value_of_runner=yes ;;
        *) [[ $is_value_of_runner ]] || pages+=("$argument") ; is_value_of_runner= ;;
    esac
done
if [[ " $* " == *" --test "* ]]; then
    rustdoc "${pages[@]}" --deny warnings --out-dir "${CARGO_TARGET_DIR:-target}/pages"
fi
exec rustdoc "$@"
