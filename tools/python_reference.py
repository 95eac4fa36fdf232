"""Writes docs/src/python-reference.md, the page of the book on the Python package, from its docstrings.

    python3 tools/python_reference.py          writes the page
    python3 tools/python_reference.py --check  checks that it is up to date

The package must be installed, with scikit-learn if its estimators are to be on the page.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steinbound import _families

PAGE = Path(__file__).parent.parent / "docs" / "src" / "python-reference.md"

#: The contents of the page, in order: the title of a part, the module, and its names (all of ``__all__`` if none
#: are given).
PARTS: list[tuple[str, str, list[str]]] = [
    ("Functions", "steinbound", ["fit", "regress", "compare", "gof_test", "discrepancy", "simulate"]),
    ("Options", "steinbound", ["Options"]),
    (
        "Results",
        "steinbound",
        [
            "FitResult",
            "RegressionResult",
            "ComparisonResult",
            "ComparedFit",
            "TestResult",
            "DiscrepancyResult",
            "Derived",
            "WaldTest",
            "BoundaryUsed",
            "Disagreement",
            "BoundaryCoverage",
            "Summary",
            "ModelNames",
        ],
    ),
    (
        "Warnings",
        "steinbound",
        [
            "SteinboundWarning",
            "FitWarning",
            "NotTrustworthyWarning",
            "BoundaryWarning",
            "ConvergenceWarning",
            "DataWarning",
            "ModelWarning",
            "AccuracyWarning",
            "UncertaintyWarning",
            "CoordinateWarning",
            "CensoringWarning",
        ],
    ),
    ("Models", "steinbound", ["Gaussian", "GaussianMixture", "Formula", "Score", "LogDensity"]),
    ("Models by name", "steinbound.models", _families.__all__),
    (
        "Domains",
        "steinbound",
        ["Domain", "Ball", "Box", "Interval", "Ellipse", "Annulus", "Cylinder", "HalfSpace", "LevelSet", "Polygon",
         "Where", "Outside", "Intersection", "Union"],
    ),
    ("Kernels", "steinbound", ["GaussianKernel", "IMQ", "Matern52", "RationalQuadratic"]),
    ("Data", "steinbound.datasets", []),
    ("Plots", "steinbound.plotting", []),
    ("Estimators for scikit-learn", "steinbound.sklearn", []),
]

INTRODUCTION = """# Python reference

<!-- Written by tools/python_reference.py from the docstrings; `make python-reference` writes it anew. -->

Every public function and class, from its docstring; `help(steinbound.fit)` shows the same. [Python](python.md) is the
introduction. Names are in the module `steinbound` where no other is given.
"""

SECTIONS = ("Parameters", "Returns", "Raises", "Warns", "Attributes", "Examples", "Notes", "See Also", "References")


def plain(text: str) -> str:
    """Docstring markup as Markdown."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def sections(docstring: str) -> Iterator[tuple[str, str]]:
    """The parts of a NumPy docstring, by title; the first has none."""
    title, lines = "", list[str]()
    rows = inspect.cleandoc(docstring).splitlines()
    for at, row in enumerate(rows):
        if row in SECTIONS and at + 1 < len(rows) and set(rows[at + 1]) == {"-"}:
            yield title, "\n".join(lines).strip()
            title, lines = row, []
        elif not (set(row) == {"-"} and at > 0 and rows[at - 1] in SECTIONS):
            lines.append(row)
    yield title, "\n".join(lines).strip()


def items(text: str) -> Iterator[tuple[str, str]]:
    """Names at the margin, each with its indented description on one line."""
    name, words = "", list[str]()
    for row in text.splitlines():
        if row and not row.startswith(" "):
            if name:
                yield name, " ".join(words)
            name, words = row, []
        else:
            words.append(row.strip())
    if name:
        yield name, " ".join(word for word in words if word)


def described(docstring: str) -> str:
    """A docstring as Markdown."""
    parts = []
    for title, text in sections(docstring):
        if title == "":
            parts.append(plain(text))
        elif title == "Examples":
            parts.append(f"```pycon\n{text}\n```")
        elif title in ("Notes", "See Also", "References"):
            parts.append(f"*{title}.* {plain(text)}")
        else:
            listed = []
            for name, words in items(text):
                names = name if title in ("Parameters", "Attributes") else name.split(" : ")[0]
                code = ", ".join(f"`{part.split(' : ')[0]}`" for part in names.split(", "))
                listed.append(f"- {code}: {plain(words)}" if words else f"- {code}")
            parts.append(f"*{title}*\n\n" + "\n".join(listed))
    return "\n\n".join(part for part in parts if part)


def signature(name: str, value: Any) -> str:
    """A call as it is written, without types."""
    given = inspect.signature(value)
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in given.parameters.values()
        if parameter.name != "self"
    ]
    short = name + str(given.replace(parameters=kept, return_annotation=inspect.Signature.empty))
    if len(short) <= 100:
        return short
    # Fill each line with the parameters that fit.
    inside = short[len(name) + 1 : -1].split(", ")
    lines, row = [], ""
    for part in inside:
        if len(row) + len(part) > 90:
            lines.append(row.rstrip())
            row = ""
        row += f"{part}, "
    lines.append(row.rstrip(", "))
    return f"{name}(\n" + "\n".join(f"    {line}" for line in lines) + "\n)"


def parts_of(kind: type, shown: set[type]) -> Iterator[tuple[str, Any]]:
    """The members of a class, and of those of its bases that are neither public nor on the page already."""
    modules = [sys.modules[module] for _, module, _ in PARTS if module in sys.modules]
    public = {one for module in modules for one in vars(module).values() if inspect.isclass(one)}
    for base in kind.__mro__:
        if base is kind or (base.__module__.startswith("steinbound.") and base not in public | shown):
            shown.add(base)
            yield from vars(base).items()


def members(kind: type, shown: set[type]) -> Iterator[str]:
    """The public methods and properties of a class."""
    known = set[str]()
    for name, value in parts_of(kind, shown):
        if name.startswith("_") or name in known:
            continue
        known.add(name)
        if isinstance(value, property):
            yield f"- `{name}`: {plain(inspect.cleandoc(value.__doc__ or '')).splitlines()[0]}"
        elif inspect.isfunction(value) and value.__doc__:
            yield f"#### `{signature(f'{kind.__name__}.{name}', value)}`\n\n{described(value.__doc__)}"


def entry(name: str, value: Any, is_called: bool, shown: set[type]) -> str:
    """A function or a class, with its signature if users call it."""
    text = [f"### {name}"]
    if is_called:
        text.append(f"```text\n{signature(name, value)}\n```")
    text.append(described(value.__doc__ or ""))
    if inspect.isclass(value):
        found = list(members(value, shown))
        properties = [member for member in found if member.startswith("- ")]
        if properties:
            text.append("\n".join(properties))
        text.extend(member for member in found if not member.startswith("- "))
    return "\n\n".join(text)


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION.strip()]
    shown = set[type]()
    for title, module_name, names in PARTS:
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError:
            if module_name != "steinbound.sklearn":
                raise
            continue
        heading = f"## {title}" + ("" if module_name == "steinbound" else f": `{module_name}`")
        parts.append(heading)
        is_called = title not in ("Options", "Results", "Warnings")
        parts.extend(entry(name, getattr(module, name), is_called, shown) for name in names or module.__all__)
    return "\n\n".join(parts) + "\n"


def main() -> None:
    written = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != written:
            sys.exit("docs/src/python-reference.md is not up to date; `make python-reference` writes it anew")
        return
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
