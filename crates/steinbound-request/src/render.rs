//! Documents as HTML, Markdown and LaTeX.
