"""Design matrices by other programs, with which the tests of steinbound-io compare formulas.

    pip install patsy==1.0.3 formulaic==1.2.2 pandas scipy
    python tools/formula_fixtures.py

writes data.csv and designs.txt into crates/steinbound-io/tests/designs. Each design has the formula as it is given to
steinbound, who computed the reference, and how they are compared: the same columns in any order, or the same span
(where the programs choose other columns for the same space).
"""

from pathlib import Path

import formulaic
import numpy as np
import pandas as pd
import patsy
from scipy.interpolate import BSpline

FOLDER = Path(__file__).parent.parent / "crates/steinbound-io/tests/designs"
ROWS = 24

# Formulas that both programs read.
PATSY = """
x
x + z
0 + x
x - 1
1
x + z - z
x:z
x*z
(x + z + w)**2
(x + z + w)**3
(x + z + w)**2 - x:z
x/z
g
g + h
x + g
g - 1
g*x
g*h
g:x + g
g/x
h/(x + z)
(g + x)*h
g*h*x
(g + h + x)**2
C(k)
C(k) + g
C(k):x + C(k)
C(g, Treatment("c"))
C(g, Treatment(reference="b")) + h
C(g, Treatment("b")):x + C(g, Treatment("b"))
C(g, Sum)
C(g, Sum) + C(h, Sum)
C(g, Sum):C(h, Sum) + C(g, Sum) + C(h, Sum)
C(g, Sum)*x
np.log(w)
np.log(w + 1) + np.sqrt(w)
np.exp(-x) + np.log10(w) + np.log1p(w)
np.abs(x) + np.sin(z) + np.arctan(x)
np.maximum(x, z) + np.power(w, 1.5)
I(x**2)
x + I(x**2) + I(x*z - 2*w)
I((x + z)/w)
np.log(w):g + g
center(x)
standardize(x) + center(z)
standardize(np.log(w))
center(x):g + g
I(center(x)**2)
Q("my var") + Q("my var"):x
bs(x, df=4)
bs(x, df=6) + z
bs(x, df=5, degree=2)
bs(x, df=3, degree=1)
bs(x, knots=[-0.5, 0.5])
bs(x, knots=[0.1], degree=2, lower_bound=-4, upper_bound=5)
bs(x, df=5, include_intercept=True) - 1
bs(w, df=5):h + h
bs(np.log(w), df=4)
"""

FORMULAIC = """
poly(x, 2)
poly(x, 4) + z
poly(x, degree=3, raw=True)
poly(w, 5)
poly(x, 2):z
poly(x, 2)*h
poly(np.log(w), 3)
scale(x)
scale(x)*center(z)
scale(np.log(w)) + g
bs(x, df=5)
(x + z + w)**2
`my var` + x
x + z:g + g
"""

# Where patsy spans the same space by other columns.
SPAN = """
g:h
0 + g:h
0 + x:g + h
g:x
0 + x + x:g
C(g, Sum) - 1
C(g, Sum):x + x
g:h:x + g:h
"""

NATURAL = [
    ("ns(x)", {}),
    ("ns(x, df=3)", {"df": 3}),
    ("ns(x, df=5)", {"df": 5}),
    ("ns(x, knots=[-0.5, 0.25, 1])", {"knots": [-0.5, 0.25, 1]}),
    ("ns(x, df=4, intercept=TRUE)", {"df": 4, "intercept": True}),
    ("ns(x, knots=c(0), Boundary.knots=c(-1, 1))", {"knots": [0], "ends": (-1, 1)}),
]


def data():
    generator = np.random.default_rng(20)
    frame = pd.DataFrame({"x": generator.normal(size=ROWS), "z": generator.uniform(-2, 3, ROWS)})
    frame["w"] = generator.gamma(2.0, size=ROWS)
    frame["my var"] = generator.normal(size=ROWS)
    frame["k"] = generator.integers(1, 5, ROWS)
    frame["g"] = ["a", "b", "c"] * (ROWS // 3)
    frame["h"] = (["u", "v"] * ROWS)[:ROWS]
    return frame.round(6)


def natural(x, df=None, knots=None, intercept=False, ends=None):
    """The natural splines of R's ns: B-splines without curvature at the ends, by a QR decomposition."""
    low, high = ends if ends else (x.min(), x.max())
    if df is not None:
        inside = x[(x >= low) & (x <= high)]
        knots = np.quantile(inside, np.linspace(0, 1, df - 1 - intercept + 2)[1:-1])
    full = np.concatenate([[low] * 4, np.sort([] if knots is None else knots), [high] * 4])
    spline = BSpline(full, np.eye(len(full) - 4), 3)
    inside = np.clip(x, low, high)
    basis = spline(inside) + spline(inside, 1) * (x - inside)[:, None]
    curvature = spline(np.array([low, high]), 2)
    if not intercept:
        basis, curvature = basis[:, 1:], curvature[:, 1:]
    complete = np.linalg.qr(curvature.T, mode="complete")[0]
    return (basis @ complete)[:, 2:]


def main():
    frame = data()
    FOLDER.mkdir(exist_ok=True)
    frame.assign(y=np.arange(ROWS)).to_csv(FOLDER / "data.csv", index=False)
    blocks = []

    def write(formula, program, comparison, matrix):
        rows = [" ".join(f"{value:.17g}" for value in row) for row in np.asarray(matrix, dtype=float)]
        blocks.append("\n".join([f"y ~ {formula}", f"{program} {comparison}", *rows]))

    for text, program, comparison in ((PATSY, "patsy", "columns"), (SPAN, "patsy", "span")):
        for formula in text.strip().split("\n"):
            write(formula, program, comparison, patsy.dmatrix(formula, frame))
    for formula in FORMULAIC.strip().split("\n"):
        write(formula, "formulaic", "columns", formulaic.model_matrix(formula, frame))
    for formula, settings in NATURAL:
        basis = natural(frame["x"].to_numpy(), **settings)
        write(formula, "numpy", "columns", np.column_stack([np.ones(ROWS), basis]))
    (FOLDER / "designs.txt").write_text("\n\n".join(blocks) + "\n")
    print(len(blocks), "designs")


if __name__ == "__main__":
    main()
