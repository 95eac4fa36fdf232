"""Contenders as processes, run in turn so that noise hits all of them alike."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field

THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
ONE_THREAD = {name: "1" for name in THREAD_VARIABLES}


class Failed(Exception):
    """A contender that gave no result, or one that the others do not agree with."""


@dataclass(frozen=True)
class Contender:
    """A command that times itself and prints one JSON object."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def run(self) -> dict:
        # Threads are for the benchmark to choose, not for the shell that it was started from.
        inherited = {name: value for name, value in os.environ.items() if name not in THREAD_VARIABLES}
        environment = {**inherited, **self.environment}
        done = subprocess.run(self.command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            complaint = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
            # Python puts what matters last, others first.
            is_python = complaint[0].startswith("Traceback")
            raise Failed(f"{self.name}: {complaint[-1] if is_python else complaint[0]}")
        return json.loads(done.stdout.splitlines()[-1])


@dataclass
class Measured:
    """What a contender did, round by round."""

    name: str
    runs: list[dict] = field(default_factory=list)

    @property
    def result(self) -> dict:
        """What it gave: the same in every round."""
        return self.runs[-1]

    @property
    def rounds(self) -> list[float]:
        """One time for each round: the median of its repeats."""
        return [statistics.median(run["seconds"]) for run in self.runs]

    @property
    def seconds(self) -> float:
        return statistics.median(self.rounds)

    @property
    def peaks(self) -> list[float]:
        """The peak of memory in each round, in bytes."""
        if not self.knows_memory():
            raise Failed(f"{self.name}: this system does not tell the peak of memory")
        return [run["peak_bytes"] for run in self.runs]

    def knows_memory(self) -> bool:
        return all(run["peak_bytes"] is not None for run in self.runs)


def alternate(contenders: list[Contender], rounds: int) -> list[Measured]:
    """Every contender once in each round, in turn."""
    measured = [Measured(contender.name) for contender in contenders]
    for _ in range(rounds):
        for contender, record in zip(contenders, measured):
            record.runs.append(contender.run())
    return measured


def require_agreement(reference: Measured, other: Measured, tolerance: float) -> None:
    """Refuses to compare the times of two that do not give the same answer."""
    for expected, found in zip(reference.result["estimates"], other.result["estimates"], strict=True):
        if not abs(found - expected) <= tolerance * abs(expected):
            raise Failed(f"{other.name} finds {found}, {reference.name} {expected}: not within {tolerance:g}")
