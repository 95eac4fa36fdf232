//! Inputs that are almost valid.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};

/// The longest input.
const LONGEST: usize = 4096;

/// What numbers and structures go wrong with.
const TOKENS: &[&[u8]] = &[
    b"1e999",
    b"-0",
    b"nan",
    b"inf",
    b"NA",
    b".",
    b"1,5",
    b"\"",
    b"\"\"",
    b"\r\n",
    b"\n",
    b"\r",
    b",",
    b";",
    b"\t",
    b"|",
    b" ",
    b"(",
    b")",
    b"((((",
    b"[",
    b"]",
    b"{",
    b"}",
    b":",
    b"~",
    b"^",
    b"-",
    b"x1",
    b"1e308",
    b"99999999999999999999",
    b"0x1p3",
    b"EMPTY",
    b"POINT",
    b"POLYGON((",
    b"null",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x1f\x8b",
];

/// A valid input, changed in a few places or joined to another.
pub fn mutated(corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = corpus[rng.random_range(0..corpus.len())].clone();
    for _ in 0..rng.random_range(1..8) {
        let at = rng.random_range(0..=input.len());
        let end = (at + rng.random_range(0..16)).min(input.len());
        match rng.random_range(0..8) {
            0 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < input.len() => input[at] = rng.next_u32() as u8,
            2 => {
                input.drain(at..end);
            }
            3 => {
                let copy = input[at..end].repeat(rng.random_range(1..40));
                input.splice(at..at, copy);
            }
            4 => input.truncate(at),
            5 => {
                let other = &corpus[rng.random_range(0..corpus.len())];
                input.truncate(at);
                input.extend_from_slice(&other[rng.random_range(0..=other.len())..]);
            }
            6 => {
                input.insert(at, rng.next_u32() as u8);
            }
            _ => {
                let token = TOKENS[rng.random_range(0..TOKENS.len())];
                input.splice(at..at, token.iter().copied());
            }
        }
    }
    input.truncate(LONGEST);
    input
}
