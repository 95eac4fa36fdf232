"""How time and memory grow with every size of the input, against what is documented: `make growth`.

Each axis is one command on inputs that are twice as large from run to run. The exponent is the slope of a line through the
last runs, on logarithmic scales; time is that of the processor, of all threads together. Prints a table in Markdown, and ends
with exit code 1 if anything grows faster than documented.
"""

import argparse
import math
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import growth_maps as maps

ROOT = Path(__file__).resolve().parents[1]

# Runs shorter than this tell nothing of how they grow, and neither do smaller peaks.
SECONDS = 0.15
MEGABYTES = 30.0

# What noise, logarithms and steps from one algorithm to the next add to an exponent.
SLACK = 0.35

# A run beyond this is the last of its axis.
ENOUGH = 6.0


@dataclass(frozen=True)
class Axis:
    """A size, the command in which it grows, and how fast time and memory may do so."""

    name: str
    command: str
    documented: str
    time: float
    memory: float
    first: int
    last: int
    arguments: Callable[[Path, int], list[str]]


@dataclass(frozen=True)
class Run:
    size: int
    seconds: float
    megabytes: float


def prepared(folder: Path, axis: Axis, size: int) -> list[str]:
    """The arguments of a run, whose input is written by a process of its own: what this one has held would count
    into the peak of memory of every process that it starts."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    context = multiprocessing.get_context("fork")
    writer = context.Process(target=lambda: sender.send(axis.arguments(folder, size)))
    writer.start()
    arguments = receiver.recv()
    writer.join()
    return arguments


def measured(binary: str, folder: Path, axis: Axis, size: int, limit: float) -> Run | str:
    """One run, or the message with which it failed."""
    arguments = prepared(folder, axis, size)
    with open(folder / "messages", "w+") as messages:
        command = ["timeout", str(limit), binary, *arguments]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        # The process was waited for already.
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        lines = messages.read().splitlines()
        errors = [line for line in lines if line.startswith("error")] or ["no message"]
    # An estimate that is not to be trusted took as long as any other.
    if process.returncode not in (0, 3):
        why = f"more than {limit:.0f} s" if process.returncode == 124 else errors[0][:160]
        return f"{size}: exit code {process.returncode}, {why}"
    return Run(size, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def slope(runs: list[Run], value: Callable[[Run], float], least: float) -> float | None:
    """The exponent over the last runs, of those that took enough to tell; None if there are too few."""
    points = [(math.log(run.size), math.log(value(run))) for run in runs[-4:] if value(run) >= least]
    if len(points) < 2:
        return None
    mean = [sum(column) / len(points) for column in zip(*points)]
    across = sum((x - mean[0]) * (y - mean[1]) for x, y in points)
    return across / sum((x - mean[0]) ** 2 for x, _ in points)


def table(folder: Path, rows: int, columns: int, name: str = "data.csv", spread: float = 1.0) -> str:
    draw = random.Random(rows * 31 + columns)
    with open(folder / name, "w") as file:
        file.write(",".join(f"x{k + 1}" for k in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join(f"{spread * draw.gauss(0, 1):.5f}" for _ in range(columns)) + "\n")
    return name


def inside(folder: Path, rows: int, columns: int = 2) -> str:
    """Rows in the unit square."""
    draw = random.Random(rows)
    with open(folder / "inside.csv", "w") as file:
        file.write(",".join(f"x{k + 1}" for k in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join(f"{draw.random():.5f}" for _ in range(columns)) + "\n")
    return "inside.csv"


def fit(method: str, *options: str) -> Callable[[Path, int], list[str]]:
    """A fit of a normal density with known covariance in the unit square, of so many rows."""
    region = [] if method in ("mle", "ksd") else ["--domain", "box(low=0:0, high=1:1)"]
    usual = ["--method", method, "--known-covariance", "1", *region, *options, "--quiet"]
    return lambda folder, rows: ["fit", inside(folder, rows), *usual]


def in_dimension(method: str, *options: str) -> Callable[[Path, int], list[str]]:
    """A fit of 2,000 rows in so many coordinates."""

    def arguments(folder: Path, columns: int) -> list[str]:
        region = [] if method in ("mle", "ksd") else ["--domain", "box(low=-9, high=9)"]
        return ["fit", table(folder, 2000, columns), "--method", method, *region, *options, "--quiet"]

    return arguments


def boundary_points(folder: Path, count: int) -> list[str]:
    options = ["--domain", "box(low=0:0, high=1:1)", "--boundary-points", str(count), "--known-covariance", "1"]
    return ["fit", inside(folder, 500), "--method", "tksd", *options, "--quiet"]


def wide(folder: Path, columns: int) -> list[str]:
    return ["fit", table(folder, 20, columns), "--columns", "1,2", "--method", "mle", "--quiet"]


def mixture(folder: Path, components: int) -> list[str]:
    """So many clusters, 20 rows each."""
    draw = random.Random(components)
    with open(folder / "clusters.csv", "w") as file:
        file.write("x1\n")
        for row in range(20 * components):
            file.write(f"{10 * (row % components) + draw.gauss(0, 1):.5f}\n")
    start = ",".join(str(10 * k) for k in range(components))
    options = ["--components", str(components), "--known-covariance", "1", "--method", "mle", "--start", start]
    return ["fit", "clusters.csv", "--model", "gaussian-mixture", *options, "--quiet"]


def regression(rows: int, terms: int, formula: str, *options: str) -> Callable[[Path, int], list[str]]:
    """A regression with as many rows or columns as asked for; the other number is given."""

    def arguments(folder: Path, size: int) -> list[str]:
        count, width = (rows, size) if rows else (size, terms)
        draw = random.Random(size)
        names = [f"z{k}" for k in range(width)]
        with open(folder / "regression.csv", "w") as file:
            file.write(",".join(["y", "level", *names]) + "\n")
            for row in range(count):
                values = [draw.gauss(0, 1) for _ in names]
                response = abs(3 + sum(values[:2]) + draw.gauss(0, 1))
                level = f"l{row % max(size if formula == 'levels' else 3, 1)}"
                file.write(",".join([f"{response:.5f}", level, *(f"{v:.5f}" for v in values)]) + "\n")
        right = {"terms": "+".join(names), "levels": "C(level)"}[formula]
        return ["regress", "regression.csv", "--formula", f"y ~ {right}", *options, "--quiet"]

    return arguments


def on_map(kind: str, command: str) -> Callable[[Path, int], list[str]]:
    def arguments(folder: Path, vertices: int) -> list[str]:
        path = folder / f"{kind}.geojson"
        maps.write(path, kind, vertices)
        if command == "boundary":
            return ["boundary", str(path), "--boundary-points", "200", "--output", "points.csv", "--quiet"]
        if command == "simulate":
            region = f"polygon({path})"
            return ["simulate", "--domain", region, "--at", "0.5,0.5", "-n", "300", "--output", "points.csv", "--quiet"]
        where = maps.places(kind, 200)
        lines = ["x,y", *(f"{x!r},{y!r}" for x, y in where)]
        (folder / "places.csv").write_text("\n".join(lines) + "\n")
        method = ["--method", "truncsm", "--known-covariance", "1", "--drop-outside"]
        return ["fit", "places.csv", "--boundary", str(path), *method, "--no-project", "--quiet"]

    return arguments


def many(kind: str) -> Callable[[Path, int], list[str]]:
    """So many discs around places near the origin."""

    def arguments(_: Path, parts: int) -> list[str]:
        draw = random.Random(parts)
        centers = [f"{draw.gauss(0, 0.1):.3f}:{draw.gauss(0, 0.1):.3f}" for _ in range(parts)]
        discs = ",".join(f"ball(radius=2,center={center})" for center in centers)
        return ["boundary", "--domain", f"{kind}({discs})", "--boundary-points", "200", "--output", "points.csv", "--quiet"]

    return arguments


def axes() -> list[Axis]:
    linear = "n log n"
    found = [
        Axis("rows n", "fit --method mle", "n", 1, 1, 20_000, 640_000, fit("mle")),
        Axis("rows n", "fit --method truncsm", "n", 1, 1, 20_000, 640_000, fit("truncsm")),
        Axis("rows n", "fit --method truncated-mle", "n", 1, 1, 20_000, 640_000, fit("truncated-mle")),
        Axis("rows n", "fit --method efficient", "n (d J)^2, J bounded", 1, 1, 4_000, 64_000, fit("efficient")),
        Axis("rows n", "fit --method tksd", "n^2; memory n + m^2", 2, 2, 1_000, 16_000, fit("tksd")),
        Axis("rows n", "fit --method bdksd", "n^2", 2, 2, 1_000, 16_000, fit("bdksd")),
        Axis("rows n", "fit --method ksd", "n^2", 2, 2, 1_000, 16_000, fit("ksd")),
        Axis("boundary points m", "fit --method tksd", "m^3; memory m^2", 3, 2, 500, 4_000, boundary_points),
        Axis("columns of the table", "fit --columns 1,2", "p", 1, 1, 8_000, 512_000, wide),
        Axis("coordinates d", "fit --method mle", "n p^2 + p^3, p = d (d + 3) / 2", 6, 4, 6, 48, in_dimension("mle")),
        Axis(
            "coordinates d", "fit --method truncsm --known-covariance 1", "n d p^2, p = d; memory n d p", 3, 2, 25, 400,
            in_dimension("truncsm", "--known-covariance", "1"),
        ),
        Axis("components K", "fit --method mle --model gaussian-mixture", "n K, n = 20 K; memory n K", 3, 2, 16, 256, mixture),
        Axis("rows n", "regress --method mle", "n p^2", 1, 1, 10_000, 320_000, regression(0, 3, "terms", "--method", "mle")),
        Axis(
            "terms p", "regress --method mle", "n p^2 + p^3", 3, 2, 25, 400,
            regression(3000, 0, "terms", "--method", "mle"),
        ),
        Axis(
            "levels p", "regress --method mle", "n p^2 + p^3", 3, 2, 25, 400,
            regression(3000, 0, "levels", "--method", "mle"),
        ),
        Axis(
            "rows n", "regress --method truncated-mle", "n p^2", 1, 1, 10_000, 320_000,
            regression(0, 3, "terms", "--method", "truncated-mle", "--lower", "0"),
        ),
        Axis(
            "terms p", "regress --method truncated-mle", "n p^2 + p^3", 3, 2, 25, 200,
            regression(3000, 0, "terms", "--method", "truncated-mle", "--lower", "0"),
        ),
        Axis("parts", "boundary of an intersection", "parts", 1, 1, 200, 3_200, many("intersection")),
        Axis("parts", "boundary of a union", "parts", 1, 1, 200, 3_200, many("union")),
    ]
    for kind, what in maps.KINDS.items():
        for command in ("boundary", "fit", "simulate"):
            if command == "simulate" and kind not in maps.ROOMY:
                continue
            name = f"vertices: {what}"
            found.append(Axis(name, command, linear, 1, 1, 16_000, 1_024_000, on_map(kind, command)))
    return found


def grown(binary: str, folder: Path, axis: Axis, most: int) -> tuple[list[Run], str | None]:
    runs: list[Run] = []
    size = axis.first
    while size <= min(axis.last, axis.first * most):
        run = measured(binary, folder, axis, size, 20 * ENOUGH)
        if isinstance(run, str):
            return runs, run
        runs.append(run)
        if run.seconds > ENOUGH:
            break
        size *= 2
    return runs, None


def cell(value: float | None) -> str:
    return "too small to tell" if value is None else f"{value:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how time and memory grow, against what is documented.")
    parser.add_argument("--binary", default=str(ROOT / "target/release/steinbound"))
    parser.add_argument("--only", default="", help="only axes in whose name or command this text occurs")
    parser.add_argument("--most", type=int, default=1 << 20, help="the largest multiple of an axis's first size")
    options = parser.parse_args()
    print("| size | command | documented | largest | time | memory | exponent of time | of memory |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    worse = []
    with tempfile.TemporaryDirectory() as name:
        for axis in axes():
            if options.only not in f"{axis.name} {axis.command}":
                continue
            runs, failure = grown(str(Path(options.binary).resolve()), Path(name), axis, options.most)
            if failure:
                worse.append(f"{axis.name}, {axis.command}: {failure}")
            if not runs:
                continue
            time = slope(runs, lambda run: run.seconds, SECONDS)
            memory = slope(runs, lambda run: run.megabytes, MEGABYTES)
            last = runs[-1]
            print(
                f"| {axis.name} | `{axis.command}` | {axis.documented} | {last.size:,} | {last.seconds:.2f} s | "
                f"{last.megabytes:.0f} MB | {cell(time)} | {cell(memory)} |",
                flush=True,
            )
            for what, exponent, most in (("time", time, axis.time), ("memory", memory, axis.memory)):
                if exponent is not None and exponent > most + SLACK:
                    worse.append(f"{axis.name}, {axis.command}: {what} grows with exponent {exponent:.2f}, documented is {most}")
    for line in worse:
        print(line, file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
