"""What the contenders written in Python share: their options, the clock, and the JSON they print."""

import argparse
import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def parser(description: str) -> argparse.ArgumentParser:
    """The options that every contender understands."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--boundary", type=Path)
    options.add_argument("--dimension", type=int, required=True)
    options.add_argument("--repeat", type=int, default=1)
    return options


def read(path: Path, dimension: int) -> np.ndarray:
    return np.fromfile(path, dtype="<f8").reshape(-1, dimension)


def run(job: Callable[[], dict], repeat: int, check: Callable[[], dict] = dict) -> None:
    """Does the job so often and prints what each time took, what the last one gave, and what an untimed check adds to that."""
    resident = start_watching_memory()
    seconds, result = [], {}
    for _ in range(repeat):
        started = time.perf_counter()
        result = job()
        seconds.append(time.perf_counter() - started)
    peak = status("VmHWM")
    rise = None if peak is None or resident is None else peak - resident
    print(json.dumps({"seconds": seconds, "peak_bytes": rise, **result, **check()}))


def start_watching_memory() -> int | None:
    """Forgets the peak of memory so far, and tells what is in use."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def status(field: str) -> int | None:
    """A field of this process's status in bytes, where the system tells."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field + ":")), None)
