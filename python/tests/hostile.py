"""Random calls with hostile arguments; a seed makes the same call again: ``python hostile.py 17 18``."""

from __future__ import annotations

import faulthandler
import random
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hostile_arguments import (
    COLUMNS,
    DATA,
    FITTING,
    SETTINGS,
    Maker,
    Raised,
    anything,
    array,
    count,
    domain,
    fail,
    model,
    named,
    number,
    random_state,
    setting,
    table,
    text,
)

import steinbound as sb

#: What a call may raise. Anything else is a defect: panics, crashes, and errors that speak of the inside.
ALLOWED = (ValueError, TypeError, OverflowError, OSError, ImportError, NotImplementedError)
#: Seconds after which a call hangs.
PATIENCE = 60


@cache
def sample() -> Any:
    return sb.simulate(sb.Gaussian(1.0), [0.3, 0.3], sb.Ball(1.44), 12, random_state=1)


@cache
def fitted() -> sb.FitResult:
    return sb.fit(sample(), domain=sb.Ball(1.44), model=sb.Gaussian(1.0))


@cache
def regressed() -> sb.RegressionResult:
    return sb.regress("y ~ x", COLUMNS, lower=1)


def good() -> dict[str, Any]:
    return {"X": sample(), "domain": sb.Ball(1.44), "model": sb.Gaussian(1.0)}


def some_domain(rng: random.Random) -> sb.Domain:
    found = domain(rng)
    return found if isinstance(found, sb.Domain) else sb.Ball(1.44)


def formulas(rng: random.Random) -> Any:
    return rng.choice(
        ["a = mean[x1]^2", ["a = 1 / mean[x1]", text(rng)], {text(rng): text(rng)}, {"a": text(rng)}, anything(rng)]
    )


REGRESSION = {
    "method",
    "kernel",
    "bandwidth",
    "ridge",
    "statistic",
    "random_state",
    "compute",
    "threads",
    "nonsense",
}
FIT = {**DATA, **FITTING, **SETTINGS}
#: Each function with arguments that work, and hostile ones by name.
CALLS: list[
    tuple[Callable[[random.Random], Callable[..., Any]], Callable[[], dict[str, Any]], dict[str, Maker], int]
] = [
    (
        lambda _: sb.fit,
        good,
        {
            **FIT,
            "bootstrap": count,
            "interval": setting("percentile", "normal"),
            "derive": formulas,
            "project": setting(True, False),
        },
        8,
    ),
    (
        lambda _: sb.compare,
        lambda: {"X": sample(), "domain": sb.Ball(1.44), "models": sb.Gaussian(1.0), "methods": ["tksd"]},
        {
            **{name: maker for name, maker in {**DATA, **SETTINGS}.items() if name not in ("model", "method")},
            "models": lambda r: r.choice([model(r), [model(r), model(r)], {"a": model(r), text(r): model(r)}, anything(r)]),
            "methods": lambda r: r.choice([["tksd", "mle"], "ksd", [text(r)], anything(r)]),
            "test": setting(True, False),
            "bootstrap": count,
            "level": number,
            "project": setting(True, False),
        },
        3,
    ),
    (
        lambda _: sb.discrepancy,
        lambda: {**good(), "at": [0.0, 0.0]},
        {**DATA, **SETTINGS, "at": lambda r: r.choice([array(r), named(r), anything(r)])},
        3,
    ),
    (
        lambda _: sb.gof_test,
        lambda: {**good(), "bootstrap": 20},
        {
            **FIT,
            "bootstrap": count,
            "level": number,
            "at": lambda r: r.choice([array(r), named(r), anything(r)]),
        },
        3,
    ),
    (
        lambda _: sb.simulate,
        lambda: {"model": sb.Gaussian(1.0), "at": [0.0, 0.0], "domain": sb.Ball(1.44), "n": 5},
        {
            "model": model,
            "at": lambda r: r.choice([array(r), named(r), anything(r)]),
            "domain": domain,
            "n": count,
            "dimension": count,
            "random_state": random_state,
        },
        4,
    ),
    (
        lambda _: sb.regress,
        lambda: {"formula": "y ~ x", "data": COLUMNS, "lower": 1},
        {
            "formula": lambda r: r.choice(
                ["y ~ x + g", "y ~ x*g", "y ~ g - 1", "x ~ y", text(r), anything(r)]
            ),
            "data": table,
            "lower": anything,
            "upper": anything,
            "known_sigma": number,
            "kernel_on": setting("y", "product"),
            "weights": lambda r: r.choice(["x", "g", array(r, (12,)), anything(r)]),
            "drop_missing": setting(True),
            "clusters": lambda r: r.choice(["g", "x", array(r, (12,)), anything(r)]),
            "bootstrap": count,
            **{name: maker for name, maker in SETTINGS.items() if name in REGRESSION},
        },
        5,
    ),
    (lambda _: sb.Ball, lambda: {"radius": 1}, {"radius": anything, "norm": anything, "center": anything}, 1),
    (lambda _: sb.Box, lambda: {"low": 0, "high": 1}, {"low": anything, "high": anything}, 1),
    (lambda _: sb.Interval, lambda: {"low": 0, "high": 1}, {"low": anything, "high": anything}, 1),
    (
        lambda _: sb.HalfSpace,
        lambda: {"normal": [1, 0], "offset": 1},
        {"normal": anything, "offset": anything},
        1,
    ),
    (lambda _: sb.LevelSet, lambda: {"formula": "x1"}, {"formula": anything}, 1),
    (
        lambda _: sb.Polygon,
        lambda: {"geometry": [[0, 0], [1, 0], [0, 1]]},
        {"geometry": anything, "feature": anything},
        2,
    ),
    (lambda _: sb.Domain, lambda: {"spec": "ball(radius=1)"}, {"spec": anything}, 1),
    (lambda _: sb.Outside, lambda: {"domain": sb.Ball(1)}, {"domain": anything}, 1),
    (lambda _: sb.domains.as_domain, lambda: {"value": sb.Ball(1)}, {"value": anything}, 1),
    (lambda _: sb.Gaussian, dict, {"covariance": anything, "shape": anything}, 1),
    (
        lambda _: sb.GaussianMixture,
        lambda: {"components": 2},
        {"components": anything, "covariance": anything},
        1,
    ),
    (
        lambda _: sb.Formula,
        lambda: {"log_density": "-a*x1", "start": {"a": 1}},
        {"log_density": anything, "start": named},
        1,
    ),
    (
        lambda _: sb.Score,
        lambda: {"score": fail, "start": {"a": 1}},
        {"score": anything, "start": named, "name": anything},
        1,
    ),
    (
        lambda _: sb.LogDensity,
        lambda: {"log_density": fail, "start": {"a": 1}, "backend": "no"},
        {"log_density": anything, "start": named, "backend": text},
        1,
    ),
    (lambda _: sb.GaussianKernel, dict, {"bandwidth": anything}, 1),
    (lambda r: some_domain(r).contains, lambda: {"points": sample()}, {"points": anything}, 2),
    (lambda r: some_domain(r).bounds, dict, {"dimension": count}, 1),
    (lambda r: some_domain(r).describe, dict, {}, 1),
    (lambda r: some_domain(r).__eq__, lambda: {}, {}, 1),
    (
        lambda r: some_domain(r).sample_boundary,
        lambda: {"count": 5},
        {
            "count": count,
            "dimension": count,
            "sampling": setting("even", "radial"),
            "near": anything,
            "random_state": random_state,
        },
        4,
    ),
    (
        lambda r: some_domain(r).coverage,
        lambda: {"count": 5},
        {"count": count, "dimension": count, "sampling": setting("even", "radial"), "near": anything},
        2,
    ),
    (lambda r: some_domain(r).outline, lambda: {"window": [[-1, 1], [-1, 1]]}, {"window": anything}, 2),
    (lambda _: fitted().conf_int, dict, {"alpha": anything, "level": anything}, 1),
    (
        lambda _: fitted().wald_test,
        lambda: {"hypothesis": "mean[x1] = 0"},
        {"hypothesis": anything, "values": anything},
        2,
    ),
    (lambda _: fitted().derive, lambda: {"formulas": "a = mean[x1]"}, {"formulas": formulas}, 2),
    (lambda _: fitted().witness, lambda: {"points": sample()}, {"points": anything}, 2),
    (
        lambda _: fitted().predict_density,
        lambda: {"points": sample()},
        {"points": anything, "truncated": setting(True, False)},
        2,
    ),
    (
        lambda _: fitted().log_density,
        lambda: {"points": sample()},
        {"points": anything, "truncated": anything},
        1,
    ),
    (
        lambda _: fitted().sample,
        lambda: {"n": 5},
        {"n": count, "truncated": anything, "random_state": random_state},
        2,
    ),
    (
        lambda _: fitted().test,
        lambda: {"bootstrap": 20},
        {"bootstrap": count, "level": number, "resampling": text},
        1,
    ),
    (
        lambda _: regressed().predict,
        lambda: {"data": {"x": [1.0]}},
        {"data": table, "which": setting("mean", "seen")},
        2,
    ),
    (
        lambda _: regressed().get_prediction,
        lambda: {"data": {"x": [1.0]}},
        {"data": table, "level": anything, "alpha": anything, "which": setting("mean", "seen")},
        1,
    ),
    (lambda _: regressed().witness, lambda: {"points": [[1.0, 1.0]]}, {"points": anything}, 1),
    (lambda _: regressed().sample, lambda: {"n": 5}, {"n": count, "truncated": anything}, 1),
    (
        lambda _: regressed().predict_density,
        lambda: {"points": [[1.0, 1.0]]},
        {"points": anything, "truncated": anything},
        1,
    ),
    (lambda _: regressed().test, lambda: {"bootstrap": 20}, {"bootstrap": count}, 1),
    (lambda _: sb.datasets.load_us_border, dict, {"as_rings": anything}, 1),
    (lambda _: sb.datasets.load_student_scores, dict, {"as_frame": setting(False)}, 1),
]


def call(seed: int, tell: Callable[[str], None] = lambda _: None) -> str | None:
    """Makes the call of a seed; what is wrong with how it ended, or None."""
    rng = random.Random(seed)
    words = "making the arguments"
    try:
        choose, usual, hostile, _ = rng.choices(CALLS, [weight for *_, weight in CALLS])[0]
        asked, arguments = choose(rng), usual()
        wanted = min(rng.choice([1, 1, 1, 2, 3]), len(hostile))
        for name in rng.sample(sorted(hostile), wanted):
            arguments[name] = hostile[name](rng)
        words = described(asked, arguments)
        tell(words)
        asked(**arguments)
    except (*ALLOWED, Raised):
        return None
    except BaseException as error:
        if type(error) is KeyboardInterrupt:
            raise
        places = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{places.filename.rpartition('/')[2]}:{places.lineno}"
        return f"{type(error).__name__} at {where}: {str(error)[:300]}\n    {words}"
    return None


def described(asked: Any, arguments: dict[str, Any]) -> str:
    parts = []
    for name, value in arguments.items():
        try:
            shown = repr(value)
        except BaseException:
            shown = f"<{type(value).__name__}>"
        if isinstance(value, np.ndarray):
            shown = f"array{value.shape}:{value.dtype} " + shown.replace("\n", "")
        parts.append(f"{name}={shown[:120]}")
    return f"{getattr(asked, '__qualname__', asked)}({', '.join(parts)})".encode(
        "ascii", "backslashreplace"
    ).decode()


def main(first: int, last: int) -> None:
    """Makes calls one after the other, and tells on standard output what went wrong."""
    import resource

    # What takes more memory than this should have been refused.
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    warnings.simplefilter("ignore")
    for seed in range(first, last):
        # Before the call, for that is the last thing known of a crash.
        print(f"\x1e{seed}", flush=True, end=" ")
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        wrong = call(seed, lambda words: print(words, flush=True, end=""))
        faulthandler.cancel_dump_traceback_later()
        if wrong is not None:
            print(f"\x1d{wrong}", flush=True, end="")
    print("\x1edone", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
