"""steinbound beside a textbook and KeOps: measures, compares with targets, writes docs/src/benchmarks.md."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import machine
import report
import samples
from report import Goal, Outcome, Section
from runner import ONE_THREAD, Contender, Failed, Measured, alternate, require_agreement
from samples import Sample

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "bench"

# What a model of the benchmark knows of the covariance.
KNOWN = {"gaussian-mean": "known covariance", "gaussian": "unknown covariance"}

CLOSED_FORM_AGREES = 1e-8
BFGS_AGREES = 1e-4


@dataclass(frozen=True)
class Plan:
    """How much to measure."""

    rounds: int
    large_rounds: int
    pairs: int
    low_rank: list[int]
    closed_form: list[int]
    tiled: list[int]
    seeds: int
    rows: int

    def reaches_a_million(self) -> bool:
        return self.low_rank[-1] == 1_000_000


FULL = Plan(
    rounds=7,
    large_rounds=3,
    pairs=50_000,
    low_rank=[31_623, 100_000, 316_228, 1_000_000],
    closed_form=[1_000, 2_000, 4_000, 6_000],
    tiled=[5_000, 10_000, 20_000, 40_000],
    seeds=5,
    rows=1_000_000,
)
QUICK = Plan(
    rounds=1,
    large_rounds=1,
    pairs=10_000,
    low_rank=[10_000, 31_623, 100_000],
    closed_form=[1_000, 2_000],
    tiled=[5_000, 10_000],
    seeds=1,
    rows=100_000,
)


@dataclass(frozen=True)
class Bench:
    """Where things are, and how each contender is started."""

    binary: Path
    folder: Path
    plan: Plan

    def steinbound(
        self, sample: Sample, *options: str, model: str = "gaussian-mean", repeat: int = 1
    ) -> Contender:
        job = [str(self.binary), "fit", "--model", model]
        command = [*job, *sample.options(), "--repeat", str(repeat), *options]
        form = options[options.index("--compute") + 1] if "--compute" in options else ""
        return Contender(f"steinbound {form}".strip(), command)

    def method(self, sample: Sample, method: str, model: str, repeat: int = 1) -> Contender:
        """A method of steinbound: the region known, but for tksd, which takes the boundary points."""
        given = sample.options() if method == "tksd" else sample.in_region()
        job = [str(self.binary), "fit", "--method", method, "--model", model]
        return Contender(f"{method}, {KNOWN[model]}", [*job, *given, "--repeat", str(repeat)])

    def command(self, name: str, *arguments: str) -> Contender:
        """The command as people start it, which must lie beside the binary of the benchmark."""
        timer = [sys.executable, str(HERE / "command.py"), "50"]
        return Contender(name, [*timer, str(self.binary.with_name("steinbound")), *arguments])

    def textbook(self, sample: Sample, way: str, *options: str, repeat: int = 1) -> Contender:
        name = {"closed-form": "closed form", "bfgs": "BFGS"}[way]
        script = [sys.executable, str(HERE / "textbook.py"), way]
        command = [*script, *sample.options(), "--repeat", str(repeat), *options]
        return Contender(name, command, ONE_THREAD)

    def keops(self, sample: Sample, bandwidth: float) -> Contender:
        command = [sys.executable, str(HERE / "keops.py"), *sample.options(), "--bandwidth", repr(bandwidth)]
        cache = str(ROOT / "target" / "bench-keops")
        return Contender("KeOps", command, {"KEOPS_CACHE_FOLDER": cache, "CXXFLAGS": "-march=native"})

    def ball(self, points: int, dimension: int, boundary_points: int, seed: int = 1) -> Sample:
        return samples.ball(self.folder, points, dimension, boundary_points, seed)


@dataclass(frozen=True)
class Case:
    """Something to measure, and what it should come to: one list of values for each goal."""

    title: str
    goals: list[Goal]
    measure: Callable[[Bench], Outcome]

    def section(self, bench: Bench) -> Section:
        section = Section(self.title, self.goals)
        try:
            section.outcome = self.measure(bench)
        except Failed as failed:
            section.failure = str(failed)
        return section


def ratios(slower: Measured, faster: Measured) -> list[float]:
    return [slow / fast for slow, fast in zip(slower.rounds, faster.rounds)]


def growth(records: list[Measured], sizes: list[int]) -> list[float]:
    """The exponent of the growth of time with n, in each round."""
    rounds = zip(*(record.rounds for record in records))
    return [float(np.polyfit(np.log(sizes), np.log(times), 1)[0]) for times in rounds]


def small(bench: Bench) -> Outcome:
    sample = bench.ball(1_000, 2, 32)
    ours, closed_form, bfgs = measured = alternate(
        [
            bench.steinbound(sample, repeat=101),
            bench.textbook(sample, "closed-form", repeat=7),
            bench.textbook(sample, "bfgs", repeat=3),
        ],
        bench.plan.rounds,
    )
    require_agreement(ours, closed_form, CLOSED_FORM_AGREES)
    require_agreement(ours, bfgs, BFGS_AGREES)
    return Outcome([(sample.title(), m) for m in measured], [ratios(closed_form, ours), ratios(bfgs, ours)])


def medium(bench: Bench) -> Outcome:
    sample = bench.ball(6_000, 2, 32)
    contenders = [bench.steinbound(sample, repeat=15), bench.textbook(sample, "closed-form", repeat=3)]
    ours, closed_form = measured = alternate(contenders, bench.plan.rounds)
    require_agreement(ours, closed_form, CLOSED_FORM_AGREES)
    return Outcome([(sample.title(), m) for m in measured], [ratios(closed_form, ours), ours.peaks])


def pairs(bench: Bench, dimension: int) -> Outcome:
    sample = bench.ball(bench.plan.pairs, dimension, 32)
    tiled = bench.steinbound(sample, "--compute", "tiled", repeat=3)
    keops = bench.keops(sample, tiled.run()["bandwidth"])
    ours, theirs = measured = alternate([tiled, keops], bench.plan.large_rounds)
    speed = [sample.points**2 / seconds for seconds in ours.rounds]
    return Outcome([(sample.title(), m) for m in measured], [speed, ratios(theirs, ours)])


def sizes(
    bench: Bench, counts: list[int], boundary_points: int, contender: Callable[[Sample], Contender]
) -> list[tuple[str, Measured]]:
    """One contender at several sizes, all of them in each round."""
    drawn = [bench.ball(count, 2, boundary_points) for count in counts]
    measured = alternate([contender(sample) for sample in drawn], bench.plan.large_rounds)
    return [(sample.title(), record) for sample, record in zip(drawn, measured)]


def low_rank_growth(bench: Bench) -> Outcome:
    counts = bench.plan.low_rank
    measured = sizes(bench, counts, 200, lambda sample: bench.steinbound(sample, "--compute", "low-rank"))
    records = [record for _, record in measured]
    values = [growth(records, counts)]
    if bench.plan.reaches_a_million():
        values = [records[-1].rounds, records[-1].peaks, *values]
    return Outcome(measured, values)


def exact_growth(bench: Bench) -> Outcome:
    plan = bench.plan
    dense = sizes(bench, plan.closed_form, 32, lambda sample: bench.textbook(sample, "closed-form", repeat=3))
    tiled = sizes(bench, plan.tiled, 32, lambda sample: bench.steinbound(sample, "--compute", "tiled"))
    exponents = [
        growth([record for _, record in measured], counts)
        for measured, counts in ((dense, plan.closed_form), (tiled, plan.tiled))
    ]
    return Outcome(dense + tiled, exponents)


def low_rank_error(bench: Bench, dimension: int, boundary_points: int) -> Outcome:
    """The largest difference from the exact estimate in standard errors, seed by seed."""
    measured, errors = [], []
    for seed in range(1, bench.plan.seeds + 1):
        sample = bench.ball(20_000, dimension, boundary_points, seed)
        holders = [bench.steinbound(sample, "--compute", holder) for holder in ("tiled", "low-rank")]
        exact, approximate = alternate(holders, rounds=1)
        estimates = np.array([exact.result["estimates"], approximate.result["estimates"]])
        errors.append(float(np.max(np.abs(np.diff(estimates, axis=0)) / exact.result["std_errors"])))
        measured += [(f"{sample.title()}, seed {seed}", record) for record in (exact, approximate)]
    return Outcome(measured, [errors])


def many_boundary_points(bench: Bench) -> Outcome:
    sample = bench.ball(300, 12, 1_152)
    (ours,) = alternate([bench.steinbound(sample, repeat=5)], bench.plan.rounds)
    return Outcome([(sample.title(), ours)], [ours.rounds])


def bootstrap(bench: Bench) -> Outcome:
    sample = bench.ball(1_000, 2, 32)
    (ours,) = alternate([bench.steinbound(sample, "--bootstrap", "500", repeat=3)], bench.plan.rounds)
    return Outcome([(sample.title(), ours)], [ours.rounds])


def methods(
    bench: Bench, sample: Sample, models: list[str], repeats: list[int], rounds: int
) -> list[Measured]:
    """For each model `efficient`, `tksd` and `truncated-mle`, each fitted so often in a process."""
    names = ["efficient", "tksd", "truncated-mle"]
    contenders = [
        bench.method(sample, name, model, repeat) for model in models for name, repeat in zip(names, repeats)
    ]
    return alternate(contenders, rounds)


def efficient_small(bench: Bench) -> Outcome:
    sample = bench.ball(1_000, 2, 32)
    measured = methods(bench, sample, list(KNOWN), [51, 51, 15], bench.plan.rounds)
    return Outcome([(sample.title(), m) for m in measured], [measured[0].rounds, measured[3].rounds])


def efficient_large(bench: Bench) -> Outcome:
    sample = bench.ball(bench.plan.low_rank[-1], 2, 200)
    measured = methods(bench, sample, list(KNOWN), [1, 1, 1], bench.plan.large_rounds)
    ours = [measured[0], measured[3]]
    values = [record.rounds for record in ours] + [record.peaks for record in ours]
    return Outcome([(sample.title(), m) for m in measured], values)


def efficient_in_space(bench: Bench) -> Outcome:
    sample = bench.ball(300, 12, 1_152)
    measured = methods(bench, sample, ["gaussian-mean"], [3, 5, 1], bench.plan.rounds)
    return Outcome([(sample.title(), m) for m in measured], [measured[0].rounds])


def mixture(bench: Bench) -> Outcome:
    sample = samples.box_mixture(bench.folder, 2_000, 200)
    start = "--start=" + ",".join(map(repr, samples.near_modes(noise=0.3)))
    ours = bench.steinbound(sample, start, "--components", "2", model="mixture", repeat=5)
    contenders = [ours, bench.textbook(sample, "bfgs", start)]
    ours, bfgs = measured = alternate(contenders, bench.plan.large_rounds)
    require_agreement(ours, bfgs, BFGS_AGREES)
    return Outcome([(sample.title(), m) for m in measured], [ratios(bfgs, ours)])


def command(bench: Bench) -> Outcome:
    sample = bench.ball(1_000, 2, 32)
    data, boundary = samples.tables(sample)
    fit = ["fit", str(data), "--boundary", str(boundary), "--format", "json"]
    measured = alternate(
        [
            bench.command("steinbound --help", "--help"),
            bench.command("fit, known covariance", *fit, "--known-covariance", "1"),
            bench.command("fit, unknown covariance", *fit),
        ],
        bench.plan.rounds,
    )
    return Outcome([(sample.title(), m) for m in measured], [m.rounds for m in measured])


def reading(bench: Bench) -> Outcome:
    table = samples.table(bench.folder, bench.plan.rows)
    size = table.stat().st_size
    command = ["--table", str(table), "--repeat", "3"]
    contenders = [
        Contender("steinbound", [str(bench.binary), "read", *command]),
        Contender("numpy.loadtxt", [sys.executable, str(HERE / "loadtxt.py"), *command[:2]]),
    ]
    ours, theirs = measured = alternate(contenders, bench.plan.large_rounds)
    require_agreement(ours, theirs, CLOSED_FORM_AGREES)
    title = f"{bench.plan.rows:,} rows of 4 numbers, {size / 1e6:.0f} MB"
    return Outcome([(title, m) for m in measured], [[size / seconds for seconds in ours.rounds], ratios(theirs, ours)])


def pairs_case(plan: Plan, dimension: int, speed: float, ratio: float) -> Case:
    title = f"Exact, tiled, d = {dimension}, n = {plan.pairs:,}"
    goals = [
        Goal(f"{title}: speed", report.in_pairs, at_least=speed),
        Goal(f"{title}: KeOps / steinbound", report.as_ratio, at_least=ratio),
    ]
    return Case(title, goals, lambda bench: pairs(bench, dimension))


def low_rank_error_case(dimension: int, boundary_points: int, share: float) -> Case:
    title = f"Low rank against exact, d = {dimension}, n = 20,000"
    goal = Goal(f"{title}: difference / standard error", report.plain, at_most=share, summary=max)
    return Case(title, [goal], lambda bench: low_rank_error(bench, dimension, boundary_points))


def low_rank_growth_case(plan: Plan) -> Case:
    goals = [Goal("Low rank: growth exponent", report.plain, at_most=1.1)]
    if plan.reaches_a_million():
        goals = [
            Goal("Low rank, n = 1,000,000: time", report.in_seconds, at_most=5.0),
            Goal("Low rank, n = 1,000,000: peak memory", report.in_megabytes, at_most=1e9, summary=max),
            *goals,
        ]
    return Case("Low rank, growing n", goals, low_rank_growth)


def efficient_cases(plan: Plan) -> Iterator[Case]:
    def times(title: str, most: float | None) -> list[Goal]:
        return [Goal(f"{title}, {known}: time", report.in_seconds, at_most=most) for known in KNOWN.values()]

    yield Case("Efficient, n = 1,000", times("efficient, n = 1,000", 0.010), efficient_small)
    title = f"efficient, n = {plan.low_rank[-1]:,}"
    seconds, size = (4.0, 1e9) if plan.reaches_a_million() else (None, None)
    peaks = [
        Goal(f"{title}, {known}: peak memory", report.in_megabytes, at_most=size, summary=max)
        for known in KNOWN.values()
    ]
    yield Case(title.capitalize(), times(title, seconds) + peaks, efficient_large)
    goal = Goal("efficient, n = 300, d = 12: time", report.in_seconds, at_most=0.5)
    yield Case("Efficient, n = 300, d = 12", [goal], efficient_in_space)


def cases(plan: Plan) -> Iterator[Case]:
    yield Case(
        "Gaussian mean, n = 1,000",
        [
            Goal("n = 1,000: closed form / steinbound", report.as_ratio, at_least=10),
            Goal("n = 1,000: BFGS / steinbound", report.as_ratio, at_least=100),
        ],
        small,
    )
    yield Case(
        "Gaussian mean, n = 6,000",
        [
            Goal("n = 6,000: closed form / steinbound", report.as_ratio, at_least=40),
            Goal("n = 6,000: peak memory", report.in_megabytes, at_most=60e6, summary=max),
        ],
        medium,
    )
    yield pairs_case(plan, dimension=2, speed=2.5e9, ratio=10)
    yield pairs_case(plan, dimension=12, speed=1e9, ratio=8)
    yield low_rank_growth_case(plan)
    yield Case(
        "Exact, growing n",
        [Goal("Closed form: growth exponent", report.plain), Goal("Tiled: growth exponent", report.plain)],
        exact_growth,
    )
    yield low_rank_error_case(dimension=2, boundary_points=200, share=0.01)
    yield low_rank_error_case(dimension=6, boundary_points=288, share=0.05)
    yield Case(
        "Many boundary points",
        [Goal("n = 300, d = 12, m = 1,152: time", report.in_seconds, at_most=0.060)],
        many_boundary_points,
    )
    yield from efficient_cases(plan)
    yield Case(
        "Bootstrap of 500 replicates",
        [Goal("500 replicates, n = 1,000: time", report.in_seconds, at_most=3.0)],
        bootstrap,
    )
    yield Case(
        "Mixture of two, n = 2,000",
        [Goal("Mixture: BFGS / steinbound", report.as_ratio, at_least=50)],
        mixture,
    )
    yield Case(
        "The command from start to exit",
        [
            Goal("steinbound --help: time", report.in_seconds, at_most=0.020),
            Goal("steinbound fit, n = 1,000, known covariance: time", report.in_seconds, at_most=0.060),
            Goal("steinbound fit, n = 1,000, unknown covariance: time", report.in_seconds, at_most=0.060),
        ],
        command,
    )
    yield Case(
        "Reading a table",
        [
            Goal("Reading: speed", report.in_megabytes_a_second, at_least=100e6),
            Goal("Reading: numpy.loadtxt / steinbound", report.as_ratio),
        ],
        reading,
    )


def show(section: Section) -> None:
    print(f"\n{section.title}", flush=True)
    if section.failure is None:
        print(report.screen_table(report.MEASUREMENT_HEAD, section.measurements()), flush=True)
    else:
        print(f"no result: {section.failure}", flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--quick", action="store_true", help="a short run, which writes no page unless told where"
    )
    options.add_argument("--no-fail", action="store_true", help="report missed targets without failing")
    options.add_argument("--only", help="measure only cases whose title contains this")
    options.add_argument(
        "--output", type=Path, help="the page to write (default docs/src/benchmarks.md for a whole run)"
    )
    options.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "steinbound-bench")
    asked = options.parse_args()
    if not asked.binary.exists():
        options.error(
            "there is no steinbound-bench; build it with `cargo build --release -p steinbound-bench`"
        )

    plan = QUICK if asked.quick else FULL
    chosen = [case for case in cases(plan) if (asked.only or "").lower() in case.title.lower()]
    sections = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(asked.binary, Path(folder), plan)
        for case in chosen:
            sections.append(case.section(bench))
            show(sections[-1])

    verdicts = [row for section in sections for row in section.verdicts()]
    print("\n" + report.screen_table(report.VERDICT_HEAD, verdicts))
    output = asked.output or (None if asked.quick or asked.only else ROOT / "docs/src/benchmarks.md")
    if output:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(report.markdown(sections, machine.described()), encoding="utf-8")
    return int(not asked.no_fail and not all(section.is_met() for section in sections))


if __name__ == "__main__":
    sys.exit(main())
