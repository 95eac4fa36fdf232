//! The profiles of kernels, many squared distances at a time.

use super::lanes::{LANES, Lanes};
use super::vectorised;

/// How many vectors go through a profile together.
const TOGETHER: usize = 4;

/// A kernel's `f`, `f'` and `f''`, written for vectors. What [`Kernel::profile`](crate::kernel::Kernel::profile) says of one number.
pub(crate) trait Profile {
    /// `f(q)`.
    fn value<V: Lanes, const N: usize>(q: [V; N]) -> [V; N];

    /// `f(q)`, `f'(q)` and `f''(q)`.
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3];
}

#[inline(always)]
fn value_rows_body<V: Lanes, P: Profile>(q: &mut [[f64; LANES]]) {
    let (groups, rest) = q.as_chunks_mut::<TOGETHER>();
    for group in groups {
        let mut q = [V::splat(0.0); TOGETHER];
        for k in 0..TOGETHER {
            q[k] = V::load(&group[k]);
        }
        let value = P::value(q);
        for k in 0..TOGETHER {
            value[k].store(&mut group[k]);
        }
    }
    for q in rest {
        let [value] = P::value([V::load(q)]);
        value.store(q);
    }
}

vectorised! {
    /// `q := f(q)`.
    pub(crate) fn value_rows<P: Profile>(q: &mut [[f64; LANES]]) = value_rows_body
}

#[inline(always)]
fn profile_rows_body<V: Lanes, P: Profile>(
    q: &[[f64; LANES]],
    value: &mut [[f64; LANES]],
    first: &mut [[f64; LANES]],
    second: &mut [[f64; LANES]],
) {
    for (((q, value), first), second) in q.iter().zip(value).zip(first).zip(second) {
        let [[f], [f1], [f2]] = P::all([V::load(q)]);
        f.store(value);
        f1.store(first);
        f2.store(second);
    }
}

vectorised! {
    /// `value := f(q)`, `first := f'(q)`, `second := f''(q)`.
    pub(crate) fn profile_rows<P: Profile>(
        q: &[[f64; LANES]],
        value: &mut [[f64; LANES]],
        first: &mut [[f64; LANES]],
        second: &mut [[f64; LANES]],
    ) = profile_rows_body
}
