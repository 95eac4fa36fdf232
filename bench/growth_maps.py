"""Maps of any size that are hard in one way each: long edges, shared vertices, equal rings, rings in rings."""

import json
import math
import random
from pathlib import Path

Ring = list[list[float]]

# What is hard about each.
KINDS = {
    "coast": "a winding coast",
    "equal": "one square again and again",
    "equal_rings": "one ring again and again, in one polygon",
    "diagonals": "long diagonal strips side by side",
    "fan": "needles from one vertex",
    "comb": "a comb of upright teeth",
    "slope": "a comb of sloping teeth",
    "crossed": "needles from one vertex, and a square across",
    "near": "needles whose tips nearly meet",
    "zigzag": "a zigzag whose ends cross",
    "corners": "squares that touch in corners",
    "board": "the black fields of a chess board",
    "nested": "squares in squares",
    "spiral": "a spiral of 40 turns",
}

# Those of which the unit square holds enough to simulate in.
ROOMY = ("coast", "fan", "slope", "board", "nested")


def square(x: float, y: float, side: float = 1.0) -> Ring:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


def closed(ring: Ring) -> Ring:
    return [*ring, ring[0]]


def rings(kind: str, vertices: int) -> tuple[list[Ring], bool]:
    """Rings of so many vertices together, and whether each is a polygon of its own."""
    quarter, third, half = vertices // 4, vertices // 3, vertices // 2
    needles = [
        [[0.0, 0.0], [math.cos(a), math.sin(a)], [math.cos(b), math.sin(b)], [0.0, 0.0]]
        for a, b in ((3 * k / third, 3 * (k + 0.5) / third) for k in range(third))
    ]
    teeth = [[k / half, 0.0] if odd == 0 else [(k + 0.5) / half, 1.0] for k in range(half) for odd in (0, 1)]
    comb = closed([*teeth, [1.0, 0.0], [1.0, -1.0], [0.0, -1.0]])
    match kind:
        case "coast":
            angles = [2 * math.pi * k / vertices for k in range(vertices)]
            radii = [1 + 0.2 * math.sin(5 * a) + 3 / vertices * (k * 7919 % 13) / 13 for k, a in enumerate(angles)]
            return [closed([[r * math.cos(a), r * math.sin(a)] for r, a in zip(radii, angles)])], True
        case "equal" | "equal_rings":
            return [square(0, 0)] * quarter, kind == "equal"
        case "diagonals":
            ends = [(k / quarter, (k + 0.5) / quarter) for k in range(quarter)]
            return [[[a, 0.0], [a + 1, 1.0], [b + 1, 1.0], [b, 0.0], [a, 0.0]] for a, b in ends], True
        case "fan":
            return needles, True
        case "crossed":
            return [*needles, square(0.5, -0.1, 0.2)], True
        case "comb":
            return [comb], True
        case "slope":
            return [[[x - 0.7 * y, 0.7 * x + y] for x, y in comb]], True
        case "near":
            tips = [(k / quarter, (k + 0.5) / quarter) for k in range(quarter)]
            return [
                [[1e-6 * a, -1e-6 * a], [1 + a, 2 - a], [1 + b, 2 - b], [1e-6 * b, -1e-6 * b], [1e-6 * a, -1e-6 * a]]
                for a, b in tips
            ], True
        case "zigzag":
            points = [[k / half + far, k / half - far] for k in range(half) for far in (0, 1)]
            return [closed([*points, [3.0, -3.0], [0.0, -3.0]])], True
        case "corners":
            return [square(k, k) for k in range(quarter)], True
        case "board":
            side = int(math.sqrt(2 * quarter))
            scale = 1 / side
            fields = ((i, j) for i in range(side) for j in range(side) if (i + j) % 2 == 0)
            return [[[scale * x, scale * y] for x, y in square(i, j)] for i, j in fields], True
        case "nested":
            sizes = [1 + k / quarter for k in range(quarter)]
            return [square(-size, -size, 2 * size) for size in sizes], False
        case "spiral":
            turns = [(80 * math.pi * k / half, 1 + k / half) for k in range(half)]
            out = [[r * math.cos(a), r * math.sin(a)] for a, r in turns]
            return [closed([*out, *([1.004 * x, 1.004 * y] for x, y in reversed(out))])], True
    raise ValueError(kind)


def write(path: Path, kind: str, vertices: int) -> None:
    found, is_each_a_polygon = rings(kind, vertices)
    if is_each_a_polygon:
        geometry = {"type": "MultiPolygon", "coordinates": [[ring] for ring in found]}
    else:
        geometry = {"type": "Polygon", "coordinates": found}
    path.write_text(json.dumps({"type": "Feature", "properties": {}, "geometry": geometry}))


def places(kind: str, count: int) -> list[tuple[float, float]]:
    """Places about the map, some of them inside."""
    draw = random.Random(kind)
    return [(2.4 * draw.random() - 1.2, 2.4 * draw.random() - 1.2) for _ in range(count)]
