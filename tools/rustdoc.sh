#!/usr/bin/env bash
# Stands in for rustdoc when cargo runs the examples of a crate (RUSTDOC): first makes the pages of the crate, where a warning is an error. `cargo doc` would
# check every dependency beside what the tests compile.
set -euo pipefail

# What is said to the runner of the examples, with its value where it has one, means nothing for pages.
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
