"""Builds the package by maturin, after a look at what that needs: a build without Rust ends with one sentence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
REMEDY = "install Rust from https://rustup.rs, or a wheel with: pip install --only-binary steinbound steinbound"


class NoRust(SystemExit):
    """The compiled part cannot be built here."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"steinbound cannot be built here: {reason}; {REMEDY}")


def needed() -> tuple[int, ...]:
    """The oldest version of Rust that compiles the library.

    >>> needed() >= (1, 80)
    True
    """
    with open(ROOT / "Cargo.toml", "rb") as file:
        package = tomllib.load(file)["workspace"]["package"]
    return parsed(package["rust-version"])


def parsed(version: str) -> tuple[int, ...]:
    """A version as numbers.

    >>> parsed("cargo 1.95.0 (f2d3ce0bd 2026-03-21)")
    (1, 95, 0)
    """
    found = re.search(r"\d+(\.\d+)+", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def check_rust() -> None:
    """Ends the build where there is no Rust, or an old one."""
    oldest = ".".join(map(str, needed()))
    cargo = os.environ.get("CARGO") or shutil.which("cargo")
    if cargo is None:
        raise NoRust(f"its compiled part needs Rust {oldest} or newer, and there is no cargo on the path")
    try:
        said = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoRust(f"{cargo} does not run ({type(error).__name__}), and its compiled part needs Rust {oldest} or newer") from None
    found = parsed(said)
    if found and found < needed():
        version = ".".join(map(str, found))
        raise NoRust(f"its compiled part needs Rust {oldest} or newer, and cargo is {version}")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """The wheel."""
    check_rust()
    return maturin().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """A wheel that refers to this folder."""
    check_rust()
    return maturin().build_editable(wheel_directory, config_settings, metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """What is known of the wheel before it is built."""
    check_rust()
    return maturin().prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The source distribution."""
    check_rust()
    return maturin().build_sdist(sdist_directory, config_settings)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Nothing beside what is declared."""
    check_rust()
    return []


get_requires_for_build_editable = get_requires_for_build_wheel
get_requires_for_build_sdist = get_requires_for_build_wheel


def maturin() -> Any:
    """The builder; it is there by now."""
    import maturin as found

    return found
