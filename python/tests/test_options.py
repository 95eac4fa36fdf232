"""The options of the functions are those that the engine describes, each with its kind."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from helpers import DISC, KNOWN, disc_sample, quiet

import steinbound as sb
from steinbound._kinds import OPTIONS, Option

TOOLS = Path(__file__).parent.parent.parent / "tools"


def tool(name: str = "python_options") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["python_options", "python_models"])
def test_the_module_is_up_to_date(name: str) -> None:
    made = tool(name)
    assert made.MODULE.read_text(encoding="utf-8") == made.module(), "`make python-reference` writes it anew"


def test_types_have_every_option() -> None:
    assert list(sb.Options.__annotations__) == [option.name for option in tool().kept()]
    # Every option of an estimator can be given to fit in one way or another.
    given = {*sb.fit.__annotations__, *sb.Options.__annotations__, "seed"}
    assert {option.name for option in OPTIONS if option.group == "estimator"} <= given


def values_of(option: Option) -> list[Any]:
    """Values that an option takes."""
    if option.choices:
        return [*option.choices, *(map(float, option.choices) if option.is_numbered else ())]
    return {"number": [0.5], "count": [20], "flag": [True, False]}[option.kind]


@pytest.mark.parametrize("option", tool().kept(), ids=lambda option: str(option.name))
def test_every_option_reaches_the_engine(option: Option) -> None:
    X = disc_sample(40)
    for value in values_of(option) + ([None] if option.is_optional else []):
        with quiet():
            found = sb.fit(X, domain=DISC, model=KNOWN, method="truncsm", **{option.name: value})
        assert found.n == 40
    wrong: Any = {} if option.kind == "choice" else "wrong"
    for value in [wrong] + ([] if option.is_optional else [None]):
        with pytest.raises(TypeError, match=f"^{option.name} is .*; give "):
            sb.fit(X, domain=DISC, model=KNOWN, **{option.name: value})


def test_defaults_are_those_of_the_engine() -> None:
    X = disc_sample(60)
    named = {option.name: option.default for option in tool().kept() if option.default in option.choices}
    assert named == {"distance_norm": "2", "compute": "auto", "boundary_sampling": "uniform"}
    numbers = {"confidence": 0.95, "distance_power": 1.0, "tolerance": 0.001}
    assert {name: str(number) for name, number in numbers.items()} == {
        option.name: f"{float(option.default or 'nan')}" for option in tool().kept() if option.name in numbers
    }
    for method in ("efficient", "tksd", "truncsm"):
        plain = sb.fit(X, domain=DISC, model=KNOWN, method=method)
        explicit: Any = {**named, **numbers}
        found = sb.fit(X, domain=DISC, model=KNOWN, method=method, **explicit)
        assert found.estimates.tolist() == plain.estimates.tolist()


def test_docstrings_list_the_choices() -> None:
    for option in OPTIONS:
        text = sb.gof_test.__doc__ if option.group == "test" else sb.regress.__doc__ if option.group == "regression" else sb.fit.__doc__
        if option.name in sb.Options.__annotations__:
            text = sb.Options.__doc__
        for name in option.choices:
            assert name == "none" or f'"{name}"' in (text or "") or f"``{name}``" in (text or ""), (option.name, name)
