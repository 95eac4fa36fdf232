//! What environment variables say, checked before anything is done.

use crate::failure::Failure;

/// Refuses a vector unit that does not exist.
pub fn check() -> Result<(), Failure> {
    steinbound::check_simd_choice().map_err(Failure::input)
}
