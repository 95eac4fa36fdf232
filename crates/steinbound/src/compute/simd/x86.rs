//! The vector units of x86 processors.
//!
//! Every block here is `unsafe` for one reason: the instruction must exist. The types are used only by
//! functions that [`Level::run`](super::Level::run) compiles for the unit and enters after the processor was
//! asked for it. Loads and stores go through references to eight numbers, so that no address can be wrong.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::lanes::{LANES, Lanes, kept_one_by_one};

/// Eight numbers in one register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(__m512d);

impl Lanes for Avx512 {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Avx512(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        Avx512(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Avx512(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Avx512(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Avx512(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Avx512(unsafe { _mm512_div_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Avx512(unsafe { _mm512_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Avx512(unsafe { _mm512_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        Avx512(unsafe { _mm512_fmadd_pd(self.0, factor.0, summand.0) })
    }

    #[inline(always)]
    fn times_power_of_two(self, steps: Self) -> Self {
        unsafe {
            let shifted = _mm512_slli_epi64::<52>(_mm512_castpd_si512(steps.0));
            Avx512(_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(self.0), shifted)))
        }
    }

    #[inline(always)]
    fn zero_where_below(self, x: Self, limit: Self) -> Self {
        unsafe {
            let stays = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(x.0, limit.0);
            Avx512(_mm512_maskz_mov_pd(stays, self.0))
        }
    }

    #[inline(always)]
    fn below(self, limit: Self) -> u8 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, limit.0) }
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u8 {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self.0, limit.0) }
    }

    #[inline(always)]
    fn sort_out(self, low: Self, high: Self, count: Self) -> (Self, u8) {
        unsafe {
            let at_least = _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(self.0, low.0);
            let within = _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(at_least, self.0, high.0);
            (Avx512(_mm512_mask_add_pd(count.0, at_least, count.0, _mm512_set1_pd(1.0))), within)
        }
    }

    #[inline(always)]
    fn keep(self, bits: u8, to: &mut [f64; LANES]) -> usize {
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), _mm512_maskz_compress_pd(bits, self.0)) };
        bits.count_ones() as usize
    }

    #[inline(always)]
    fn sums(four: [Self; 4]) -> [f64; 4] {
        unsafe {
            let [Avx512(a), Avx512(b), Avx512(c), Avx512(d)] = four;
            let ab = _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let cd = _mm512_add_pd(_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            // Pairs of lanes are summed; now pairs of pairs, a and b in the lower half, c and d in the upper.
            let even = _mm512_shuffle_f64x2::<0b10_00_10_00>(ab, cd);
            let odd = _mm512_shuffle_f64x2::<0b11_01_11_01>(ab, cd);
            let quarters = _mm512_add_pd(even, odd);
            let low = _mm512_shuffle_f64x2::<0b00_00_10_00>(quarters, quarters);
            let high = _mm512_shuffle_f64x2::<0b00_00_11_01>(quarters, quarters);
            let sums = _mm256_add_pd(_mm512_castpd512_pd256(low), _mm512_castpd512_pd256(high));
            let mut out = [0.0; 4];
            _mm256_storeu_pd(out.as_mut_ptr(), sums);
            out
        }
    }
}

/// Eight numbers in two registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(__m256d, __m256d);

impl Lanes for Avx2 {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        unsafe { Avx2(_mm256_set1_pd(x), _mm256_set1_pd(x)) }
    }

    #[inline(always)]
    fn load(from: &[f64; LANES]) -> Self {
        // SAFETY: both halves lie within the eight numbers.
        unsafe { Avx2(_mm256_loadu_pd(from.as_ptr()), _mm256_loadu_pd(from.as_ptr().add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        // SAFETY: both halves lie within the eight numbers.
        unsafe {
            _mm256_storeu_pd(to.as_mut_ptr(), self.0);
            _mm256_storeu_pd(to.as_mut_ptr().add(4), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_add_pd(self.0, other.0), _mm256_add_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_sub_pd(self.0, other.0), _mm256_sub_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_mul_pd(self.0, other.0), _mm256_mul_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_div_pd(self.0, other.0), _mm256_div_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Avx2(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { Avx2(_mm256_max_pd(self.0, other.0), _mm256_max_pd(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe {
            Avx2(_mm256_fmadd_pd(self.0, factor.0, summand.0), _mm256_fmadd_pd(self.1, factor.1, summand.1))
        }
    }

    #[inline(always)]
    fn times_power_of_two(self, steps: Self) -> Self {
        unsafe { Avx2(raised(self.0, steps.0), raised(self.1, steps.1)) }
    }

    #[inline(always)]
    fn zero_where_below(self, x: Self, limit: Self) -> Self {
        unsafe {
            Avx2(
                _mm256_and_pd(self.0, _mm256_cmp_pd::<_CMP_NLT_UQ>(x.0, limit.0)),
                _mm256_and_pd(self.1, _mm256_cmp_pd::<_CMP_NLT_UQ>(x.1, limit.1)),
            )
        }
    }

    #[inline(always)]
    fn below(self, limit: Self) -> u8 {
        unsafe {
            let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, limit.0));
            let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.1, limit.1));
            (low | high << 4) as u8
        }
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u8 {
        unsafe {
            let low = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, limit.0));
            let high = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self.1, limit.1));
            (low | high << 4) as u8
        }
    }

    #[inline(always)]
    fn sort_out(self, low: Self, high: Self, count: Self) -> (Self, u8) {
        unsafe {
            let one = _mm256_set1_pd(1.0);
            let least = Avx2(
                _mm256_cmp_pd::<_CMP_NLT_UQ>(self.0, low.0),
                _mm256_cmp_pd::<_CMP_NLT_UQ>(self.1, low.1),
            );
            let counted = count.add(Avx2(_mm256_and_pd(least.0, one), _mm256_and_pd(least.1, one)));
            let at_least = _mm256_movemask_pd(least.0) | _mm256_movemask_pd(least.1) << 4;
            (counted, at_least as u8 & self.at_most(high))
        }
    }

    #[inline(always)]
    fn keep(self, bits: u8, to: &mut [f64; LANES]) -> usize {
        let mut from = [0.0; LANES];
        self.store(&mut from);
        kept_one_by_one(&from, bits, to)
    }

    #[inline(always)]
    fn sums(four: [Self; 4]) -> [f64; 4] {
        unsafe {
            let [a, b, c, d] = four;
            let (low, high) = (quarters(a.0, b.0, c.0, d.0), quarters(a.1, b.1, c.1, d.1));
            let mut out = [0.0; 4];
            _mm256_storeu_pd(out.as_mut_ptr(), _mm256_add_pd(low, high));
            out
        }
    }
}

#[inline(always)]
unsafe fn raised(x: __m256d, steps: __m256d) -> __m256d {
    unsafe {
        let shifted = _mm256_slli_epi64::<52>(_mm256_castpd_si256(steps));
        _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), shifted))
    }
}

/// The sums over the four lanes of each, `(0 + 1) + (2 + 3)`.
#[inline(always)]
unsafe fn quarters(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> __m256d {
    unsafe {
        let ab = _mm256_hadd_pd(a, b);
        let cd = _mm256_hadd_pd(c, d);
        let low = _mm256_permute2f128_pd::<0x20>(ab, cd);
        let high = _mm256_permute2f128_pd::<0x31>(ab, cd);
        _mm256_add_pd(low, high)
    }
}
