"""The page of the book that is made from docstrings is up to date, and the examples in these run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

import steinbound

TOOL = Path(__file__).parent.parent.parent / "tools" / "python_reference.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("python_reference", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    pytest.importorskip("sklearn")
    made = tool()
    written = made.PAGE.read_text(encoding="utf-8")
    assert written == made.page(), "`make python-reference` writes it anew"


def test_everything_public_is_on_the_page() -> None:
    listed = {name for _, module, names in tool().PARTS if module == "steinbound" for name in names}
    # Bases that are of no use by themselves, and modules.
    others = {"Model", "Kernel", "__version__", "datasets", "domains", "kernels", "models", "plotting"}
    assert listed == set(steinbound.__all__) - others


def test_docstrings_become_markdown() -> None:
    text = "One :func:`fit`.\n\nParameters\n----------\na, b\n    First\n    line.\n\nExamples\n--------\n>>> 1\n1\n"
    assert tool().described(text) == "One `fit`.\n\n*Parameters*\n\n- `a`, `b`: First line.\n\n```pycon\n>>> 1\n1\n```"


def modules() -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(steinbound.__path__) if found.name != "_core")


@pytest.mark.parametrize("name", ["", *modules()])
def test_examples_in_docstrings_run(name: str) -> None:
    try:
        module = importlib.import_module(f"steinbound.{name}" if name else "steinbound")
    except ImportError as error:
        # Only the estimators for scikit-learn may need what is not there.
        assert "sklearn" in str(error) or "scikit-learn" in str(error)
        pytest.skip(str(error))
    failed, _ = doctest.testmod(module, report=True)
    assert failed == 0
