"""Reads the imports between the top-level modules of the core, prints their order, and fails on a cycle.

A module may use those printed before it. Files named error.rs form a layer of their own at the bottom: they hold the
errors of their folder, and import only each other. Tests, examples in documentation and the public
conformance suites of a module may use anything.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "crates/steinbound/src"
ERRORS = "error"
# Re-exports of the crate root, by the module that they come from.
ROOT = re.compile(r"^pub use ([a-z_]+)::(.*);", re.MULTILINE)


def module_of(path: Path) -> str:
    """The top-level module that a file belongs to."""
    if path.name == "error.rs":
        return ERRORS
    return path.relative_to(SOURCE).parts[0].removesuffix(".rs")


def code_of(path: Path) -> str:
    """The code of a file without comments and without its tests."""
    text = path.read_text().split("#[cfg(test)]\nmod tests {")[0]
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def root_exports() -> dict[str, str]:
    """The names that the crate root exports, and their modules."""
    exports = {}
    for module, names in ROOT.findall((SOURCE / "lib.rs").read_text()):
        exports |= {name: module for name in re.findall(r"\w+", names)}
    return exports


def imports() -> dict[str, dict[str, set[str]]]:
    """For each module the modules it imports, and the files that do so."""
    exports = root_exports()
    found: dict[str, dict[str, set[str]]] = {}
    for path in sorted(SOURCE.rglob("*.rs")):
        if path.name in ("lib.rs", "tests.rs", "conformance.rs"):
            continue
        module = module_of(path)
        uses = found.setdefault(module, {})
        for name, rest in re.findall(r"\bcrate::(\w+)(::error\b)?", code_of(path)):
            other = ERRORS if rest else exports.get(name, name)
            if other != module:
                uses.setdefault(other, set()).add(str(path.relative_to(SOURCE)))
    return found


def order(found: dict[str, dict[str, set[str]]]) -> list[str]:
    """The modules, each after all that it uses; those in a cycle are left out."""
    done: list[str] = []
    while ready := sorted(m for m in found if m not in done and all(other in done for other in found[m])):
        done += ready
    return done


def main() -> int:
    found = imports()
    ordered = order(found)
    print("modules of the core, each after what it uses: " + ", ".join(ordered))
    rest = {module: uses for module, uses in found.items() if module not in ordered}
    # A module that only uses a cycle is not part of one.
    while tops := [m for m in rest if not any(m in uses for other, uses in rest.items() if other != m)]:
        for module in tops:
            del rest[module]
    for module, uses in rest.items():
        for other in sorted(set(uses) & set(rest)):
            print(f"cycle: {module} uses {other} in {', '.join(sorted(uses[other]))}", file=sys.stderr)
    return 1 if rest else 0


if __name__ == "__main__":
    sys.exit(main())
