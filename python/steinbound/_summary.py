"""Results as tables for people."""

from __future__ import annotations

__all__ = ["Summary"]


class Summary:
    """A result for people: as text, as HTML in notebooks, as LaTeX and as Markdown, each with its warnings."""

    def __init__(self, text: str, html: str, latex: str, markdown: str) -> None:
        self._text, self._html, self._latex, self._markdown = text, html, latex, markdown

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._html

    def as_text(self) -> str:
        """The table that the command line prints, and the warnings."""
        return self._text

    def as_html(self) -> str:
        """The table as HTML."""
        return self._html

    def as_latex(self) -> str:
        """The table as LaTeX, for the package booktabs."""
        return self._latex

    def as_markdown(self) -> str:
        """The table as Markdown."""
        return self._markdown

    def _repr_markdown_(self) -> str:
        return self._markdown

    def _repr_latex_(self) -> str:
        return self._latex
