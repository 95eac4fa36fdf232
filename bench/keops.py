"""KeOps on the processor: the sums that a fit of the Gaussian mean needs, without the rest of the fit.

For every point x_i: sum_j exp(-|x_i - x_j|^2 / (2 s^2)) v_j with the d + 1 columns v_j = (1, x_j), in double
precision.
"""

import numpy as np
import pykeops
from pykeops.numpy import LazyTensor

import contender

CHECKED = 500


def kernel_sums(data: np.ndarray, columns: np.ndarray, bandwidth: float) -> np.ndarray:
    x, y = LazyTensor(data[:, None, :]), LazyTensor(data[None, :, :])
    kernel = (-x.sqdist(y) / (2 * bandwidth**2)).exp()
    return np.asarray(kernel.__matmul__(columns, backend="CPU"))


def check(data: np.ndarray, columns: np.ndarray, bandwidth: float) -> None:
    """Compiles, and compares a few points with NumPy, so that what is timed is known to be right."""
    distances = ((data[:, None, :] - data[None, :, :]) ** 2).sum(axis=2)
    expected = np.exp(-distances / (2 * bandwidth**2)) @ columns
    np.testing.assert_allclose(kernel_sums(data, columns, bandwidth), expected, rtol=1e-8)


def main() -> None:
    options = contender.parser(__doc__.splitlines()[0])
    options.add_argument("--bandwidth", type=float, required=True)
    asked = options.parse_args()
    pykeops.set_verbose(False)
    data = contender.read(asked.data, asked.dimension)
    columns = np.column_stack([np.ones(len(data)), data])
    check(data[:CHECKED], columns[:CHECKED], asked.bandwidth)
    contender.run(
        lambda: {"checksum": float(kernel_sums(data, columns, asked.bandwidth).sum())}, asked.repeat
    )


if __name__ == "__main__":
    main()
