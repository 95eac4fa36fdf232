/// How many numbers go together.
pub(crate) const LANES: usize = 8;

/// Eight numbers, and what the inner loops do with them.
///
/// Implementations are `#[inline(always)]` throughout, see [`Vectorised`](super::Vectorised).
pub(crate) trait Lanes: Copy {
    fn splat(x: f64) -> Self;
    fn load(from: &[f64; LANES]) -> Self;
    fn store(self, to: &mut [f64; LANES]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// The larger one; the second where the first is not a number.
    fn max(self, other: Self) -> Self;
    /// `self * factor + summand`, rounded once where the processor can.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// Adds the last bits of `steps` to the exponents: multiplication by `2^k` where `steps` is `k` plus
    /// `1.5 * 2^52`.
    fn times_power_of_two(self, steps: Self) -> Self;
    /// Zero in the lanes where `x < limit`.
    fn zero_where_below(self, x: Self, limit: Self) -> Self;
    /// A bit for each lane where `self < limit`.
    fn below(self, limit: Self) -> u8;
    /// A bit for each lane where `self <= limit`.
    fn at_most(self, limit: Self) -> u8;
    /// Adds one to `count` in the lanes that are at least `low`, and returns it with a bit for each of these
    /// that is at most `high`.
    fn sort_out(self, low: Self, high: Self, count: Self) -> (Self, u8);
    /// Writes the lanes whose bit is set one after the other, and returns how many there are. What follows
    /// them is not specified.
    fn keep(self, bits: u8, to: &mut [f64; LANES]) -> usize;
    /// The sums over the lanes of four, each in the order `((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))`.
    fn sums(four: [Self; 4]) -> [f64; 4];
}

/// Eight numbers in an array: what any processor can do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable([f64; LANES]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self;
        for k in 0..LANES {
            out.0[k] = f(self.0[k], other.0[k]);
        }
        out
    }

    #[inline(always)]
    fn bits(self, other: Self, f: impl Fn(f64, f64) -> bool) -> u8 {
        (0..LANES).fold(0, |bits, k| bits | (u8::from(f(self.0[k], other.0[k])) << k))
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Portable([x; LANES])
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        Portable(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.zip(self, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        self.mul(factor).add(summand)
    }

    #[inline(always)]
    fn times_power_of_two(self, steps: Self) -> Self {
        self.zip(steps, |a, k| f64::from_bits(a.to_bits().wrapping_add(k.to_bits() << 52)))
    }

    #[inline(always)]
    fn zero_where_below(self, x: Self, limit: Self) -> Self {
        let mut out = self;
        for k in 0..LANES {
            out.0[k] = if x.0[k] < limit.0[k] { 0.0 } else { self.0[k] };
        }
        out
    }

    #[inline(always)]
    fn below(self, limit: Self) -> u8 {
        self.bits(limit, |a, b| a < b)
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u8 {
        self.bits(limit, |a, b| a <= b)
    }

    #[inline(always)]
    fn sort_out(self, low: Self, high: Self, mut count: Self) -> (Self, u8) {
        let at_least = !self.below(low);
        for k in 0..LANES {
            count.0[k] += f64::from(at_least >> k & 1);
        }
        (count, at_least & self.at_most(high))
    }

    #[inline(always)]
    fn keep(self, bits: u8, to: &mut [f64; LANES]) -> usize {
        kept_one_by_one(&self.0, bits, to)
    }

    #[inline(always)]
    fn sums(four: [Self; 4]) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for (sum, Portable(a)) in sums.iter_mut().zip(four) {
            *sum = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
        }
        sums
    }
}

/// [`Lanes::keep`] where there is no instruction for it. Few bits are set, as a rule.
#[inline(always)]
pub(super) fn kept_one_by_one(from: &[f64; LANES], mut bits: u8, to: &mut [f64; LANES]) -> usize {
    let mut count = 0;
    while bits != 0 {
        to[count] = from[bits.trailing_zeros() as usize];
        count += 1;
        bits &= bits - 1;
    }
    count
}
