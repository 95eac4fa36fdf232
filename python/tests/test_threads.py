"""Computations beside each other, in other processes, and those that are interrupted."""

from __future__ import annotations

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, assert_same, disc_sample, quiet, run_python, start_python

import steinbound as sb

#: Seconds after Ctrl-C within which a computation ends; usually a tenth of one, but other tests may be using the cores.
PATIENCE = 5.0

needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


def fit_of(seed: int, threads: int | None = None) -> sb.FitResult:
    with quiet():
        return sb.fit(
            disc_sample(150, seed), domain=DISC, model=KNOWN, bootstrap=40, random_state=seed, threads=threads
        )


def test_threads_give_the_same_bits_as_one_after_the_other() -> None:
    alone = [fit_of(seed).to_dict() for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: fit_of(seed).to_dict(), range(8)))
    for found, expected in zip(together, alone, strict=True):
        assert_same(found, expected)


def test_one_result_is_used_by_several_threads() -> None:
    result, places = fit_of(1), disc_sample(50)
    expected = result.witness(places)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: result.witness(places), range(12)):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("method", "compute"), [("efficient", None), ("tksd", "dense"), ("tksd", "tiled"), ("tksd", "low-rank")]
)
def test_the_number_of_threads_changes_no_bit(method: str, compute: str | None) -> None:
    X = disc_sample(700)
    given: Any = {} if compute is None else {"compute": compute}
    with quiet():
        one, two = (
            sb.fit(X, domain=DISC, method=method, threads=threads, tune=True, **given).to_dict()
            for threads in (1, 2)
        )
    assert (one["compute"].pop("threads"), two["compute"].pop("threads")) == (1, 2)
    assert_same(one, two)


def test_other_threads_run_meanwhile() -> None:
    X = disc_sample(3000)
    counted, done = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        before = counted
        with quiet():
            sb.fit(X, domain=DISC, method="tksd", compute="tiled", bootstrap=200, threads=1)
        meanwhile = counted - before
    finally:
        done.set()
        counter.join()
    # The fit takes a tenth of a second or more; with the lock of the interpreter held nothing could be counted.
    assert meanwhile > 10


def test_models_in_python_are_called_from_several_threads() -> None:
    model = sb.Score(lambda X, theta: theta - X, {"a": 0.0, "b": 0.0})
    X = disc_sample(25)

    def fit(_: int) -> list[float]:
        found: list[float] = sb.fit(X, domain=DISC, model=model, diagnostics=False).estimates.tolist()
        return found

    with quiet():
        expected = fit(0)
        with ThreadPoolExecutor(3) as pool:
            assert list(pool.map(fit, range(6))) == [expected] * 6


NESTED = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, steinbound as sb
from helpers import DISC, KNOWN, disc_sample
X = disc_sample(25)

def score(places, theta):
    inner = sb.fit(X, domain=DISC, model=KNOWN, diagnostics=False, threads=1)
    return theta - places + 0 * inner.estimates

model = sb.Score(score, {"a": 0.0, "b": 0.0})
found = sb.fit(X, domain=DISC, model=model, bandwidth=1.0, diagnostics=False, threads=1)
expected = sb.fit(X, domain=DISC, model=KNOWN, bandwidth=1.0)
np.testing.assert_allclose(found.estimates, expected.estimates, rtol=1e-6)
"""


def test_a_model_that_fits_inside_of_a_fit() -> None:
    run_python(NESTED, timeout=60)


# Processes.

PREPARED = """
import os, sys, threading, multiprocessing, warnings
warnings.simplefilter("ignore")
import steinbound as sb
from helpers import DISC, KNOWN, disc_sample

def fit():
    return sb.fit(disc_sample(150, 1), domain=DISC, model=KNOWN, bootstrap=40)._values()

def large(stop):
    X = disc_sample(3000)
    while not stop.is_set():
        sb.fit(X, domain=DISC, method="tksd", compute="tiled")
"""

FORKED = """
def forked():
    child = os.fork()
    if child == 0:
        os._exit(0 if fit() == expected else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
"""

FORKS = {
    "unused": """
child = os.fork()
if child == 0:
    fit()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
    "used before": "expected = fit()\nforked()\nassert fit() == expected\nforked()",
    "grandchildren": """
expected = fit()
child = os.fork()
if child == 0:
    forked()
    os._exit(0 if fit() == expected else 1)
assert os.waitpid(child, 0)[1] == 0
""",
    "busy": """
expected = fit()
stop = threading.Event()
busy = threading.Thread(target=large, args=(stop,))
busy.start()
for _ in range(5):
    forked()
stop.set(); busy.join()
assert fit() == expected
""",
    "pool": """
expected = fit()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.starmap(fit, [()] * 4) == [expected] * 4
""",
}


@needs_fork
@pytest.mark.parametrize("case", FORKS)
def test_fits_after_a_fork(case: str) -> None:
    run_python(PREPARED + FORKED + FORKS[case], timeout=60)


def test_fits_in_a_spawned_process() -> None:
    # What a spawned process runs must be found by its name.
    run_python(
        """
import multiprocessing, warnings
if __name__ == "__main__":
    warnings.simplefilter("ignore")
    import steinbound as sb
    from helpers import DISC, disc_sample
    from functools import partial
    X = disc_sample(150, 1)
    fit = partial(sb.fit, domain=DISC)
    expected = dict(fit(X).params)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        # Arguments and results are pickled both ways.
        assert dict(pool.map(fit, [X])[0].params) == expected
""",
        timeout=60,
    )


# Ctrl-C.

#: Computations that take long, with what they need first.
LONG = {
    "tiled fit": "sb.fit(X, domain=DISC, method='tksd', compute='tiled', threads=1)",
    "bootstrap": "sb.fit(X[:400], domain=DISC, bootstrap=1000000)",
    "test": "sb.gof_test(X[:400], domain=DISC, model=KNOWN, bootstrap=1000000)",
    "efficient fit": "sb.fit(np.tile(X, (20, 1)), domain=DISC, model=sb.GaussianMixture(6), threads=1)",
    "tiled bootstrap": "sb.fit(X[:4000], domain=DISC, bootstrap=1000000, method='tksd', compute='tiled')",
    "tuning": "sb.fit(X, domain=DISC, tune=True, method='tksd', compute='tiled')",
    "low rank": "sb.fit(np.tile(X, (20, 1)), domain=DISC, method='tksd', compute='low-rank', tolerance=1e-9)",
    "discrepancy": "sb.discrepancy(X, [0.5, 0.5], domain=DISC, model=KNOWN, method='tksd', compute='tiled')",
    "sensitivity": "few.sensitivity()",
    "witness": "few.witness(np.tile(X, (40, 1)))",
    "mixture": "sb.fit(X[:9000], domain=DISC, model=sb.GaussianMixture(6), method='tksd', compute='tiled')",
    "likelihood": "sb.fit(X, domain=curve, model=sb.GaussianMixture(6), method='truncated-mle')",
    "draws": "few.sample(100000000)",
    "draws inside": "few.sample(100000000, truncated=True)",
    "simulation": "sb.simulate(KNOWN, [0.5, 0.5], DISC, 100000000)",
    "rare draws": "sb.simulate(KNOWN, [3.0, 3.0], DISC, 30000000)",
    "many boundary points": "sb.fit(X[:500], domain=DISC, model=KNOWN, method='tksd', boundary_points=12000)",
    "boundary": "DISC.sample_boundary(100000000)",
    "regression": "sb.regress('y ~ x', {'y': X[:, 0], 'x': X[:, 1]}, -2, method='tksd', compute='tiled')",
    "model in Python": "sb.fit(X[:500], domain=DISC, model=slow)",
    "region in Python": "sb.fit(X[:500], domain=region, model=KNOWN)",
}
#: Those that end too late, until the engine looks up more often.
LATE = {"boundary"}

INTERRUPTED = """
import signal, time, warnings
# What is started in the background of a script has Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
warnings.simplefilter("ignore")
import numpy as np, steinbound as sb
from helpers import DISC, KNOWN, disc_sample
X = disc_sample(60000)
few = sb.fit(X[:6000], domain=DISC, model=KNOWN, method="tksd", compute="tiled", diagnostics=False)
curve = sb.LevelSet("x1^2 + x2^2 - 2.0736")

def score(X, theta):
    time.sleep(0.01)
    return theta - X

def inside(X):
    time.sleep(0.1)
    return np.hypot(X[:, 0], X[:, 1]) - 1.44

slow = sb.Score(score, {"a": 0.0, "b": 0.0})
region = sb.Where(inside, [(-2, 2), (-2, 2)])
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
else:
    print("finished", flush=True)
"""


def waited(case: str) -> float:
    """How long it took from Ctrl-C to the exception."""
    process = start_python(INTERRUPTED.replace("CALL", LONG[case]))
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
        time.sleep(0.3)
        asked = time.time()
        process.send_signal(signal.SIGINT)
        word, *when = process.stdout.readline().split() or [f"exit code {process.wait(20)}"]
    finally:
        process.kill()
        process.communicate()
    assert word == "interrupted", word
    return float(when[0]) - asked


def cases() -> list[object]:
    """The first few in the ordinary run."""
    found: list[object] = []
    for i, case in enumerate(LONG):
        late = pytest.mark.xfail(reason="the engine does not look up while it computes this", strict=True)
        marks = [mark for mark, holds in [(pytest.mark.long, i > 2), (late, case in LATE)] if holds]
        found.append(pytest.param(case, marks=marks))
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way")
@pytest.mark.parametrize("case", cases())
def test_interrupts_end_a_computation(case: str) -> None:
    assert waited(case) < PATIENCE
