"""A comma-separated table read by NumPy."""

import argparse
from pathlib import Path

import numpy as np

import contender


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--table", type=Path, required=True)
    options.add_argument("--repeat", type=int, default=1)
    asked = options.parse_args()

    tables = []

    def read() -> dict:
        tables[:] = [np.loadtxt(asked.table, delimiter=",", skiprows=1)]
        return {}

    contender.run(read, asked.repeat, lambda: {"estimates": tables[0].mean(axis=0).tolist()})


if __name__ == "__main__":
    main()
