"""Makes crates/steinbound/src/domain/us_border.csv: the border of the contiguous United States.

    python3 tools/us_border.py countries-50m.json > crates/steinbound/src/domain/us_border.csv

The input is the TopoJSON file countries-50m.json of the npm package world-atlas, made from Natural Earth's
1:50 million countries (public domain). Rings of country 840 that lie within the window of the contiguous states are
kept. Each ring is written without repeating its first vertex.
"""

import json
import sys

COUNTRY = "840"
WEST, EAST, SOUTH, NORTH = -130, -60, 24, 50


def decoded_arcs(topology):
    """The arcs as longitudes and latitudes: the file holds differences of whole steps."""
    (scale_x, scale_y), (west, south) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for steps in topology["arcs"]:
        x = y = 0
        arc = []
        for step_x, step_y in steps:
            x, y = x + step_x, y + step_y
            arc.append((x * scale_x + west, y * scale_y + south))
        arcs.append(arc)
    return arcs


def stitched(indices, arcs):
    """A ring made of arcs, whose shared end points appear once; a complemented index is an arc walked backwards."""
    ring = []
    for index in indices:
        arc = arcs[index] if index >= 0 else arcs[~index][::-1]
        ring.extend(arc[1:] if ring else arc)
    return ring


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        topology = json.load(file)
    arcs = decoded_arcs(topology)
    countries = topology["objects"]["countries"]["geometries"]
    country = next(shape for shape in countries if shape.get("id") == COUNTRY)
    rings = [stitched(ring, arcs) for polygon in country["arcs"] for ring in polygon]
    kept = [ring for ring in rings if all(WEST < x < EAST and SOUTH < y < NORTH for x, y in ring)]
    print("ring,lon,lat")
    for number, ring in enumerate(kept, start=1):
        assert ring[0] == ring[-1], "a ring is open"
        for x, y in ring[:-1]:
            print(f"{number},{x:.4f},{y:.4f}")
    print(f"{len(kept)} rings, {sum(map(len, kept))} vertices with the closing ones", file=sys.stderr)


if __name__ == "__main__":
    main()
