"""Writes a glTF scene of many parts in which one moves: parts.py OUT.gltf [PARTS] [SEGMENTS] [SECONDS].

A grid of boxes, neighbours of which share a wall (they touch at rest); part 0, "arm", stands on top of the others and swings in a
circle around its place, so that it dips into its neighbours. All numbers are exact in binary."""
import base64, json, math, struct, sys

path = sys.argv[1]
parts = int(sys.argv[2]) if len(sys.argv) > 2 else 100
segments = int(sys.argv[3]) if len(sys.argv) > 3 else 4
seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 60
blob, views, accessors = bytearray(), [], []


def put(rows, kind, code="f", component=5126, bounds=False):
    flat = [x for row in rows for x in row]
    while len(blob) % 4: blob.append(0)
    data = struct.pack(f"<{len(flat)}{code}", *flat)
    views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
    blob.extend(data)
    accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": kind})
    if bounds: accessors[-1].update(min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])
    return len(accessors) - 1


def box(n):
    """The surface of the unit cube, n x n squares a side."""
    points, index, triangles = [], {}, []
    def at(p):
        if p not in index:
            index[p] = len(points)
            points.append(p)
        return index[p]
    for axis in range(3):
        for side in (0, 1):
            for i in range(n):
                for j in range(n):
                    corner = []
                    for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        p = [0.0, 0.0, 0.0]
                        p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = float(side), (i + u) / n, (j + v) / n
                        corner.append(at(tuple(p)))
                    if not side: corner.reverse()
                    triangles += [(corner[0], corner[1], corner[2]), (corner[0], corner[2], corner[3])]
    return points, triangles


points, triangles = box(segments)
mesh = {"primitives": [{"attributes": {"POSITION": put(points, "VEC3", bounds=True)},
                        "indices": put([(i,) for t in triangles for i in t], "SCALAR", "I", 5125)}]}
width = math.ceil(math.sqrt(parts - 1))
nodes = [{"name": "arm", "mesh": 0, "translation": [1.25, 1.5, 1.25]}]
nodes += [{"name": f"part {k + 1}", "mesh": 0, "translation": [float(k % width), 0.0, float(k // width)]} for k in range(parts - 1)]
keys = int(4 * seconds)
turn = lambda k: 2 * math.pi * k / 16
where = [(1.25 + math.floor(1024 * math.sin(turn(k))) / 1024, 1.5 + math.floor(1024 * (math.cos(turn(k)) - 1)) / 2048, 1.25)
         for k in range(keys + 1)]
animation = {"name": "swing", "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
             "samplers": [{"input": put([(k / 4,) for k in range(keys + 1)], "SCALAR", bounds=True), "output": put(where, "VEC3")}]}
scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"name": "cell", "nodes": list(range(parts))}], "nodes": nodes,
         "meshes": [mesh], "animations": [animation], "accessors": accessors, "bufferViews": views,
         "buffers": [{"byteLength": len(blob), "uri": "data:application/octet-stream;base64," + base64.b64encode(bytes(blob)).decode()}]}
with open(path, "w") as file: json.dump(scene, file)
