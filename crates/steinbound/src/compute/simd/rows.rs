//! The profiles of kernels, many squared distances at a time.

use std::marker::PhantomData;

use super::lanes::{LANES, Lanes};
use super::{Level, Vectorised};

/// How many vectors go through a profile together.
const TOGETHER: usize = 4;

/// A kernel's `f`, `f'` and `f''`, written for vectors. A kernel says the same of one number by its
/// `profile`.
pub(crate) trait Profile {
    /// `f(q)`.
    fn value<V: Lanes, const N: usize>(q: [V; N]) -> [V; N];

    /// `f(q)`, `f'(q)` and `f''(q)`.
    fn all<V: Lanes, const N: usize>(q: [V; N]) -> [[V; N]; 3];
}

struct ValueRows<'a, P> {
    q: &'a mut [[f64; LANES]],
    profile: PhantomData<P>,
}

impl<P: Profile> Vectorised for ValueRows<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let (groups, rest) = self.q.as_chunks_mut::<TOGETHER>();
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
}

/// `q := f(q)`.
pub(crate) fn value_rows<P: Profile>(level: Level, q: &mut [[f64; LANES]]) {
    level.run(ValueRows::<P> { q, profile: PhantomData });
}

struct ProfileRows<'a, P> {
    q: &'a [[f64; LANES]],
    value: &'a mut [[f64; LANES]],
    first: &'a mut [[f64; LANES]],
    second: &'a mut [[f64; LANES]],
    profile: PhantomData<P>,
}

impl<P: Profile> Vectorised for ProfileRows<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let rows = self.q.iter().zip(self.value).zip(self.first).zip(self.second);
        for (((q, value), first), second) in rows {
            let [[f], [f1], [f2]] = P::all([V::load(q)]);
            f.store(value);
            f1.store(first);
            f2.store(second);
        }
    }
}

/// `value := f(q)`, `first := f'(q)`, `second := f''(q)`.
pub(crate) fn profile_rows<P: Profile>(
    level: Level,
    q: &[[f64; LANES]],
    value: &mut [[f64; LANES]],
    first: &mut [[f64; LANES]],
    second: &mut [[f64; LANES]],
) {
    level.run(ProfileRows::<P> { q, value, first, second, profile: PhantomData });
}
