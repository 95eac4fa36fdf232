"""What Python adds to a fit: arguments, settings, results.

The whole of ``steinbound.fit`` beside the engine's own function called with a problem that is made
already, which computes the same from the same array; and beside the time that the engine tells of
itself, which leaves out its checks and diagnostics. Calls alternate, so that whatever else the machine
does meets both alike. Where there is a command line (the variable STEINBOUND, or target/release), the
time that it tells of the same fit is given as well.

    python python/bench/overhead.py
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import steinbound as sb

COMMAND = Path(os.environ.get("STEINBOUND", Path(__file__).parents[2] / "target" / "release" / "steinbound"))

RUNS = 50
N, M = 1000, 32
TARGET = 1e-3


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def of_the_command_line(X: np.ndarray, boundary: np.ndarray) -> float | None:
    """The time that the command line tells, from parsed data to a finished result."""
    if not COMMAND.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (("x.csv", X), ("edge.csv", boundary)):
            np.savetxt(Path(folder) / name, array, delimiter=",", fmt="%.17g")
        words = [
            str(COMMAND),
            "fit",
            "x.csv",
            "--boundary",
            "edge.csv",
            "--known-covariance",
            "1",
            "--format",
            "json",
        ]
        runs = [
            subprocess.run(words, cwd=folder, capture_output=True, check=True).stdout for _ in range(RUNS)
        ]
    return statistics.median(json.loads(run)["seconds"]["total"] for run in runs)


def main() -> None:
    """Prints one line."""
    disc, model = sb.Ball(radius=1.44), sb.Gaussian(covariance=1.0)
    X = sb.simulate(model, [0.5, 0.5], disc, N, random_state=1)
    boundary = disc.sample_boundary(M)

    def whole() -> sb.FitResult:
        return sb.fit(X, boundary=boundary, model=model)

    core = whole().problem.core

    def engine() -> object:
        return core.fit(True, None, None)

    for _ in range(5):
        whole(), engine()
    pairs = [(seconds(whole), seconds(engine)) for _ in range(RUNS)]
    told = statistics.median(
        json.loads(core.fit(True, None, None)[0])["seconds"]["total"] for _ in range(RUNS)
    )
    all_of_it, inner = (statistics.median(times) for times in zip(*pairs, strict=True))
    added = statistics.median(outer - within for outer, within in pairs)
    command = of_the_command_line(X, boundary)
    elsewhere = "" if command is None else f", the command line's {command * 1e3:.2f} ms"
    print(
        f"n = {N}, d = 2, m = {M}, medians of {RUNS}: steinbound.fit {all_of_it * 1e3:.2f} ms, "
        f"the engine's call {inner * 1e3:.2f} ms (its own account {told * 1e3:.2f} ms{elsewhere}), "
        f"Python adds {added * 1e3:.2f} ms "
        f"({'within' if added < TARGET else 'above'} the {TARGET * 1e3:g} ms aimed at)"
    )


if __name__ == "__main__":
    main()
