"""Targets, verdicts and tables, on the screen and in Markdown."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from runner import Measured


def in_seconds(value: float) -> str:
    return f"{1e3 * value:.3g} ms" if value < 0.9995 else f"{value:.3g} s"


def in_megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f} MB" if value >= 1e6 else "below 1 MB"


def as_ratio(value: float) -> str:
    return f"{value:.3g} x" if value < 100 else f"{value:.0f} x"


def in_pairs(value: float) -> str:
    return f"{value / 1e9:.3g} billion pairs/s"


def in_megabytes_a_second(value: float) -> str:
    return f"{value / 1e6:.3g} MB/s"


def plain(value: float) -> str:
    return f"{value:.3g}"


@dataclass(frozen=True)
class Goal:
    """Something measured, how it is written, and where it should lie."""

    name: str
    written: Callable[[float], str]
    at_least: float | None = None
    at_most: float | None = None
    # What stands for the values of all rounds.
    summary: Callable[[list[float]], float] = statistics.median

    def target(self) -> str:
        if self.at_least is not None:
            return f"at least {self.written(self.at_least)}"
        return "-" if self.at_most is None else f"at most {self.written(self.at_most)}"

    def is_met(self, value: float) -> bool:
        above = self.at_least is None or value >= self.at_least
        return above and (self.at_most is None or value <= self.at_most)

    def has_target(self) -> bool:
        return self.at_least is not None or self.at_most is not None


@dataclass
class Outcome:
    """What one case gave: its measurements, and for each goal the values of the rounds."""

    measured: list[tuple[str, Measured]] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)


@dataclass
class Section:
    """One case with its goals and its outcome, or the reason why there is none."""

    title: str
    goals: list[Goal]
    outcome: Outcome = field(default_factory=Outcome)
    failure: str | None = None

    def verdicts(self) -> list[list[str]]:
        """One row for each goal: name, value, range, target, verdict."""
        if self.failure is not None:
            return [[goal.name, "-", "-", goal.target(), "no result"] for goal in self.goals]
        return [
            self.verdict(goal, values) for goal, values in zip(self.goals, self.outcome.values, strict=True)
        ]

    def verdict(self, goal: Goal, values: list[float]) -> list[str]:
        value = goal.summary(values)
        verdict = ("met" if goal.is_met(value) else "MISSED") if goal.has_target() else "-"
        return [goal.name, goal.written(value), spread(values, goal.written), goal.target(), verdict]

    def is_met(self) -> bool:
        return all(row[-1] in ("met", "-") for row in self.verdicts())

    def measurements(self) -> list[list[str]]:
        """One row for each contender."""
        return [measurement(sample, record) for sample, record in self.outcome.measured]


VERDICT_HEAD = ["measure", "result", "range", "target", "verdict"]
MEASUREMENT_HEAD = ["sample", "contender", "median", "range", "peak memory", "form"]


def measurement(sample: str, record: Measured) -> list[str]:
    times = [in_seconds(record.seconds), spread(record.rounds, in_seconds)]
    memory = in_megabytes(max(record.peaks)) if record.knows_memory() else "-"
    return [sample, record.name, *times, memory, form(record.result)]


def spread(values: list[float], written: Callable[[float], str]) -> str:
    return f"{written(min(values))} to {written(max(values))}" if len(values) > 1 else "-"


def form(result: dict) -> str:
    """How steinbound held the pairs."""
    if result.get("rank") is None:
        return result.get("form") or "-"
    return f"{result['form']}, rank {result['rank']}, residual {result['residual']:.1g}"


def screen_table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [head, *rows]
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def markdown_table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


INTRODUCTION = Path(__file__).with_name("introduction.md")


def markdown(sections: list[Section], machine: list[list[str]]) -> str:
    """The page that says it all."""
    parts = [
        INTRODUCTION.read_text(encoding="utf-8"),
        "## Machine\n",
        markdown_table(["what", "which"], machine),
        "\n## Targets\n",
    ]
    verdicts = [row for section in sections for row in section.verdicts()]
    parts += [markdown_table(VERDICT_HEAD, verdicts), "\n## Measurements"]
    for section in sections:
        parts.append(f"\n### {section.title}\n")
        if section.failure is None:
            parts.append(markdown_table(MEASUREMENT_HEAD, section.measurements()))
        else:
            parts.append(f"No result. {section.failure}")
    return "\n".join(parts) + "\n"
