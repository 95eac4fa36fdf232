//! The exponential function of numbers that are not positive.

use super::lanes::Lanes;

/// Below this the exponential is taken to be zero.
pub(crate) const NEGLIGIBLE_EXPONENT: f64 = -708.0;

/// Adding this to a number below `2^51` rounds it to an integer and leaves that in the last bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// `ln 2` in two parts. The first has zeros in its last 32 bits, so that its product with an exponent is
/// exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// The polynomial `p` of degree 9 with the least error of `1 + r + r^2 p(r)` against `exp(r)` for
/// `|r| <= ln(2) / 2`, which is `1.3e-17`; the highest power first. `tools/exp_coefficients.py` computes
/// them.
const COEFFICIENTS: [f64; 10] = [
    2.510_038_549_551_032e-8,
    2.762_008_844_540_974_6e-7,
    2.755_726_845_999_706_4e-6,
    2.480_152_129_595_437_6e-5,
    1.984_126_986_305_361_8e-4,
    1.388_888_891_721_371_7e-3,
    8.333_333_333_330_062e-3,
    4.166_666_666_662_413e-2,
    1.666_666_666_666_666_9e-1,
    5.000_000_000_000_001e-1,
];

/// `exp(x)` for `x <= 0`, zero below [`NEGLIGIBLE_EXPONENT`]: within 2 units in the last place.
#[inline(always)]
pub(crate) fn exp<V: Lanes, const N: usize>(x: [V; N]) -> [V; N] {
    let limit = V::splat(NEGLIGIBLE_EXPONENT);
    let mut held = x;
    for i in 0..N {
        // In this order what is not a number stays so.
        held[i] = limit.max(x[i]);
    }
    let mut out = exp_within(held);
    for i in 0..N {
        out[i] = out[i].zero_where_below(x[i], limit);
    }
    out
}

/// [`exp`] of numbers that are known not to be below [`NEGLIGIBLE_EXPONENT`].
///
/// With `k` the integer nearest to `x / ln 2` and `r = x - k ln 2`, `exp(x) = 2^k exp(r)`. There is no
/// branch; several vectors go together so that the processor has independent work while a polynomial's chain
/// of products is under way.
#[inline(always)]
pub(crate) fn exp_within<V: Lanes, const N: usize>(x: [V; N]) -> [V; N] {
    let rounder = V::splat(ROUNDER);
    let mut steps = [rounder; N];
    let mut rest = [rounder; N];
    let mut square = [rounder; N];
    for i in 0..N {
        steps[i] = x[i].mul_add(V::splat(std::f64::consts::LOG2_E), rounder);
        let k = steps[i].sub(rounder);
        rest[i] = k.mul_add(V::splat(-LN_2[0]), x[i]);
        rest[i] = k.mul_add(V::splat(-LN_2[1]), rest[i]);
        square[i] = rest[i].mul(rest[i]);
    }
    let mut odd = [V::splat(COEFFICIENTS[0]); N];
    let mut even = [V::splat(COEFFICIENTS[1]); N];
    for power in 1..COEFFICIENTS.len() / 2 {
        for i in 0..N {
            odd[i] = odd[i].mul_add(square[i], V::splat(COEFFICIENTS[2 * power]));
            even[i] = even[i].mul_add(square[i], V::splat(COEFFICIENTS[2 * power + 1]));
        }
    }
    let mut out = x;
    for i in 0..N {
        let p = odd[i].mul_add(rest[i], even[i]);
        let value = p.mul_add(square[i], rest[i]).add(V::splat(1.0));
        out[i] = value.times_power_of_two(steps[i]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::simd::{Level, Vectorised};

    /// The exponential of each number, in place.
    struct Exponentials<'a>(&'a mut [[f64; 8]]);

    impl Vectorised for Exponentials<'_> {
        type Output = ();

        #[inline(always)]
        fn run<V: Lanes>(self) {
            for x in self.0 {
                let [value] = exp([V::load(x)]);
                value.store(x);
            }
        }
    }

    fn at(level: Level, x: &[f64]) -> Vec<f64> {
        let mut chunks: Vec<[f64; 8]> =
            x.chunks(8).map(|c| std::array::from_fn(|k| c[k % c.len()])).collect();
        level.run(Exponentials(&mut chunks));
        chunks.as_flattened()[..x.len()].to_vec()
    }

    /// A power of two that keeps the last digits of small numbers from vanishing.
    const LIFT: f64 = (1u64 << 60) as f64 * (1u64 << 60) as f64;

    /// `LIFT exp(x)` to about 28 digits, as an unevaluated sum of two numbers: `exp(x / 1024)` by its series,
    /// squared ten times.
    fn precise(x: f64) -> (f64, f64) {
        let sum = |a: f64, b: f64| {
            let s = a + b;
            let c = s - a;
            (s, (a - (s - c)) + (b - c))
        };
        let times = |(a, b): (f64, f64), (c, d): (f64, f64)| {
            let p = a * c;
            let e = a.mul_add(c, -p) + (a * d + b * c);
            sum(p, e)
        };
        let plus = |(a, b): (f64, f64), c: (f64, f64)| {
            let (s, e) = sum(a, c.0);
            sum(s, e + b + c.1)
        };
        let small = (x / 1024.0, 0.0);
        // exp - 1, so that the leading digits do not push the small ones out.
        let mut value = (0.0, 0.0);
        for k in (1..=22u32).rev() {
            let factor = 1.0 / f64::from(k);
            let inverse = (factor, (-factor).mul_add(f64::from(k), 1.0) / f64::from(k));
            value = times(times(plus(value, (1.0, 0.0)), small), inverse);
        }
        value = plus(value, (1.0, 0.0));
        for _ in 0..9 {
            value = times(value, value);
        }
        value = (value.0 * LIFT.sqrt(), value.1 * LIFT.sqrt());
        times(value, value)
    }

    #[test]
    fn the_exponential_is_within_two_units_in_the_last_place() {
        let mut points: Vec<f64> = (0..400_000).map(|i| -708.0 * f64::from(i) / 399_999.0).collect();
        // Around the places where the integer part changes, and near zero.
        for k in 0..1020 {
            let edge = -(f64::from(k) + 0.5) * std::f64::consts::LN_2;
            points.extend([edge * (1.0 - 1e-15), edge, edge * (1.0 + 1e-15)]);
        }
        points.extend((0..300).map(|k| -0.9f64.powi(k)));
        points.retain(|x| (-708.0..=0.0).contains(x));
        for level in Level::available() {
            let found = at(level, &points);
            let mut worst = (0.0, 0.0);
            for (x, found) in points.iter().zip(&found) {
                let (high, low) = precise(*x);
                let unit = f64::from_bits(high.to_bits() + 1) - high;
                let error = ((LIFT * found - high) - low).abs() / unit;
                if error > worst.0 {
                    worst = (error, *x);
                }
            }
            assert!(worst.0 <= 2.0, "{}: {} units at {}", level.name(), worst.0, worst.1);
            assert!(worst.0 > 0.4, "no rounding at all would mean that nothing was compared");
        }
    }

    #[test]
    fn the_ends_are_exact() {
        for level in Level::available() {
            let found =
                at(level, &[0.0, -0.0, -708.000001, -1e300, f64::NEG_INFINITY, -708.0, -1e-320, -1.0]);
            assert_eq!(found[..5], [1.0, 1.0, 0.0, 0.0, 0.0]);
            assert!(at(level, &[f64::NAN])[0].is_nan());
            assert!(found[5] > 3e-308 && found[6] == 1.0);
        }
    }
}
