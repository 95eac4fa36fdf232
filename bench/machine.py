"""What the benchmark ran on, in words that hold for any machine of the kind."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import numpy

SIMD_LEVELS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX", "sse2": "SSE2", "asimd": "NEON"}


def described() -> list[list[str]]:
    """Rows of a table."""
    processor = processor_fields()
    flags = processor.get("flags", processor.get("Features", "")).split()
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return [
        ["processor", processor.get("model name", platform.machine())],
        ["cores", str(os.cpu_count())],
        ["memory", f"{memory / 2**30:.0f} GiB"],
        ["SIMD", next((name for flag, name in SIMD_LEVELS.items() if flag in flags), "unknown")],
        ["kernel", f"{platform.system()} {platform.release()}"],
        ["Rust", first_line("rustc", "--version")],
        ["C++", first_line("g++", "--version")],
        ["Python", platform.python_version()],
        ["BLAS of NumPy", blas()],
        *([name, version(name)] for name in ("numpy", "scipy", "pykeops")),
    ]


def processor_fields() -> dict[str, str]:
    """The first processor, as Linux describes it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def blas() -> str:
    library = numpy.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{library.get('name', 'unknown')} {library.get('version', '')}".strip()


def first_line(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"
