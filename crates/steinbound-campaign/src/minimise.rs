//! The same fault from less: options are left out, files are halved, values are made short.

use crate::case::Case;

/// The most attempts.
const ATTEMPTS: usize = 150;

/// A smaller case of which `is_same` holds, as it does of the given one.
pub fn minimise(case: &Case, mut is_same: impl FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut left = ATTEMPTS;
    loop {
        let before = best.clone();
        for candidate in smaller(&best) {
            if left == 0 {
                return best;
            }
            left -= 1;
            if is_same(&candidate) {
                best = candidate;
                break;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// Cases with a little less each; first those with much less.
fn smaller(case: &Case) -> Vec<Case> {
    let mut list = Vec::new();
    for at in (0..case.files.len()).rev() {
        let name = &case.files[at].name;
        if !case.words().iter().any(|word| word.contains(name.as_str())) && case.stdin.as_ref() != Some(name)
        {
            let mut less = case.clone();
            less.files.remove(at);
            list.push(less);
        }
    }
    for at in (0..case.arguments.len()).rev() {
        let mut less = case.clone();
        less.arguments.remove(at);
        list.push(less);
    }
    for at in 0..case.files.len() {
        for bytes in halves(&case.files[at].bytes) {
            let mut less = case.clone();
            less.files[at].bytes = bytes;
            list.push(less);
        }
    }
    for at in 0..case.arguments.len() {
        if let Some(value) = case.arguments[at].value.as_ref().filter(|value| value.len() > 60) {
            let mut less = case.clone();
            less.arguments[at].value = Some(value.chars().take(value.chars().count() / 2).collect());
            list.push(less);
        }
    }
    list
}

/// A file without a part of its lines; without a part of its bytes, if it has few lines.
fn halves(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let is_text = std::str::from_utf8(bytes).is_ok();
    if !is_text || lines.len() < 2 {
        return if bytes.len() > 1 { vec![bytes[..bytes.len() / 2].to_vec()] } else { Vec::new() };
    }
    let mut list = Vec::new();
    let mut size = (lines.len() - 1) / 2;
    while size > 0 && list.len() < 8 {
        // The first line may be a header.
        list.push([&lines[..1], &lines[1 + size..]].concat().concat());
        list.push(lines[..lines.len() - size].concat());
        size /= 2;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::InputFile;
    use crate::table::Written;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let mut case = Case::new("fit");
        let rows: String = (0..100).map(|k| format!("{k}\n")).collect();
        let bytes = format!("x\n{rows}").into_bytes();
        case.add(vec![Written { name: "data.csv".into(), bytes, options: Vec::new() }]);
        case.positional("data.csv");
        case.option("--seed", "3");
        case.flag("--quiet");
        let less = minimise(&case, |case| {
            let has_row = |file: &InputFile| String::from_utf8_lossy(&file.bytes).contains("\n77\n");
            case.has("--seed") && case.files.iter().any(has_row)
        });
        assert_eq!(less.words(), ["fit", "--seed", "3"]);
        assert!(less.files[0].bytes.len() < 40, "{less:?}");
    }
}
