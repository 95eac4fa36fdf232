"""Writes python/steinbound/_options.py, the options of the Python functions for type checkers, from the engine's list.

    python3 tools/python_options.py          writes the module
    python3 tools/python_options.py --check  says whether it is up to date

The package must be installed.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path

import steinbound
from steinbound._kinds import OPTIONS, Option

MODULE = Path(__file__).parent.parent / "python" / "steinbound" / "_options.py"

HEADER = '''"""The options of the functions, for type checkers and readers.

Written by tools/python_options.py from the engine's list of options; ``make python-reference`` writes it anew.
"""

from __future__ import annotations

from typing import TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """Settings that are rarely changed, as the command line has them.

    Attributes
    ----------
'''

TYPES = {"number": "float", "number-or-word": "float | str", "count": "int", "flag": "bool", "choice": "str"}


def kept() -> list[Option]:
    """The options of an estimator that are no arguments of their own."""
    own = {*inspect.signature(steinbound.fit).parameters, "seed"}
    return [option for option in OPTIONS if option.group == "estimator" and option.name not in own]


def described(option: Option) -> str:
    """What an option does, in the docstring."""
    text = option.help
    if option.choices:
        text += ": " + ", ".join(f"``{name}``" for name in option.choices)
    if option.default is not None:
        text += f" (default: {option.default})"
    text = f"{text}. {option.details}" if option.details else f"{text}."
    lines = textwrap.wrap(text, 108, break_long_words=False, break_on_hyphens=False)
    return f"    {option.name}\n" + "".join(f"        {line}\n" for line in lines)


def annotated(option: Option) -> str:
    """The type of an option."""
    kind = "float | str" if option.is_numbered else TYPES[option.kind]
    return f"    {option.name}: {kind}{' | None' if option.is_optional else ''}\n"


def module() -> str:
    """The whole module."""
    options = kept()
    return HEADER + "".join(map(described, options)) + '    """\n\n' + "".join(map(annotated, options))


def main() -> None:
    written = module()
    if "--check" in sys.argv[1:]:
        if MODULE.read_text(encoding="utf-8") != written:
            sys.exit("python/steinbound/_options.py is not up to date; `make python-reference` writes it anew")
        return
    MODULE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
