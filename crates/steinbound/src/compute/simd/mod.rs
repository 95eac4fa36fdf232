//! Eight numbers at a time, on whatever vector unit the processor has.
//!
//! An inner loop is written once, generic over [`Lanes`], and compiled three times by [`Level::run`]: for
//! AVX-512, for AVX2 with FMA, and for any processor. Which one runs is decided once, when the program first
//! asks ([`Level::current`]). Sums run over eight lanes in each case, in the same order; the two AVX levels
//! give the same bits, the portable one rounds a product before it is added.

mod exp;
mod lanes;
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

pub(crate) use exp::{NEGLIGIBLE_EXPONENT, exp, exp_within};
pub(crate) use lanes::{LANES, Lanes, Portable};
pub(crate) use rows::{Profile, profile_rows, value_rows};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// A vector unit that this processor has.
///
/// Only the functions below make one, so that holding it is proof that its instructions can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level(Unit);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The environment variable that holds a run to a lesser vector unit: `portable` or `avx2`.
const VARIABLE: &str = "STEINBOUND_SIMD";

impl Level {
    /// The levels of this processor, the plainest first.
    pub(crate) fn available() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut levels = vec![Level(Unit::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("popcnt")
            {
                levels.push(Level(Unit::Avx2));
                if is_x86_feature_detected!("avx512f") {
                    levels.push(Level(Unit::Avx512));
                }
            }
        }
        levels
    }

    /// The level in use: the best there is, or the one that the environment asks for where the processor has
    /// it.
    pub(crate) fn current() -> Level {
        static CURRENT: OnceLock<Level> = OnceLock::new();
        *CURRENT.get_or_init(|| {
            let levels = Level::available();
            let asked = std::env::var(VARIABLE).ok();
            let found = levels.iter().find(|level| Some(level.name()) == asked.as_deref());
            *found.or(levels.last()).unwrap_or(&Level(Unit::Portable))
        })
    }

    /// `portable`, `avx2` or `avx512`.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            Unit::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512 => "avx512",
        }
    }
}

/// Returns an error if the environment asks for a vector unit by a name that there is not. One that this
/// processor lacks is no error: the widest that it has is used.
pub(crate) fn check_choice() -> Result<(), String> {
    check_name(std::env::var_os(VARIABLE).as_deref().map(|name| name.to_string_lossy()).as_deref())
}

fn check_name(asked: Option<&str>) -> Result<(), String> {
    match asked {
        None | Some("" | "portable" | "avx2" | "avx512") => Ok(()),
        Some(other) => Err(format!(
            "{VARIABLE} is \"{}\"; set it to portable, avx2 or avx512, or unset it",
            other.chars().take(60).collect::<String>().escape_debug()
        )),
    }
}

/// An inner loop, written for any vector unit.
///
/// Sizes and places that it reads are fields of the loop itself, not behind a reference: a reference in a
/// field may point to what the loop writes, so that they would be read and checked again in each turn.
pub(crate) trait Vectorised {
    /// The result.
    type Output;

    /// The loop. It and all that it calls on lanes must be `#[inline(always)]`: only what is inlined is
    /// compiled for the level.
    fn run<V: Lanes>(self) -> Self::Output;
}

impl Level {
    /// Runs a loop compiled for this level.
    #[allow(unsafe_code)]
    pub(crate) fn run<J: Vectorised>(self, job: J) -> J::Output {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx2,fma,popcnt")]
            fn avx512<J: Vectorised>(job: J) -> J::Output {
                job.run::<Avx512>()
            }
            #[target_feature(enable = "avx2,fma,popcnt")]
            fn avx2<J: Vectorised>(job: J) -> J::Output {
                job.run::<Avx2>()
            }
            match self.0 {
                // SAFETY: a level exists only where the processor has its instructions.
                Unit::Avx512 => return unsafe { avx512(job) },
                // SAFETY: as above.
                Unit::Avx2 => return unsafe { avx2(job) },
                Unit::Portable => {}
            }
        }
        job.run::<Portable>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_vector_units_are_known_or_refused() {
        for level in Level::available() {
            assert_eq!(check_name(Some(level.name())), Ok(()));
        }
        assert_eq!(check_name(None), Ok(()));
        let message = check_name(Some("avx1024")).unwrap_err();
        assert_eq!(
            message,
            "STEINBOUND_SIMD is \"avx1024\"; set it to portable, avx2 or avx512, or unset it"
        );
    }
}
