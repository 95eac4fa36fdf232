"""Results as tables for people."""

from __future__ import annotations

__all__ = ["Summary"]


class Summary:
    """A result for people: as text, as HTML in notebooks, and as LaTeX."""

    def __init__(self, text: str, html: str, latex: str) -> None:
        self._text, self._html, self._latex = text, html, latex

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._html

    def as_text(self) -> str:
        """The table that the command line prints."""
        return self._text

    def as_html(self) -> str:
        """The table as HTML."""
        return self._html

    def as_latex(self) -> str:
        """The table as LaTeX, for the package booktabs."""
        return self._latex
