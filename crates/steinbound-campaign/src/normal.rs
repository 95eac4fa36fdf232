//! Messages without what differs from run to run, so that those of one kind are the same.

/// A text in which numbers, quoted texts and names of files are replaced by signs.
pub fn normal(text: &str) -> String {
    let text = without_quoted(text);
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let bare =
            word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '.');
        let is_number =
            bare.parse::<f64>().is_ok() || bare.starts_with(|letter: char| letter.is_ascii_digit());
        let is_file = bare.contains('.') && bare.len() > 2 && !bare.ends_with('.');
        let sign = if is_number || is_file || word.len() > 40 { "#" } else { word };
        if words.last().is_none_or(|last| last != sign) {
            words.push(sign.to_string());
        }
    }
    let mut text: String = words.join(" ").chars().filter(|letter| !letter.is_control()).take(160).collect();
    text = text.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
    text
}

fn without_quoted(text: &str) -> String {
    let parts: Vec<&str> = text.split('"').collect();
    let outside: Vec<&str> = parts.iter().step_by(2).copied().collect();
    outside.join(" # ")
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn messages_of_one_kind_are_the_same() {
        let one = normal("error: data.csv, line 3: \"abc\" is no number; 12 of 30 rows");
        assert_eq!(one, normal("error: border.tsv, line 17: \"say so\" is no number; 2 of 4 rows"));
        assert_ne!(one, normal("error: data.csv, line 3: \"abc\" is missing; 12 of 30 rows"));
    }
}
