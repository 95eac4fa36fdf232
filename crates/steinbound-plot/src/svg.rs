//! Writing SVG: elements, attributes, numbers, escaped text.

use std::fmt::Write;

use steinbound::text::visible;

/// A drawing in progress. Elements are opened, given attributes and closed in order.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Starts an element; end it with [`Element::empty`], [`Element::open`] or [`Element::holding`].
    pub(crate) fn element(&mut self, name: &'static str) -> Element<'_> {
        self.text.push('<');
        self.text.push_str(name);
        Element { svg: self, name }
    }

    /// Closes the element opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str("</");
            self.text.push_str(name);
            self.text.push_str(">\n");
        }
    }

    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// An element whose attributes are being written.
#[must_use]
pub(crate) struct Element<'a> {
    svg: &'a mut Svg,
    name: &'static str,
}

impl<'a> Element<'a> {
    pub(crate) fn attribute(self, name: &str, value: &str) -> Self {
        self.svg.text.push(' ');
        self.svg.text.push_str(name);
        self.svg.text.push_str("=\"");
        escape(&mut self.svg.text, value);
        self.svg.text.push('"');
        self
    }

    pub(crate) fn number(self, name: &str, value: f64) -> Self {
        let value = number(value);
        self.attribute(name, &value)
    }

    /// Omits the attribute if it has its usual value.
    pub(crate) fn number_unless(self, name: &str, value: f64, usual: f64) -> Self {
        if value == usual { self } else { self.number(name, value) }
    }

    pub(crate) fn empty(self) {
        self.svg.text.push_str("/>\n");
    }

    pub(crate) fn open(self) -> &'a mut Svg {
        self.svg.text.push_str(">\n");
        self.svg.open.push(self.name);
        self.svg
    }

    pub(crate) fn holding(self, content: &str) {
        self.svg.text.push('>');
        escape(&mut self.svg.text, content);
        self.svg.text.push_str("</");
        self.svg.text.push_str(self.name);
        self.svg.text.push_str(">\n");
    }
}

/// A length or coordinate with at most two decimals.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_string();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// The `d` of a path through the points; `close` joins its end to its start.
pub(crate) fn path(data: &mut String, points: &[(f64, f64)], close: bool) {
    for (index, &(x, y)) in points.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(data, "{}{} {}", if index == 0 { 'M' } else { 'L' }, number(x), number(y));
    }
    if close && !points.is_empty() {
        data.push('Z');
    }
}

/// Text without markup. What cannot be seen is shown as in all other output, which also keeps characters
/// away that XML does not allow.
fn escape(into: &mut String, text: &str) {
    for character in visible(&text.replace(['\t', '\n', '\r'], " ")).chars() {
        match character {
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '&' => into.push_str("&amp;"),
            '"' => into.push_str("&quot;"),
            other => into.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_decimals_at_most() {
        for (value, text) in [
            (1.0, "1"),
            (1.5, "1.5"),
            (-0.001, "0"),
            (2.0 / 3.0, "0.67"),
            (-12.345, "-12.35"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(f64::NAN), "0");
    }

    #[test]
    fn text_comes_back_as_it_was() {
        let hostile = "a<b & \"c\" > 'd' </text>";
        let mut svg = Svg::new();
        svg.element("text").attribute("class", hostile).holding(hostile);
        let written = svg.finish();
        let document = resvg::usvg::roxmltree::Document::parse(&written).expect("well-formed");
        assert_eq!(document.root_element().text(), Some(hostile));
        assert_eq!(document.root_element().attribute("class"), Some(hostile));
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let mut svg = Svg::new();
        svg.element("text").holding("a\u{0}\u{202e}b\u{ffff}\nc");
        assert_eq!(svg.finish(), "<text>a\\x00\\u202eb\\uffff c</text>\n");
    }

    #[test]
    fn open_elements_are_closed_at_the_end() {
        let mut svg = Svg::new();
        svg.element("svg").open().element("g").open();
        assert_eq!(svg.finish(), "<svg>\n<g>\n</g>\n</svg>\n");
    }
}
