//! How far packed data may expand before they are refused: a few bytes can stand for more than any machine holds.

/// What any packed file may expand to.
const ALWAYS: u64 = 16 << 20;

/// Beyond that, so many times as many bytes as are packed. Tables of numbers shrink to a third, and those with many
/// repetitions to a twentieth; a file made to fill the memory, to a thousandth.
const RATIO: u64 = 100;

/// The largest number of bytes to which so many packed ones may expand.
pub(crate) fn limit(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).saturating_add(ALWAYS)
}

/// Why packed data are refused, to be read after "it", with the remedy.
pub(crate) fn refusal(packed: u64) -> String {
    format!(
        "it expands to more than {RATIO} times its size and {} MB ({} MB after {packed} bytes); if it is meant to, unpack it first",
        ALWAYS >> 20,
        limit(packed) >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_follows_from_the_size() {
        assert_eq!((limit(0), limit(1 << 20)), (16 << 20, 116 << 20));
        assert!(limit(u64::MAX) == u64::MAX);
        assert!(refusal(1 << 20).contains("116 MB after 1048576 bytes"), "{}", refusal(1 << 20));
    }
}
