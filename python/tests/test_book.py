"""The examples in Python of the README and the book are run, and what they say is printed is what is printed.

The blocks of a page run in order, in one namespace and in a folder in which ``examples`` and ``crates`` are those of the
repository. A block of text right after one of Python is what that prints; times and steps may differ, and a line ``...``
stands for lines left out. HTML comments before a block say what else is expected:

- ``needs: NAME`` before Python that imports a library which may be absent: the block is left out where it is;
- ``raises: NAME`` before Python that ends with that exception, whose type and message are what is printed;
- ``printed by: FILE`` before text: lines that this script prints.

With STEINBOUND_WRITE_PAGES in the environment, what is printed is written into the pages instead (``make python-shown``).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import steinbound

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
IS_WRITING = bool(os.environ.get("STEINBOUND_WRITE_PAGES"))

#: Times, and the steps of a search, which rounding changes.
VARYING = re.compile(r"\b[\d.]+ (?:us|ms|s|min|steps)\b")


@dataclass
class Block:
    """A fenced block, the marks before it, and where its text starts, counted from zero."""

    language: str
    text: str
    line: int
    marks: dict[str, str] = field(default_factory=dict)


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    marks: dict[str, str] = {}
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        mark = re.fullmatch(r"<!-- ([\w ]+): (.*) -->", line)
        if line.startswith("```"):
            end = lines.index("```", at + 1)
            found.append(Block(line[3:], "\n".join(lines[at + 1 : end]), at + 1, marks))
            marks, at = {}, end
        elif mark:
            marks[mark[1]] = mark[2]
        elif line.strip():
            marks = {}
        at += 1
    return found


def agrees(shown: list[str], said: list[str]) -> bool:
    """Whether lines are those that are shown, in which ``...`` stands for any number of lines."""
    if not shown:
        return not said
    if shown[0] == "...":
        return any(agrees(shown[1:], said[skipped:]) for skipped in range(len(said) + 1))
    return bool(said) and shown[0] == said[0] and agrees(shown[1:], said[1:])


def comparable(text: str) -> list[str]:
    """Lines without what differs from run to run; a slower machine may need another unit of time."""
    return [VARYING.sub("", line).rstrip() for line in text.strip("\n").splitlines()]


def is_there(name: str) -> bool:
    """Whether a library can be imported."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


class Reading:
    """A page whose blocks are run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.namespace: dict[str, Any] = {"__name__": "page"}
        self.failures: list[str] = []
        self.left_out: list[str] = []
        self.changes: list[tuple[Block, str]] = []
        self.count = 0

    def read(self) -> None:
        said: str | None = None
        for block in blocks_of(self.text):
            if block.language == "python":
                said = self._run(block)
            elif block.language == "text" and said is not None:
                self._compare(block, said)
                said = None
            else:
                said = None

    def _run(self, block: Block) -> str | None:
        needed = block.marks.get("needs")
        if needed is not None and not is_there(needed):
            self.left_out.append(needed)
            return None
        place = f"{self.path.name}, block at line {block.line}"
        expected = block.marks.get("raises")
        printed = io.StringIO()
        # Lines of the page are those of a traceback.
        code = compile("\n" * block.line + block.text, str(self.path), "exec")
        self.count += 1
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.namespace)
        except Exception as error:
            if type(error).__name__ != expected:
                raise
            return f"{printed.getvalue()}{expected}: {error}"
        if expected is not None:
            self.failures.append(f"{place}: no {expected} was raised")
        return printed.getvalue()

    def _compare(self, block: Block, said: str) -> None:
        if not agrees(comparable(block.text), comparable(said)):
            self.changes.append((block, said))

    def finish(self) -> None:
        """Fails, or writes what was printed."""
        if IS_WRITING:
            write(self.path, self.changes)
        else:
            self.failures += [
                f"{self.path.name}, line {block.line}: this is printed (`make python-shown` writes it there):\n{said}"
                for block, said in self.changes
            ]
        assert not self.failures, "\n\n".join(self.failures)


def write(path: Path, changes: list[tuple[Block, str]]) -> None:
    """Puts other text into blocks."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for block, said in reversed(changes):
        new = [line.rstrip() for line in said.strip("\n").splitlines()]
        lines[block.line : block.line + len(block.text.splitlines())] = new
    if changes:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def pages() -> list[Path]:
    """The pages with examples in Python."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs" / "src").rglob("*.md"))]
    return [path for path in every if "```python\n" in path.read_text(encoding="utf-8")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run examples in; figures are drawn without a window."""
    for name in ("examples", "crates"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.stem)
def test_pages_print_what_they_say(path: Path, folder: Path) -> None:
    reading = Reading(path)
    reading.read()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    reading.finish()
    if reading.count == 0:
        pytest.skip(f"absent: {', '.join(sorted(set(reading.left_out)))}")


def test_pages_with_python_are_found() -> None:
    names = {path.name for path in pages()}
    assert {"README.md", "python.md", "python-models.md", "python-sklearn.md"} <= names


def shown_of(script: Path) -> list[Block]:
    """The blocks of the page of examples that a script prints."""
    page = ROOT / "docs" / "src" / "python-examples.md"
    name = script.relative_to(ROOT).as_posix()
    return [b for b in blocks_of(page.read_text(encoding="utf-8")) if b.marks.get("printed by") == name]


def runs(lines: list[str], printed: list[str]) -> bool:
    """Whether lines follow each other in what was printed."""
    return any(printed[at : at + len(lines)] == lines for at in range(len(printed)))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_scripts_print_and_draw_what_the_page_shows(script: Path, folder: Path) -> None:
    for name in ("matplotlib", "pandas", *(["jax"] if script.stem == "custom_density" else [])):
        pytest.importorskip(name)
    began = time.monotonic()
    command = [sys.executable, "-W", "error", str(script)]
    # The package that is tested, wherever it was found.
    environment = {**os.environ, "PYTHONPATH": str(Path(steinbound.__file__).parent.parent)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    print(f"{script.name}: {time.monotonic() - began:.1f} s")
    blocks = shown_of(script)
    assert blocks, "the page of examples shows nothing of this script"
    printed = comparable(done.stdout)
    for block in blocks:
        assert runs(comparable(block.text), printed), f"the page shows\n{block.text}\nbut this is printed:\n{done.stdout}"
    figure = folder / f"python-{script.stem.replace('_', '-')}.png"
    assert figure.read_bytes().startswith(b"\x89PNG")
    # The book shows a figure of the same size, and the page shows the figure.
    kept = ROOT / "docs" / "src" / "images" / figure.name
    assert kept.read_bytes()[16:24] == figure.read_bytes()[16:24], "`make python-examples` draws the figures anew"
    page = (ROOT / "docs" / "src" / "python-examples.md").read_text(encoding="utf-8")
    assert f"](images/{figure.name})" in page


def test_differences_are_seen() -> None:
    def same(shown: str, said: str) -> bool:
        return agrees(comparable(shown), comparable(said))

    assert same("a, 1.5 ms\nconverged in 3 steps", "a, 20 ms\nconverged in 4 steps\n")
    assert same("dense, 699 us", "dense, 1.0 ms") and not same("dense, 699 us", "tiled, 699 us")
    assert same("a\n...\nc", "a\nb\nb\nc") and not same("a\n...\nc", "a\nb")
    assert not same("a 1.5", "a 1.6") and not same("a", "a\nb")
    found = blocks_of("<!-- needs: torch -->\n```python\nx\n```\ntext\n```text\ny\n```")
    assert [(b.language, b.text, b.marks) for b in found] == [("python", "x", {"needs": "torch"}), ("text", "y", {})]
    assert runs(["b", "c"], ["a", "b", "c"]) and not runs(["a", "c"], ["a", "b", "c"])


def languages() -> Iterator[str]:
    for path in pages():
        yield from (block.language for block in blocks_of(path.read_text(encoding="utf-8")))


def test_examples_are_marked_as_python() -> None:
    assert not {"py", "python3", "Python", "ipython"} & set(languages())
