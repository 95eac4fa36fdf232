//! What the terminal is like, where there is one: its colours and its width.

use std::io::IsTerminal;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use steinbound::text::visible;
use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

pub const DIM: Style = Style::new().dimmed();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Lines are not wrapped to less than this: a terminal so narrow is not read.
const NARROWEST: usize = 20;

/// Settles for the whole program, the parser of the command line included, that a terminal which calls itself
/// dumb gets no colours. Left to itself anstream paints there wherever the variable CI is set.
pub fn settle_colors() {
    if std::env::var_os("TERM").is_some_and(|name| name == "dumb") {
        ColorChoice::Never.write_global();
    }
}

/// How text may look on a stream. Streams that are no terminal get plain text on long lines, which programs
/// read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    pub has_color: bool,
    /// The number of columns, for a terminal.
    pub width: Option<usize>,
}

impl Terminal {
    pub fn stdout() -> Terminal {
        let stream = std::io::stdout();
        Terminal::new(stream.is_terminal(), AutoStream::choice(&stream), terminal_size_of(&stream))
    }

    pub fn stderr() -> Terminal {
        let stream = std::io::stderr();
        Terminal::new(stream.is_terminal(), AutoStream::choice(&stream), terminal_size_of(&stream))
    }

    /// A stream that asks for colours although it is no terminal gets none: what is written into files stays
    /// plain.
    fn new(is_terminal: bool, choice: ColorChoice, size: Option<(Width, Height)>) -> Terminal {
        let columns = size.map_or(80, |(Width(columns), _)| usize::from(columns));
        Terminal {
            has_color: is_terminal && choice != ColorChoice::Never,
            width: is_terminal.then_some(columns),
        }
    }

    /// Text in a style, where there are colours.
    pub fn painted(self, style: Style, text: &str) -> String {
        if self.has_color { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// A message after its kind, as it is shown on this terminal.
    pub fn message(self, kind: &str, message: &str) -> String {
        let message: Vec<_> = message.split('\n').map(visible).collect();
        let text = format!("{kind}: {}", message.join("\n"));
        let text = self.width.map_or_else(|| text.clone(), |width| wrapped(&text, width));
        let rest = &text[kind.len()..];
        match kind {
            "error" => self.painted(ERROR, kind) + rest,
            "warning" => self.painted(WARNING, kind) + rest,
            _ => self.painted(DIM, &text),
        }
    }
}

/// Text broken between words where a line would be longer; further lines are indented. Words that are longer
/// by themselves stay whole.
pub fn wrapped(text: &str, width: usize) -> String {
    const INDENT: &str = "  ";
    let width = width.max(NARROWEST);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.split('\n') {
        let blanks = paragraph.len() - paragraph.trim_start_matches(' ').len();
        let mut line = paragraph[..blanks].to_string();
        let mut is_empty = true;
        for word in paragraph[blanks..].split(' ') {
            if !is_empty && line.width() + 1 + word.width() > width {
                lines.push(std::mem::replace(&mut line, INDENT.to_string()));
            } else if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "warning: the boundary points are too sparse for the bandwidth";
        assert_eq!(wrapped(text, 30), "warning: the boundary points\n  are too sparse for the\n  bandwidth");
        assert_eq!(wrapped(text, 200), text);
        assert!(
            wrapped(&format!("a {} b", "x".repeat(50)), 20).contains(&"x".repeat(50)),
            "words stay whole"
        );
        assert_eq!(wrapped("a\n  b", 40), "a\n  b", "breaks and indents that were there stay");
        let wide = "\u{6771}\u{4eac} ".repeat(20);
        assert!(wrapped(&wide, 30).lines().all(|line| line.width() <= 30));
    }

    #[test]
    fn only_a_terminal_gets_colours_and_breaks() {
        let long = "word ".repeat(40);
        let plain = Terminal::default().message("warning", &long);
        assert_eq!(plain, format!("warning: {long}"));
        assert_eq!(
            Terminal::default().message("note", "a\u{202e}b\n  c\u{1b}[2J"),
            "note: a\\u202eb\n  c\\x1b[2J"
        );
        let terminal = Terminal { has_color: true, width: Some(40) };
        let shown = terminal.message("warning", &long);
        assert!(
            shown.starts_with("\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m: word") && shown.contains('\n'),
            "{shown:?}"
        );
        assert!(terminal.message("error", "x").contains("\u{1b}[31merror"));
        assert!(terminal.message("note", "x").starts_with("\u{1b}[2mnote: x"));
    }
}
