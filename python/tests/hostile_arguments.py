"""Arguments that nobody should give, each made of a random number generator."""

from __future__ import annotations

import datetime
import json
import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import steinbound as sb

Maker = Callable[[random.Random], Any]


class Raised(Exception):
    """What a hostile object raises; it may arrive as it is."""


def fail(*_: Any, **__: Any) -> Any:
    raise Raised("a hostile object was asked")


#: Objects that raise in one of the ways in which they may be asked for what they hold.
RAISING = [
    type(f"Raising{name.strip('_').title()}", (), {name: fail, "__hash__": object.__hash__})()
    for name in (
        "__array__",
        "__len__",
        "__float__",
        "__iter__",
        "__getitem__",
        "__index__",
        "__eq__",
        "__fspath__",
    )
]
RAISING += [type("RaisingStr", (), {"__str__": fail, "__repr__": fail})()]
RAISING += [type("RaisingInterface", (), {"__geo_interface__": property(fail)})()]

NUMBERS: list[Any] = [
    0,
    1,
    -1,
    2,
    3,
    5,
    0.5,
    -0.0,
    1e-3,
    float("nan"),
    float("inf"),
    float("-inf"),
    1e308,
    -1e308,
    5e-324,
    1e-160,
    1e160,
    2**31,
    2**63,
    2**64,
    -(2**63),
    10**18,
    10**400,
    np.float32(0.3),
    np.int8(-1),
    np.uint64(2**64 - 1),
    np.array(3.0),
    np.array([2.0]),
    np.bool_(True),
    Decimal("NaN"),
    Decimal("1e999999"),
    Fraction(1, 3),
]
TEXTS: list[Any] = [
    "",
    " ",
    "x",
    "gaussian",
    "tksd",
    "v",
    "\0",
    "a\0b",
    "é",
    "𝔘\u202e",
    "\ud800",
    "a" * 5000,
    "(" * 3000,
    "1e999",
    "nan",
    "-",
    ",",
    "mean[x1] = 0",
    "y ~ x",
    "y ~",
    "~",
    "y ~ y",
    "y ~ x + x",
    "ball(radius=1)",
    "ball(radius=-1)",
    "ball()",
    "box(low=1, high=0)",
    'level("x1")',
    "polygon(missing.geojson)",
    "x1^x1^x1",
    "-a*x1",
    "1/0",
    "a=b=c",
    "missing.geojson",
    "/",
    ".",
    "y ~ C(x)",
    "y ~ x:x*x",
    "y ~ " + "x:" * 200 + "x",
    "x1" + "+x1" * 3000,
]
OTHERS: list[Any] = [
    None,
    True,
    False,
    1j,
    b"bytes",
    bytearray(b"x"),
    memoryview(b"abc"),
    object(),
    object,
    [],
    {},
    (),
    set(),
    range(3),
    lambda *_: None,
    Ellipsis,
    NotImplemented,
    datetime.date(2020, 1, 1),
    [[]],
    [[1], [1, 2]],
    [None],
    [[None, 1]],
    {1: 2},
    {"x": []},
    {"x": [1], "y": [1, 2]},
    {"type": "Polygon"},
    {"type": "Polygon", "coordinates": []},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 0]]]},
    {"type": "Point", "coordinates": [0, 0]},
    {"type": "Polygon", "coordinates": "abc"},
    {"type": "Polygon", "coordinates": [[[0, 0, 0]] * 4]},
    {"type": []},
    {"type": "Feature", "geometry": {"type": "Feature", "geometry": None}},
    iter([1, 2]),
    type,
    np.ma.masked,
    np.ma.masked_array([[1.0, 2.0]], [[True, False]]),
    np.random.default_rng(0),
    Exception("no"),
    json,
    slice(1),
]

SHAPES = [
    (),
    (0,),
    (1,),
    (5,),
    (0, 2),
    (3, 0),
    (1, 1),
    (1, 2),
    (2, 2),
    (12, 2),
    (30, 2),
    (12, 1),
    (2, 12),
    (3, 2, 2),
]
TYPES = ["f8", "f4", "f2", "g", "i1", "u8", "?", "c16", "O", "U3", "S2", "M8[D]", "m8[s]", ">f8", "V4"]
FILLS = [
    "usual",
    "usual",
    "inside",
    "nan",
    "infinite",
    "huge",
    "denormal",
    "constant",
    "repeated",
    "one row off",
    "mixed",
]


def array(rng: random.Random, shape: tuple[int, ...] | None = None, dtype: str | None = None) -> Any:
    """An array of any shape, type, content and layout."""
    shape = rng.choice(SHAPES) if shape is None else shape
    values = np.asarray(np.random.default_rng(rng.getrandbits(32)).normal(size=shape))
    fill = rng.choice(FILLS)
    if fill == "inside":
        values = np.clip(values, -0.9, 0.9)
    elif fill in ("nan", "infinite", "huge", "denormal", "constant"):
        held = {"nan": np.nan, "infinite": -np.inf, "huge": 1e308, "denormal": 5e-324, "constant": 0.25}[fill]
        values = np.full(shape, held)
    elif fill == "repeated" and values.ndim > 1 and len(values) > 0:
        values = np.repeat(values[:1], len(values), axis=0)
    elif fill == "mixed" and values.size > 0:
        values.flat[rng.randrange(values.size)] = rng.choice([np.nan, np.inf, 1e308, 5e-324, -1e200, 0.0])
    elif fill == "one row off" and values.size > 0:
        values.flat[0] = 1e12
    dtype = rng.choice(["f8", "f8", "f8", rng.choice(TYPES)]) if dtype is None else dtype
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = np.asarray(values.astype(dtype))
        except (TypeError, ValueError):
            values = np.zeros(shape, dtype)
    return laid_out(rng, values)


def laid_out(rng: random.Random, values: Any) -> Any:
    kind = rng.choice(
        ["C", "C", "F", "reversed", "strided", "read-only", "list", "matrix", "frame", "named", "unaligned"]
    )
    if kind == "F":
        return np.asfortranarray(values)
    if kind == "reversed" and values.ndim > 0:
        return values[::-1]
    if kind == "strided" and values.ndim > 0:
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if kind == "read-only":
        values.setflags(write=False)
    if kind == "list":
        return values.tolist()
    if kind == "unaligned" and values.dtype == np.float64:
        return (
            np.frombuffer(b"\0" + values.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(values.shape)
        )
    if kind == "frame" and values.ndim == 2 and values.dtype.kind in "fiub":
        return frame(rng, values)
    if kind == "named" and values.ndim == 2:
        return {name_of(rng) + str(i): values[:, i] for i in range(values.shape[1])}
    return values


def frame(rng: random.Random, values: Any) -> Any:
    import pandas as pd

    native = values.astype(values.dtype.newbyteorder("="))
    names = [
        rng.choice(["a", "a", "b", "", 0, 1.5, ("a", "b"), None, "a\0b", "\ud800"])
        for _ in range(values.shape[1])
    ]
    return pd.DataFrame(native, columns=pd.Index(names, dtype=object))


def name_of(rng: random.Random) -> str:
    return rng.choice(
        ["x", "x1", "", " ", "a\0b", "é", "mean[x1]", "1", "a" * 300, "\n", "=", "x:y", "\ud800", "nan"]
    )


def anything(rng: random.Random) -> Any:
    return rng.choice([number, text, other, array])(rng)


def number(rng: random.Random) -> Any:
    return rng.choice(NUMBERS)


def text(rng: random.Random) -> Any:
    return rng.choice(TEXTS)


def other(rng: random.Random) -> Any:
    return rng.choice([*OTHERS, *RAISING])


def count(rng: random.Random) -> Any:
    return rng.choice(
        [
            0,
            -1,
            1,
            2,
            3.0,
            2.5,
            True,
            None,
            "3",
            10**15,
            2**62,
            2**64,
            -(2**70),
            10**400,
            float("nan"),
            np.int32(4),
        ]
    )


def setting(*names: Any) -> Maker:
    """One of some names, or a hostile value."""
    return lambda rng: rng.choice(names) if rng.random() < 0.6 else anything(rng)


def domain(rng: random.Random) -> Any:
    makers: list[Maker] = [
        lambda r: sb.Ball(
            number(r), rng.choice([1, 2, np.inf, 3, "2"]), rng.choice([None, [0, 0], number(r)])
        ),
        lambda r: sb.Ball(1.44),
        lambda r: sb.Box(number(r), number(r)),
        lambda r: sb.Box(array(r, (2,), "f8"), array(r, (2,), "f8")),
        lambda r: sb.Interval(number(r), number(r)),
        lambda r: sb.Interval(-1, 1),
        lambda r: sb.HalfSpace(array(r), number(r)),
        lambda r: sb.LevelSet(text(r)),
        lambda r: sb.LevelSet(r.choice(["x1", "x1^2+x2^2-1", "1", "-1", "x9", "x1*0/0", "exp(exp(x1*1e9))"])),
        lambda r: sb.Polygon(array(r)),
        lambda r: sb.Polygon([[0, 0], [1, 0], [1, 1], [0, 1]]),
        lambda r: sb.Polygon([[0, 0], [1, 1], [1, 0], [0, 1]]),
        lambda r: sb.Polygon([[0, 0], [1e308, 0], [0, 1e308]]),
        lambda r: sb.Polygon([[0, 0], [1, 0], [2, 0]]),
        lambda r: sb.Ellipse(array(r), rng.choice([None, [0, 0], number(r)]), rng.choice([None, number(r)])),
        lambda r: sb.Annulus(number(r), number(r), rng.choice([None, [0, 0], array(r)])),
        lambda r: sb.Cylinder(number(r), number(r), number(r), rng.choice([None, [0], array(r)])),
        lambda r: sb.Where(lambda x: x[:, 0] < r.random(), rng.choice([[(-1, 1), (-1, 1)], array(r)])),
        lambda r: sb.Where(lambda x: anything(r), [(-1, 1), (-1, 1)]),
        lambda r: ~domain(r),
        lambda r: sb.Union(domain(r), domain(r)),
        lambda r: domain(r) - domain(r),
        lambda r: sb.Intersection(domain(r), domain(r)),
        lambda r: sb.Domain(text(r)),
        anything,
    ]
    return rng.choice(makers)(rng)


def named(rng: random.Random) -> Any:
    kinds: list[Any] = [
        {"a": 0.5},
        {"a": 0.0, "b": 1.0},
        {"a": number(rng)},
        {name_of(rng): number(rng)},
        {1: 2},
        {},
    ]
    return rng.choice([*kinds, {"mean[x1]": 0.0, "mean[x2]": 0.0}, anything(rng)])


def function(rng: random.Random) -> Any:
    value = anything(rng)
    shapes = [(2,), (12, 2), (12,), (12, 2, 1)]
    given = array(rng, rng.choice(shapes), "f8")
    return rng.choice(
        [
            lambda X, theta: theta - X,
            lambda X, theta: X * np.nan,
            lambda X, theta: X,
            lambda X, theta: value,
            lambda X, theta: given,
            lambda X, theta: X[..., None] * theta,
            lambda X, theta: X.sum(axis=1),
            fail,
            lambda: 0,
            lambda X, theta: X * 1e308 * 1e10,
            lambda X, theta: np.exp(X * theta * 1e3),
            value,
        ]
    )


def model(rng: random.Random) -> Any:
    shape = setting("full", "diagonal", "shared", "spherical")
    known = rng.choice(
        [None, 1.0, number(rng), anything(rng), array(rng, (2, 2), "f8"), [1.0, -1.0], np.eye(2)]
    )
    makers: list[Maker] = [
        lambda r: None,
        lambda r: "gaussian",
        lambda r: sb.Gaussian(known, shape(r)),
        lambda r: sb.Gaussian(1.0),
        lambda r: sb.GaussianMixture(
            r.choice([1, 2, 3, count(r), anything(r)]), known, shape(r), r.random() < 0.5
        ),
        lambda r: sb.Formula(
            r.choice(["-a*x1", "-(x1-a)^2/2", "-(x1-a)^2/(2*b^2)", "x1^a", "log(x1-a)", text(r)]), named(r)
        ),
        lambda r: sb.Score(
            function(r),
            named(r),
            jacobian=r.choice([None, function(r)]),
            log_density=r.choice([None, function(r)]),
            name=r.choice(["score", text(r)]),
        ),
        anything,
    ]
    return rng.choice(makers)(rng)


def random_state(rng: random.Random) -> Any:
    return rng.choice([None, 0, 7, 2**64 - 1, np.random.RandomState(1), number(rng), anything(rng)])


SETTINGS: dict[str, Maker] = {
    "method": setting("efficient", "tksd", "bdksd", "truncsm", "ksd", "mle", "truncated-mle"),
    "kernel": lambda rng: rng.choice(
        ["imq", "matern52", sb.IMQ(number(rng)), sb.Matern52(anything(rng)), anything(rng)]
    ),
    "bandwidth": setting("median", 0.5, 1e-300, 1e300, 0, -1),
    "ridge": setting(0, 1e-3, 1e300, 5e-324, -1),
    "statistic": setting("v", "u", "U"),
    "random_state": random_state,
    "boundary_points": count,
    "boundary_sampling": setting("uniform", "even", "radial"),
    "distance": setting("exact", "nearest", "axes", None),
    "distance_norm": setting(1, 2, "inf", np.inf),
    "distance_power": setting(1, 2, 0, -1, 1e300, 5e-324),
    "compute": setting("auto", "dense", "tiled", "low-rank"),
    "tolerance": setting(0.1, 1e-300, 0, 1, 2),
    "confidence": setting(0.5, 0.999999999, 0, 1, 5e-324),
    "allow_outside": setting(True, False),
    "threads": setting(1, 2, 0, 2000, None),
    "nonsense": anything,
}
DATA: dict[str, Maker] = {
    "X": lambda rng: array(rng) if rng.random() < 0.7 else anything(rng),
    "boundary": lambda rng: rng.choice([array, domain, anything])(rng),
    "boundary_normals": lambda rng: rng.choice([array, array, anything])(rng),
    "domain": domain,
    "model": model,
    "weights": lambda rng: rng.choice([array(rng, (12,)), array(rng), anything(rng)]),
}
FITTING: dict[str, Maker] = {
    "tune": setting("agreement", True, None),
    "clusters": lambda rng: rng.choice([array(rng, (12,)), ["a", "b"] * 6, ["a\0"] * 12, anything(rng)]),
    "start": lambda rng: rng.choice([array(rng, (2,), "f8"), named(rng), anything(rng)]),
    "resampling": setting("nonparametric", "parametric", "wild"),
    "progress": setting(False),
}
COLUMNS = {
    "y": [1.5, 2.0, 3.0, 2.5, 4.0, 1.2] * 2,
    "x": [0.1, 0.5, 0.9, 0.4, 1.0, 0.0] * 2,
    "g": ["a", "b", "b"] * 4,
}


def table(rng: random.Random) -> Any:
    columns = dict(COLUMNS)
    columns[rng.choice(["y", "x", "g", name_of(rng)])] = rng.choice([array(rng, (12,)), anything(rng)])
    return rng.choice([columns, array(rng), anything(rng)])
