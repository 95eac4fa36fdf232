//! Whatever the bytes, a parser reads or refuses them: no panic, little memory, little time.
//!
//! Inputs are valid ones with a few bytes changed, cut out, repeated or spliced; the same on every run.
#![allow(unsafe_code, reason = "an allocator that counts can only be written so")]

mod allocation;
mod mutation;
mod parsers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use parsers::{Parser, parsers};
use steinbound_io::{Map, MapOptions, Sheet, TableOptions};

#[global_allocator]
static ALLOCATOR: allocation::Counting = allocation::Counting;

/// The most memory that an input of a few kilobytes may take.
const MOST_BYTES: usize = 64 << 20;

/// The most time that such an input may take.
const LONGEST: Duration = Duration::from_secs(1);

/// Runs a parser on so many inputs, and tells of the first that it does not bear.
fn run(parser: &Parser, count: u64) -> Result<String, String> {
    let started = Instant::now();
    let (mut most, mut longest) = (0, Duration::ZERO);
    for number in 0..count {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        rng.set_stream(number);
        let input = mutation::mutated(&parser.corpus, &mut rng);
        let told = |what: String| {
            Err(format!("{}, input {number}: {what}: \"{}\"", parser.name, input.escape_ascii()))
        };
        let mut outcome = Ok(());
        let mut peak = 0;
        // Another program may have held it up: what counts is the better of two runs.
        let mut elapsed = Duration::MAX;
        for _ in 0..2 {
            let begun = Instant::now();
            peak = allocation::peak_of(|| {
                outcome = catch_unwind(AssertUnwindSafe(|| (parser.run)(&input)));
            });
            elapsed = elapsed.min(begun.elapsed());
            if elapsed < LONGEST {
                break;
            }
        }
        if outcome.is_err() {
            return told("it panics".into());
        }
        if peak > MOST_BYTES {
            return told(format!("it takes {peak} bytes"));
        }
        if elapsed > LONGEST {
            return told(format!("it takes {elapsed:?}"));
        }
        (most, longest) = (most.max(peak), longest.max(elapsed));
    }
    Ok(format!(
        "{}: {count} inputs in {:.1} s, at most {} kB and {:.1} ms for one",
        parser.name,
        started.elapsed().as_secs_f64(),
        most >> 10,
        1e3 * longest.as_secs_f64()
    ))
}

fn run_all(count: u64, only: &str) {
    // Files that live in memory, where the system has such, are not what is measured.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let folder = folder.expect("there is a folder for temporary files");
    let outcomes: Vec<_> = parsers(folder.path().to_path_buf())
        .iter()
        .filter(|parser| parser.name.contains(only))
        .map(|parser| {
            let outcome = run(parser, count);
            println!("{}", outcome.as_ref().unwrap_or_else(|failure| failure));
            outcome
        })
        .collect();
    let failures: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Damage to what was never valid would test little.
#[test]
fn shapefiles_of_the_corpus_are_valid() {
    let [point, polygon, points] = parsers::shapefiles().try_into().expect("there are three");
    let rows =
        |bytes: &[u8]| Sheet::parse("f.shp", bytes, &TableOptions::default()).map(|sheet| sheet.lines.len());
    assert_eq!((rows(&point), rows(&points)), (Ok(1), Ok(4)));
    let map = Map::parse("f.shp", &polygon, &MapOptions::default()).and_then(|map| map.polygon());
    assert_eq!(map.map(|polygon| polygon.area()), Ok(0.5));
}

#[test]
fn parsers_bear_a_few_bad_inputs() {
    run_all(1_700, "");
}

/// A million for each parser; `make fuzz` runs it.
#[test]
#[ignore = "takes minutes"]
fn parsers_bear_a_million_bad_inputs() {
    let count = std::env::var("FUZZ_INPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    run_all(count, &std::env::var("FUZZ_ONLY").unwrap_or_default());
}
