"""No call ends in a panic, a crash, a hang, or an error that speaks of the inside; see ``hostile.py``."""

from __future__ import annotations

import subprocess

import pytest
from helpers import start_python

RUN = "import sys, hostile; hostile.main(int(sys.argv[1]), int(sys.argv[2]))"
#: How many calls there are; the first few hundred in the ordinary run.
CALLS, FEW, SHARE = 10_000, 300, 500


def wrong_calls(first: int, last: int, run: str = RUN) -> list[str]:
    """What went wrong in calls with some seeds; after a crash another process goes on."""
    wrong = []
    while first < last:
        process = start_python(run, first, last)
        try:
            output, errors = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
        records = output.split("\x1e")[1:]
        wrong += [f"seed {record.replace(chr(0x1D), chr(10))}" for record in records if "\x1d" in record]
        if records and records[-1].strip() == "done":
            break
        last_known = records[-1] if records else f"{first} (nothing was called)"
        wrong.append(f"exit code {process.returncode} at seed {last_known}\n{errors[:2000]}")
        first = int(last_known.split(" ")[0]) + 1
    return wrong


def test_few_hostile_calls() -> None:
    wrong = wrong_calls(0, FEW)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.long
@pytest.mark.parametrize("first", range(FEW, CALLS, SHARE))
def test_hostile_calls(first: int) -> None:
    wrong = wrong_calls(first, min(first + SHARE, CALLS))
    assert not wrong, "\n\n".join(wrong)


ENDS = {
    "PanicException": "raise type('PanicException', (BaseException,), {})('capacity overflow')",
    "IndexError": "[][0]",
    "exit code -6": "os.abort()",
    "Timeout": "time.sleep(60)",
}


@pytest.mark.parametrize("end", ENDS)
def test_what_is_searched_for_is_seen(end: str) -> None:
    spoiled = f"""
import os, time, hostile
hostile.PATIENCE = {1 if end == "Timeout" else 60}
def spoiled():
    {ENDS[end]}
hostile.CALLS[:] = [(lambda _: spoiled, dict, {{}}, 1)]
hostile.main(0, 1)
"""
    (wrong,) = wrong_calls(0, 1, spoiled)
    assert end in wrong and "spoiled" in wrong
