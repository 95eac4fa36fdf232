"""Writes python/steinbound/_families.py, a class for each model that has a name, from the engine's list.

    python3 tools/python_models.py          writes the module
    python3 tools/python_models.py --check  says whether it is up to date

The package must be installed.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from steinbound import _core
from steinbound._model import class_name

MODULE = Path(__file__).parent.parent / "python" / "steinbound" / "_families.py"

HEADER = '''"""Models that have a name.

Written by tools/python_models.py from the engine's list of models; ``make python-reference`` writes it anew.
"""

from __future__ import annotations
{imports}
from ._model import NamedModel

'''

#: Models with a class of their own in models.py.
WRITTEN = ("gaussian", "gaussian-mixture")

Argument = tuple[str, str, str, str]


def arguments(family: dict[str, Any]) -> list[Argument]:
    """Name, type, default and description of each argument."""
    found: list[Argument] = []
    for parameter in family["parameters"]:
        meaning = parameter["meaning"][0].upper() + parameter["meaning"][1:]
        rest = "None where it is estimated" if parameter["is_estimated"] else "None where the region says it"
        found.append((parameter["name"].replace("-", "_"), "float | None", "None", f"{meaning}. {rest}."))
    choices = family["choices"]
    if "known-covariance" in choices:
        found.append(("covariance", "Any", "None", "The covariance where it is known: a number, variances or a matrix."))
    if "covariance" in choices:
        shapes = " or ".join(f'``"{shape}"``' for shape in family["shapes"])
        found.append(("shape", "str | None", "None", f"The shape of an unknown covariance: {shapes}."))
    if "components" in choices:
        found.insert(0, ("components", "int", "", "How many."))
    if "estimate-weights" in choices:
        found.append(("estimate_weights", "bool", "False", "Whether the weights of the components are estimated."))
    return found


def written(family: dict[str, Any]) -> str:
    """The class of a model."""
    name = class_name(family["name"])
    listed = arguments(family)
    signature = ", ".join(f"{one}: {kind}" + (f" = {default}" if default else "") for one, kind, default, _ in listed)
    settings = ", ".join(f'"{one}": {one}' for one, *_ in listed)
    wrapped = [
        f"    {one}\n" + "".join(f"        {line}\n" for line in textwrap.wrap(text, 100, break_on_hyphens=False))
        for one, _, _, text in listed
    ]
    meaning = family["meaning"][0].upper() + family["meaning"][1:]
    needed = ", ".join("2" for _, _, default, _ in listed if not default)
    return f'''
class {name}(NamedModel):
    """{meaning}.

    Parameters
    ----------
{"".join(wrapped)}
    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.{name}({needed})
    """

    _family = "{family["name"]}"

    def __init__(self, {signature}) -> None:
        self._settings = {{{settings}}}
'''


def module() -> str:
    """The whole module."""
    families = [family for family in json.loads(_core.families()) if family["name"] not in WRITTEN]
    names = sorted(class_name(family["name"]) for family in families)
    listed = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n\n"
    body = "\n".join(map(written, families))
    imports = "\nfrom typing import Any\n" if "Any" in body else ""
    return HEADER.replace("{imports}", imports) + listed + body


def main() -> None:
    if "--check" in sys.argv[1:]:
        if MODULE.read_text(encoding="utf-8") != module():
            sys.exit("python/steinbound/_families.py is not up to date; `make python-reference` writes it anew")
        return
    MODULE.write_text(module(), encoding="utf-8")


if __name__ == "__main__":
    main()
