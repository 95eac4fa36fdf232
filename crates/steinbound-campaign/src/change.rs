//! What goes wrong with a command: options with values that do not suit, options of other commands, files that
//! are damaged, missing or of another kind.

use crate::case::{Case, InputFile};
use crate::catalogue::{Catalogue, Parameter};
use crate::dice::Dice;
use crate::problem::Problem;
use crate::table::packed;
use crate::value;

/// Files are not made longer than this.
const LONGEST: usize = 200_000;

/// What is put into files.
const PIECES: [&[u8]; 40] = [
    b"1e999",
    b"-0",
    b"nan",
    b"NA",
    b"inf",
    b"1,5",
    b"\"",
    b"\"\"",
    b"\r\n",
    b"\n\n",
    b",",
    b";",
    b"\t",
    b"|",
    b"#N/A",
    b"O.5",
    b"<5",
    b"1e",
    b"1e308",
    b"-1e308",
    b"5e-324",
    b"99999999999999999999999",
    b"[",
    b"]",
    b"{",
    b"}",
    b"null",
    b"EMPTY",
    b"POLYGON((",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\x1b[2J",
    b"\xe2\x80\xae",
    b"<script>",
    b"0",
    b"-",
];

/// Changes one thing.
pub fn once(dice: &mut Dice, case: &mut Case, problem: &Problem, catalogue: &Catalogue) {
    match dice.below(20) {
        0..=4 => other_value(dice, case, catalogue),
        5..=7 => further_option(dice, case, problem, catalogue, 50),
        8 => without(dice, case),
        9 => twice(dice, case),
        10..=16 => file(dice, case),
        17 => other_file(dice, case),
        18 => foreign_option(dice, case, catalogue),
        _ => obstacle(dice, case, catalogue),
    }
}

fn parameter<'a>(catalogue: &'a Catalogue, case: &Case, name: &str) -> Option<&'a Parameter> {
    catalogue.find(&case.command).and_then(|command| command.find(name))
}

/// Gives an option that is there a value at its limits.
fn other_value(dice: &mut Dice, case: &mut Case, catalogue: &Catalogue) {
    let valued: Vec<usize> =
        (0..case.arguments.len()).filter(|k| case.arguments[*k].value.is_some()).collect();
    if valued.is_empty() {
        return without(dice, case);
    }
    let at = valued[dice.below(valued.len())];
    let old = case.arguments[at].value.clone().unwrap_or_default();
    let fallback = Parameter::default();
    let known = parameter(catalogue, case, &case.arguments[at].name).unwrap_or(&fallback);
    let new = match dice.below(4) {
        // Numbers inside of a longer value, as in a domain or a list.
        0 | 1 if old.len() > 3 => {
            let mut bytes = old.clone().into_bytes();
            splice_number(dice, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        2 => {
            let mut bytes = old.clone().into_bytes();
            damage(dice, &mut bytes, &[]);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        _ => value::beyond(dice, case, known),
    };
    case.arguments[at].value = Some(new);
    case.arguments[at].is_joined = !case.arguments[at].name.is_empty() && dice.chance(50);
    if !["--at", "--seed", "--threads", "--confidence", "--grid"].contains(&case.arguments[at].name.as_str())
    {
        case.ranges.clear();
    }
}

/// Replaces a number in a text by another.
fn splice_number(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|k| is_part(&bytes[*k]) && (*k == 0 || !is_part(&bytes[k - 1]))).collect();
    let Some(start) = starts.get(dice.below(starts.len())) else { return };
    let end = (*start..bytes.len()).find(|k| !is_part(&bytes[*k])).unwrap_or(bytes.len());
    let list = ["0", "1e308", "1e-308", "-1", "nan", "inf", "1e9", "1e-9", "", "1e999", "1000000", "3"];
    bytes.splice(*start..end, dice.pick(&list).bytes());
}

/// Adds an option of the command, with a value that suits or any.
fn further_option(
    dice: &mut Dice,
    case: &mut Case,
    problem: &Problem,
    catalogue: &Catalogue,
    suitable: usize,
) {
    let Some(command) = catalogue.find(&case.command) else { return };
    let options: Vec<&Parameter> = command.options().collect();
    let Some(option) = options.get(dice.below(options.len())) else { return };
    let value = match (&option.placeholder, dice.chance(suitable)) {
        (Some(_), false) => Some(value::beyond(dice, case, option)),
        _ => value::suitable(dice, case, problem, option),
    };
    case.ranges.clear();
    case.give(&option.name, value);
    if let Some(argument) = case.arguments.last_mut() {
        argument.is_joined = option.is_optional_value || (argument.value.is_some() && dice.chance(30));
    }
}

fn foreign_option(dice: &mut Dice, case: &mut Case, catalogue: &Catalogue) {
    let others: Vec<&Parameter> = catalogue.commands.iter().flat_map(|command| command.options()).collect();
    let Some(option) = others.get(dice.below(others.len())) else { return };
    let value = option.placeholder.as_ref().map(|_| value::beyond(dice, case, option));
    case.ranges.clear();
    case.give(&option.name, value);
}

fn without(dice: &mut Dice, case: &mut Case) {
    if !case.arguments.is_empty() {
        case.arguments.remove(dice.below(case.arguments.len()));
        case.ranges.clear();
    }
}

fn twice(dice: &mut Dice, case: &mut Case) {
    if !case.arguments.is_empty() {
        let copy = case.arguments[dice.below(case.arguments.len())].clone();
        case.arguments.push(copy);
    }
}

/// Damages a file.
fn file(dice: &mut Dice, case: &mut Case) {
    if case.files.is_empty() {
        return without(dice, case);
    }
    case.ranges.clear();
    let at = dice.below(case.files.len());
    let others: Vec<u8> = case.files[dice.below(case.files.len())].bytes.clone();
    let InputFile { bytes, .. } = &mut case.files[at];
    for _ in 0..*dice.weighted(&[(5, 1), (2, 2), (1, 6)]) {
        match dice.below(10) {
            0..=2 => splice_number(dice, bytes),
            3 => lines(dice, bytes),
            _ => damage(dice, bytes, &others),
        }
    }
    bytes.truncate(LONGEST);
}

/// Swaps, repeats or leaves out lines.
fn lines(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let mut list: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (dice.below(list.len()), dice.below(list.len()));
    match dice.below(4) {
        _ if list.is_empty() => {}
        0 => list.swap(one, other),
        1 => drop(list.remove(one)),
        2 => {
            let copies = vec![list[one].clone(); dice.between(1, 300)];
            list.splice(other..other, copies);
        }
        _ => {
            // A row that is longer than others.
            let more = list[other].clone();
            list[one].extend(more);
        }
    }
    *bytes = list.concat();
}

/// Changes, inserts, repeats or cuts out some bytes.
fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, others: &[u8]) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.between(1, 24)).min(bytes.len());
    match dice.below(9) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        2 if at < bytes.len() => bytes[at] = dice.byte(),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copies = bytes[at..end].repeat(dice.between(1, 60));
            bytes.splice(at..at, copies);
        }
        5 => bytes.truncate(at),
        6 if !others.is_empty() => {
            let from = dice.below(others.len());
            let to = (from + dice.between(1, 400)).min(others.len());
            bytes.splice(at..at, others[from..to].iter().copied());
        }
        _ => drop(bytes.splice(at..at, dice.pick(&PIECES).iter().copied())),
    }
}

/// Replaces a file by one of another kind, or takes it away.
fn other_file(dice: &mut Dice, case: &mut Case) {
    if case.files.is_empty() {
        return;
    }
    case.ranges.clear();
    let at = dice.below(case.files.len());
    match dice.below(7) {
        0 => {
            let file = case.files.remove(at);
            if case.stdin.as_ref() == Some(&file.name) {
                case.stdin = None;
            }
        }
        1 => case.files[at].bytes.clear(),
        2 => case.files[at].bytes = packed(&case.files[at].bytes),
        3 => {
            // Much from little.
            let row = b"0.5,0.5\n".repeat(dice.between(1, 20_000));
            case.files[at].bytes = packed(&row);
        }
        4 => {
            let columns = dice.between(10, 3000);
            let row = vec!["0.25"; columns].join(",") + "\n";
            case.files[at].bytes = row.repeat(LONGEST / row.len().max(1) / 4 + 1).into_bytes();
        }
        5 => case.files[at].bytes = (0..dice.between(1, 3000)).map(|_| dice.byte()).collect(),
        _ => {
            // The contents of one under the name of another.
            let bytes = case.files[dice.below(case.files.len())].bytes.clone();
            case.files[at].bytes = bytes;
        }
    }
}

/// An output that cannot be written, or that would replace an input.
fn obstacle(dice: &mut Dice, case: &mut Case, catalogue: &Catalogue) {
    let Some(command) = catalogue.find(&case.command) else { return };
    let outputs: Vec<&Parameter> = command.options().filter(|option| option.is_output()).collect();
    let Some(option) = outputs.get(dice.below(outputs.len())) else { return };
    let value = match dice.below(4) {
        0 => "no/such/folder/out".to_string(),
        1 => ".".to_string(),
        2 => case.files.first().map_or_else(|| "out".to_string(), |file| file.name.clone()),
        _ => "out.xyz".to_string(),
    };
    case.arguments.retain(|argument| argument.name != option.name);
    case.option(&option.name, value);
}
