"""Looks at everything that the command and the Python package are built from.

    python3 tools/supply_chain.py                 refuses licences and sources that are not on the lists below
    python3 tools/supply_chain.py --page FILE     also writes the page of the book about dependencies
    python3 tools/supply_chain.py --bom FILE      also writes a bill of materials (CycloneDX 1.6, JSON)

Reads `cargo tree`, `cargo metadata` and the sources of the packages as Cargo has unpacked them.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent

# The packages that users install.
SHIPPED = ["steinbound-cli", "steinbound-python"]

# Licences that allow what ours allow. An expression is accepted if one of its alternatives consists of these alone.
LICENCES = {
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "BSL-1.0",
    "CC0-1.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}

# The system whose packages the page lists.
PAGE_OF = "x86_64-unknown-linux-gnu"

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"

# The word in code, outside of comments, strings and attributes that forbid it.
UNSAFE = re.compile(r"(?<![\w\"`])unsafe(?=\s*(?:\{|fn|impl|trait|extern|\())")


def cargo(*arguments):
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def shipped(target):
    """The packages that those of `SHIPPED` are made of on a system, without what only builds or tests them."""
    chosen = [word for name in SHIPPED for word in ("--package", name)]
    tree = cargo("tree", *chosen, "--edges", "normal", "--target", target, "--prefix", "none")
    names = set(re.findall(r"^(\S+) v(\S+)", tree, re.MULTILINE))
    packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    found = [package for package in packages if (package["name"], package["version"]) in names and package["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def is_allowed(expression):
    """Whether an SPDX expression has an alternative of allowed licences; `/` is an old way to write OR."""
    alternatives = re.split(r"\s+OR\s+|/", expression.replace("(", "").replace(")", ""))
    # "(A OR B) AND C" reads here as "A" or "B AND C", which is stricter for A: C is looked at below.
    common = re.findall(r"\)\s+AND\s+([^()]+)", expression)
    parts = [part for alternative in alternatives for part in [re.split(r"\s+AND\s+", alternative)]]
    allowed = [all(piece.strip() in LICENCES for piece in pieces) for pieces in parts]
    return any(allowed) and all(piece.strip() in LICENCES for piece in common)


def unsafe_lines(package):
    """The lines of a package's sources that begin something unsafe."""
    folder = Path(package["manifest_path"]).parent / "src"
    count = 0
    for path in folder.rglob("*.rs"):
        for line in path.read_text(errors="replace").splitlines():
            count += not line.lstrip().startswith(("//", "#")) and bool(UNSAFE.search(line))
    return count


def bill(packages, checksums):
    def component(package):
        name, version = package["name"], package["version"]
        entry = {
            "type": "library",
            "bom-ref": f"pkg:cargo/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:cargo/{name}@{version}",
            "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
        }
        checksum = checksums.get((name, version))
        if checksum:
            entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return entry

    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE).group(1)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "steinbound", "version": version}},
        "components": [component(package) for package in packages],
    }


def checksums():
    """The checksums of `Cargo.lock`, by name and version."""
    text = (ROOT / "Cargo.lock").read_text()
    entry = re.compile(r'name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = "(.*)"')
    return {(name, version): checksum for name, version, checksum in entry.findall(text)}


def page(packages):
    unsafe = {package["name"] + " " + package["version"]: unsafe_lines(package) for package in packages}
    without = sum(count == 0 for count in unsafe.values())
    licences = Counter(package["license"].replace("/", " OR ") for package in packages)
    rows = "".join(f"| {licence} | {count} |\n" for licence, count in licences.most_common())
    most = sorted(unsafe.items(), key=lambda item: (-item[1], item[0]))[:15]
    lines = "".join(f"| {name} | {count} |\n" for name, count in most)
    return (
        f"# Dependencies\n\n<!-- written by make supply-chain -->\n\n"
        f"On Linux, the command and the Python package are made of {len(packages)} packages from crates.io, all pinned with "
        f"checksums in `Cargo.lock`; none has another source.\n\n"
        f"| licence | packages |\n|---|---:|\n{rows}\n"
        f"{without} of them have no line of code that begins something `unsafe`; those with most are:\n\n"
        f"| package | such lines |\n|---|---:|\n{lines}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--bom", type=Path)
    options = parser.parse_args()
    packages = shipped("all")
    faults = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if package["source"] != REGISTRY:
            faults.append(f"{name} comes from {package['source']}, not from crates.io")
        if not is_allowed(package["license"] or ""):
            faults.append(f"{name} has the licence {package['license']}, which is not on the list")
    if options.page:
        options.page.write_text(page(shipped(PAGE_OF)))
    if options.bom:
        options.bom.parent.mkdir(parents=True, exist_ok=True)
        options.bom.write_text(json.dumps(bill(packages, checksums()), indent=1) + "\n")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(packages)} packages, {len(faults)} refused")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
