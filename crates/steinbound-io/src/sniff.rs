//! What the first lines of a table tell: the separator, and which columns are numbers.

use crate::records::{Cell, Layout, number};
use crate::splitter::{Between, Splitter};

/// Possible separators, the most likely first.
const CANDIDATES: [u8; 4] = *b",;\t|";

/// The number of records examined.
const SAMPLE: usize = 50;

/// The separator that splits the first lines into the same number of fields, more than one; of several, the
/// one that gives the most numbers. A comma if there is no evidence.
pub(crate) fn separator(beginning: &[u8], is_whole: bool, decimal_comma: bool) -> u8 {
    let mut best: Option<(bool, f64, u8)> = None;
    for candidate in CANDIDATES.into_iter().filter(|byte| !(decimal_comma && *byte == b',')) {
        let sample = Sample::new(beginning, is_whole, candidate);
        if sample.width < 2 {
            continue;
        }
        let found = (sample.is_even, sample.numbers);
        if best.is_none_or(|(is_even, numbers, _)| found > (is_even, numbers)) {
            best = Some((sample.is_even, sample.numbers, candidate));
        }
    }
    best.map_or(if decimal_comma { b';' } else { b',' }, |(_, _, separator)| separator)
}

/// The first records under one separator.
struct Sample {
    /// The number of fields of the first record.
    width: usize,
    /// Whether all records have this number of fields.
    is_even: bool,
    /// The share of fields that are numbers.
    numbers: f64,
}

impl Sample {
    fn new(beginning: &[u8], is_whole: bool, separator: u8) -> Sample {
        let mut splitter = Splitter::of_text(beginning, Between::Character(separator));
        let mut widths: Vec<usize> = Vec::new();
        let mut numbers: Vec<usize> = Vec::new();
        while widths.len() <= SAMPLE && matches!(splitter.next(), Ok(Some(_))) {
            if !splitter.is_blank() {
                widths.push(splitter.width());
                // With another separator the comma may be a decimal one.
                let is_number = |field: &&[u8]| {
                    number(field, separator != b',').or_else(|| number(field, false)).is_some()
                };
                numbers.push(splitter.fields().filter(is_number).count());
            }
        }
        // The last record of a longer text may be cut off.
        if !is_whole && widths.len() > 1 && widths.len() <= SAMPLE {
            widths.pop();
            numbers.pop();
        }
        let width = widths.first().copied().unwrap_or(0);
        let all = widths.iter().sum::<usize>().max(1);
        Sample {
            width,
            is_even: widths.iter().all(|other| *other == width),
            numbers: numbers.iter().sum::<usize>() as f64 / all as f64,
        }
    }
}

/// For each column whether most of its values at the beginning of a table are numbers; `None` if there are no
/// values, or as many numbers as texts.
pub(crate) fn leanings(
    beginning: &[u8],
    is_whole: bool,
    between: Between,
    layout: &Layout,
) -> Vec<Option<bool>> {
    let width = layout.names.len();
    let mut numbers_over_texts = vec![0i64; width];
    // The last record of a longer text may be cut off, so each counts when the next one begins.
    let mut last: Vec<i64> = Vec::new();
    let mut is_header = layout.has_header;
    let mut splitter = Splitter::of_text(beginning, between);
    let mut count = |last: &mut Vec<i64>| {
        numbers_over_texts.iter_mut().zip(last.drain(..)).for_each(|(sum, vote)| *sum += vote);
    };
    while matches!(splitter.next(), Ok(Some(_))) {
        if splitter.is_blank() || std::mem::take(&mut is_header) || splitter.width() != width {
            continue;
        }
        count(&mut last);
        let vote = |field| match layout.decides_numeric(Cell::Text(field)) {
            None => 0,
            Some(is_number) => {
                if is_number {
                    1
                } else {
                    -1
                }
            }
        };
        last.extend(splitter.fields().map(vote));
    }
    if is_whole {
        count(&mut last);
    }
    numbers_over_texts.into_iter().map(|sum| (sum != 0).then_some(sum > 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_tell_the_separator() {
        let detected = |text: &str| char::from(separator(text.as_bytes(), true, false));
        for (text, expected) in [
            ("x,y\n1,2\n", ','),
            ("x;y\n1;2\n", ';'),
            ("x\ty\n1\t2\n", '\t'),
            ("x|y\n1|2\n", '|'),
            ("", ','),
            ("x\n1\n2\n", ','),
            // Decimal commas, with a header and without.
            ("x;y\n1,5;2,5\n", ';'),
            ("1,5;2,5\n3,5;4,5\n", ';'),
            // Text with another separator in each line.
            ("id,x\na;b,1\nc;d,2\n", ','),
            ("\"a;b\",x\n\"c;d\",2\n", ','),
            ("\"a\tb\"|\"c\td\"\n1|2\n", '|'),
            // No separator gives lines of equal length: the one that gives the most numbers in the first
            // line.
            ("1,2\n3\n", ','),
            ("1;2\n3\n", ';'),
            ("a|b,c|d\n", ','),
        ] {
            assert_eq!(detected(text), expected, "{text}");
        }
        assert_eq!(separator(b"1,5\n2,5\n", true, true), b';');
        assert_eq!(separator(b"x;y\n1;2\n3;", false, false), b';', "the last record is cut off");
    }
}
