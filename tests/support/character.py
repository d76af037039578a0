#!/usr/bin/env python3
"""character.py OUT.glb [--dip METRES] [--shuffle SEED] [--bones PREFIX]: a small character of boxes with a skin, whose left hand
(an octahedron) swings before the left thigh. With --dip its tip is that deep in the thigh at 1 s: the depth is known. The left
arm is in the spine at rest. With --shuffle vertices and triangles have other numbers, and all else is the same."""
import argparse, json, random, struct

BONES = ["Hips", "Spine", "LeftUpLeg", "RightUpLeg", "LeftArm", "LeftHand"]


def box(centre, half, cells):
    """A closed box of cells x cells quads on each face; faces outwards."""
    places, points, triangles = {}, [], []

    def vertex(p):
        if p not in places:
            places[p] = len(points)
            points.append([c + h * (2 * x / cells - 1) for c, h, x in zip(centre, half, p)])
        return places[p]

    for axis in range(3):
        for end in (0, cells):
            for i in range(cells):
                for j in range(cells):
                    def corner(a, b):
                        p = [0, 0, 0]
                        p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = end, a, b
                        return vertex(tuple(p))
                    a, b, c, d = corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)
                    quad = [(a, b, c), (a, c, d)] if end else [(a, c, b), (a, d, c)]
                    triangles += quad
    return points, triangles


def octahedron(centre, radius):
    points = [[c + radius * s * (k == i) for k, c in enumerate(centre)] for i in range(3) for s in (1, -1)]
    triangles = []
    for x in (0, 1):
        for y in (2, 3):
            for z in (4, 5):
                turned = (x + y + z) % 2 == 1  # an odd number of negative axes turns the face round
                triangles.append((x, z, y) if turned else (x, y, z))
    return points, triangles


def build(dip, seed, prefix):
    parts = [("Spine", box([0, 1.3, 0], [0.15, 0.25, 0.1], 6)), ("LeftUpLeg", box([0.1, 0.7, 0], [0.08, 0.25, 0.08], 7)),
             ("RightUpLeg", box([-0.1, 0.7, 0], [0.08, 0.25, 0.08], 7)), ("LeftArm", box([0.2, 1.4, 0], [0.1, 0.05, 0.05], 4)),
             ("LeftHand", octahedron([0.11, 0.72, 0.2], 0.05))]
    points, bones, triangles = [], [], []
    for bone, (some, faces) in parts:
        triangles += [(tuple(v + len(points) for v in f), bone in ("Spine", "LeftArm")) for f in faces]
        points += some
        bones += [BONES.index(bone)] * len(some)
    order, chance = list(range(len(points))), random.Random(seed)
    if seed is not None:
        chance.shuffle(order)
        chance.shuffle(triangles)
        triangles = [(f[r:] + f[:r], cloth) for f, cloth in triangles for r in (chance.randrange(3),)]
    place = {v: i for i, v in enumerate(order)}
    points, bones = [points[v] for v in order], [bones[v] for v in order]
    skin, cloth = ([place[v] for f, c in triangles if c == kind for v in f] for kind in (False, True))

    data, views, accessors = bytearray(), [], []

    def accessor(code, kind, rows, component, **more):
        while len(data) % 4:
            data.append(0)
        values = [x for row in rows for x in row]
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": struct.calcsize("<%d%s" % (len(values), code))})
        data.extend(struct.pack("<%d%s" % (len(values), code), *values))
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": kind, "count": len(rows), **more})
        return len(accessors) - 1

    rows = list(zip(*points))
    positions = accessor("f", "VEC3", points, 5126, min=[min(r) for r in rows], max=[max(r) for r in rows])
    joints = accessor("H", "VEC4", [[b, 0, 0, 0] for b in bones], 5123)
    weights = accessor("f", "VEC4", [[1, 0, 0, 0]] * len(points), 5126)
    inverse = accessor("f", "MAT4", [[float(i % 5 == 0) for i in range(16)]] * len(BONES), 5126)
    attributes = {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}
    primitives = [{"attributes": attributes, "indices": accessor("H", "SCALAR", [[v] for v in corners], 5123), "material": m}
                  for m, corners in enumerate((skin, cloth))]
    times = accessor("f", "SCALAR", [[0.0], [0.5], [1.0], [1.5], [2.0]], 5126, min=[0.0], max=[2.0])
    gap = 0.2 - 0.05 - 0.08  # from the tip to the thigh
    deep = -(gap + dip) if dip else 0.03
    keys = accessor("f", "VEC3", [[0, 0, z] for z in (0.0, 0.05, deep, 0.05, 0.0)], 5126)
    nodes = [{"name": prefix + b} for b in BONES]
    nodes[0]["children"] = list(range(1, len(BONES)))
    nodes.append({"name": "Figure", "mesh": 0, "skin": 0})
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, len(BONES)]}], "nodes": nodes,
             "meshes": [{"name": "FigureMesh", "primitives": primitives}], "materials": [{"name": "Skin"}, {"name": "Cloth"}],
             "skins": [{"joints": list(range(len(BONES))), "inverseBindMatrices": inverse}],
             "animations": [{"name": "Swing", "samplers": [{"input": times, "output": keys}],
                             "channels": [{"sampler": 0, "target": {"node": BONES.index("LeftHand"), "path": "translation"}}]}],
             "buffers": [{"byteLength": len(data)}], "bufferViews": views, "accessors": accessors}
    return scene, bytes(data)


def write(path, scene, data):
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    with open(path, "wb") as out:
        out.write(struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body)


if __name__ == "__main__":
    line = argparse.ArgumentParser()
    line.add_argument("out")
    line.add_argument("--dip", type=float, default=0)
    line.add_argument("--shuffle", type=int)
    line.add_argument("--bones", default="")
    given = line.parse_args()
    write(given.out, *build(given.dip, given.shuffle, given.bones))
