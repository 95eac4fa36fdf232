"""The textbook: TKSD with dense Gram matrices in NumPy and SciPy, written as one would from the formulas.

Two ways to the same V-statistic (Gaussian kernel, median bandwidth, ridge on the boundary's kernel matrix):

    closed-form   the Gaussian mean, which solves linear equations; no standard errors
    bfgs          any score: the matrix of Stein kernel values at the parameters, averaged, and minimised by
                  scipy.optimize.minimize with its own finite differences
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.special import softmax

import contender

# BFGS stops at this gradient. The default, 1e-5, saves one evaluation in fifteen and leaves the mixture short
# of four digits.
TOLERANCE = 1e-6


def median_kernel(data: np.ndarray) -> tuple[float, np.ndarray]:
    """The median distance between the data points, and the Gaussian kernel of that width among them."""
    distances = pdist(data)
    bandwidth = float(np.median(distances))
    gram = squareform(np.exp(-(distances**2) / (2 * bandwidth**2)))
    np.fill_diagonal(gram, 1.0)
    return bandwidth, gram


def gaussian_kernel(left: np.ndarray, right: np.ndarray, bandwidth: float) -> np.ndarray:
    return np.exp(-cdist(left, right, "sqeuclidean") / (2 * bandwidth**2))


def boundary_kernel(boundary: np.ndarray, data: np.ndarray, bandwidth: float, ridge: float):
    """The kernel k(b, x) of boundary points against data, and the Cholesky factor of K + ridge I."""
    among_boundary = gaussian_kernel(boundary, boundary, bandwidth)
    factor = cho_factor(among_boundary + ridge * np.eye(len(boundary)))
    return gaussian_kernel(boundary, data, bandwidth), factor


def gram_closed_form(data: np.ndarray, boundary: np.ndarray, ridge: float) -> np.ndarray:
    """The mean of a Gaussian with unit covariance.

    Its score is mean - x, so that the minimum solves (1' M 1) mean_l = 1' M x_l - 1' C_l, with the
    conditioned kernel M at the data and its summed derivatives C_l(i) = sum_j d/dy_l k0(x_i, x_j).
    """
    bandwidth, gram = median_kernel(data)
    at_boundary, factor = boundary_kernel(boundary, data, bandwidth, ridge)
    solved = cho_solve(factor, at_boundary)
    row_sums, weighted_sums = gram.sum(axis=1), gram @ data
    # For the Gaussian kernel d/dy_l k(x, y) = k(x, y) (x_l - y_l) / bandwidth^2.
    slopes = data * row_sums[:, None] - weighted_sums
    boundary_slopes = boundary * at_boundary.sum(axis=1)[:, None] - at_boundary @ data
    summed_slopes = (slopes - solved.T @ boundary_slopes) / bandwidth**2
    conditioned = gram - at_boundary.T @ solved
    weights = conditioned.sum(axis=0)
    return (weights @ data - summed_slopes.sum(axis=0)) / weights.sum()


class GramMatrices:
    """The conditioned kernel k0 at all pairs of data, with its derivatives: formed once."""

    def __init__(self, data: np.ndarray, boundary: np.ndarray, ridge: float) -> None:
        bandwidth, gram = median_kernel(data)
        at_boundary, factor = boundary_kernel(boundary, data, bandwidth, ridge)
        solved = cho_solve(factor, at_boundary)
        dimension = data.shape[1]
        squared = cdist(data, data, "sqeuclidean")
        self.value = gram - at_boundary.T @ solved
        self.both = gram * (dimension / bandwidth**2 - squared / bandwidth**4)
        self.second = []
        for x, b in zip(data.T, boundary.T):
            slope = at_boundary * (b[:, None] - x[None, :]) / bandwidth**2
            plain = gram * (x[:, None] - x[None, :]) / bandwidth**2
            self.second.append(plain - solved.T @ slope)
            self.both -= slope.T @ cho_solve(factor, slope)

    def discrepancy(self, scores: np.ndarray) -> float:
        """The average over all pairs of the Stein kernel."""
        stein = self.value * (scores @ scores.T) + self.both
        for score, second in zip(scores.T, self.second):
            cross = score[:, None] * second
            stein += cross
            stein += cross.T
        return float(stein.mean())


def mixture_scores(data: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The score of Gaussians with unit covariance and equal weights; of one Gaussian, mean - x."""
    responsibilities = softmax(-cdist(data, means, "sqeuclidean") / 2, axis=1)
    return responsibilities @ means - data


def gram_bfgs(data: np.ndarray, boundary: np.ndarray, ridge: float, start: np.ndarray) -> np.ndarray:
    """The means of Gaussians with unit covariance and equal weights, from a start."""
    matrices = GramMatrices(data, boundary, ridge)
    shape = (-1, data.shape[1])

    def objective(means: np.ndarray) -> float:
        return matrices.discrepancy(mixture_scores(data, means.reshape(shape)))

    return minimize(objective, start, method="BFGS", options={"gtol": TOLERANCE}).x


def main() -> None:
    options = contender.parser(__doc__.splitlines()[0])
    options.add_argument("way", choices=["closed-form", "bfgs"])
    options.add_argument("--ridge", type=float, default=1e-3)
    options.add_argument(
        "--start", help="means one after the other, a,b,..; the mean of the data if not given"
    )
    asked = options.parse_args()
    data = contender.read(asked.data, asked.dimension)
    boundary = contender.read(asked.boundary, asked.dimension)

    def job() -> dict:
        if asked.way == "closed-form":
            return {"estimates": gram_closed_form(data, boundary, asked.ridge).tolist()}
        start = np.array(asked.start.split(","), dtype=float) if asked.start else data.mean(axis=0)
        return {"estimates": gram_bfgs(data, boundary, asked.ridge, start).tolist()}

    contender.run(job, asked.repeat)


if __name__ == "__main__":
    main()
