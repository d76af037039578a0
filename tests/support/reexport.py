#!/usr/bin/env python3
"""reexport.py IN.glb OUT.glb SEED: the same scene as another exporter might write it: vertices of every primitive permuted,
triangles in another order and begun at other corners. Names, nodes, skins and animations stay. Only primitives of triangles whose
accessors lie in the binary chunk."""
import json, random, struct, sys

SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
CODES = {5121: "B", 5123: "H", 5125: "I"}


def main(source, target, seed):
    with open(source, "rb") as file:
        raw = file.read()
    length = struct.unpack_from("<I", raw, 12)[0]
    scene = json.loads(raw[20:20 + length])
    data = bytearray(raw[28 + length:])
    chance = random.Random(seed)

    def rows(index):
        a = scene["accessors"][index]
        assert "sparse" not in a
        view = scene["bufferViews"][a["bufferView"]]
        size = SIZES[a["componentType"]] * WIDTHS[a["type"]]
        first, step = view.get("byteOffset", 0) + a.get("byteOffset", 0), view.get("byteStride", size)
        return [bytes(data[first + i * step:first + i * step + size]) for i in range(a["count"])]

    def add(index, values):
        """A copy of an accessor with other rows."""
        while len(data) % 4:
            data.append(0)
        size = len(values[0])
        pad = -size % 4 if len(values) and scene["accessors"][index]["type"] != "SCALAR" else 0
        view = {"buffer": 0, "byteOffset": len(data), "byteLength": len(values) * (size + pad)}
        if pad:
            view["byteStride"] = size + pad
        for v in values:
            data.extend(v + b"\0" * pad)
        scene["bufferViews"].append(view)
        scene["accessors"].append({**scene["accessors"][index], "bufferView": len(scene["bufferViews"]) - 1})
        scene["accessors"][-1].pop("byteOffset", None)
        return len(scene["accessors"]) - 1

    done = {}  # primitives that share their vertices go on sharing them
    for mesh in scene["meshes"]:
        for p in mesh["primitives"]:
            key = json.dumps([p["attributes"], p.get("targets"), "indices" in p], sort_keys=True)
            count = scene["accessors"][p["attributes"]["POSITION"]]["count"]
            if key not in done:
                if "indices" in p:
                    order = list(range(count))
                    chance.shuffle(order)
                else:
                    faces = list(range(count // 3))
                    chance.shuffle(faces)
                    order = [3 * f + k for f in faces for k in range(3)]
                done[key] = order, {}, {}
            order, place, new = done[key]
            place.update({v: i for i, v in enumerate(order)})
            for attributes in [p["attributes"], *p.get("targets", [])]:
                for name, index in attributes.items():
                    if index not in new:
                        old = rows(index)
                        new[index] = add(index, [old[v] for v in order])
                    attributes[name] = new[index]
            if "indices" not in p:
                continue
            code = CODES[scene["accessors"][p["indices"]]["componentType"]]
            corners = [place[struct.unpack("<" + code, r)[0]] for r in rows(p["indices"])]
            faces = [corners[i:i + 3] for i in range(0, len(corners), 3)]
            chance.shuffle(faces)
            faces = [f[r:] + f[:r] for f in faces for r in (chance.randrange(3),)]
            p["indices"] = add(p["indices"], [struct.pack("<" + code, v) for f in faces for v in f])
    scene["buffers"][0]["byteLength"] = len(data)
    from character import write
    write(target, scene, bytes(data))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
