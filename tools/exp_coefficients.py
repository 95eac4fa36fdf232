"""The coefficients of the exponential in crates/steinbound/src/compute/simd/exp.rs.

Fits p in exp(r) = 1 + r + r^2 p(r) on |r| <= ln(2) / 2 in sixty digits and prints its coefficients, the
highest power first, with the largest error. Needs mpmath.
"""

import mpmath

DEGREE = 9

mpmath.mp.dps = 60
# Slightly more than half of ln 2, because of rounding in the choice of the nearest integer.
REACH = mpmath.log(2) / 2 * mpmath.mpf("1.0001")


def remainder(r: mpmath.mpf) -> mpmath.mpf:
    if abs(r) < mpmath.mpf("1e-20"):
        return mpmath.mpf(1) / 2 + r / 6
    return (mpmath.exp(r) - 1 - r) / r**2


coefficients, error = mpmath.chebyfit(remainder, [-REACH, REACH], DEGREE + 1, error=True)
for coefficient in coefficients:
    print(repr(float(coefficient)))
print("error of exp:", mpmath.nstr(error * REACH**2, 3))
