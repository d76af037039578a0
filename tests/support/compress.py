#!/usr/bin/env python3
"""compress.py IN.glb OUT.glb meshopt|draco=ENCODER|damage=SEED: the same scene compressed, or with some bytes of its binary chunk
changed. Draco may renumber vertices, so only primitives without morph targets are given to it. Only accessors without sparse lists."""
import ctypes, ctypes.util, json, random, struct, subprocess, sys

from character import write

SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
CODES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    length = struct.unpack_from("<I", raw, 12)[0]
    return json.loads(raw[20:20 + length]), bytearray(raw[28 + length:])


class Packer:
    def __init__(self, scene, data):
        self.scene, self.data, self.out, self.views = scene, data, bytearray(), []

    def rows(self, index):
        a = self.scene["accessors"][index]
        view = self.scene["bufferViews"][a["bufferView"]]
        size = SIZES[a["componentType"]] * WIDTHS[a["type"]]
        first, step = view.get("byteOffset", 0) + a.get("byteOffset", 0), view.get("byteStride", size)
        return [bytes(self.data[first + i * step:first + i * step + size]) for i in range(a["count"])]

    def values(self, index):
        a = self.scene["accessors"][index]
        code = "<%d%s" % (WIDTHS[a["type"]], CODES[a["componentType"]])
        return [struct.unpack(code, r) for r in self.rows(index)]

    def add(self, payload, **more):
        while len(self.out) % 4:
            self.out.append(0)
        self.views.append({"buffer": 0, "byteOffset": len(self.out), "byteLength": len(payload), **more})
        self.out.extend(payload)
        return len(self.views) - 1


def meshopt(p):
    """Every accessor of primitives becomes a view of its own, compressed; others stay plain."""
    library = ctypes.CDLL(ctypes.util.find_library("meshoptimizer"))
    for name in ("meshopt_encodeVertexBufferBound", "meshopt_encodeVertexBuffer", "meshopt_encodeIndexBufferBound", "meshopt_encodeIndexBuffer"):
        getattr(library, name).restype = ctypes.c_size_t
    size_t = ctypes.c_size_t
    corners = {q["indices"] for m in p.scene["meshes"] for q in m["primitives"] if "indices" in q and q.get("mode", 4) == 4}
    vertices = {i for m in p.scene["meshes"] for q in m["primitives"] for t in [q["attributes"], *q.get("targets", [])] for i in t.values()}
    fallback = 0
    for i, a in enumerate(p.scene["accessors"]):
        rows = p.rows(i)
        if i in corners:
            values = [struct.unpack("<" + CODES[a["componentType"]], r)[0] for r in rows]
            room = library.meshopt_encodeIndexBufferBound(size_t(len(values)), size_t(max(values) + 1))
            buffer = ctypes.create_string_buffer(room)
            size = library.meshopt_encodeIndexBuffer(buffer, size_t(room), (ctypes.c_uint * len(values))(*values), size_t(len(values)))
            stride, mode = SIZES[a["componentType"]], "TRIANGLES"
            if stride == 1:
                stride, a["componentType"] = 2, 5123
        elif i in vertices:
            stride = -(-len(rows[0]) // 4) * 4
            packed = b"".join(r + b"\0" * (stride - len(r)) for r in rows)
            room = library.meshopt_encodeVertexBufferBound(size_t(len(rows)), size_t(stride))
            buffer, mode = ctypes.create_string_buffer(room), "ATTRIBUTES"
            size = library.meshopt_encodeVertexBuffer(buffer, size_t(room), packed, size_t(len(rows)), size_t(stride))
        else:
            a["bufferView"] = p.add(b"".join(rows))
            a.pop("byteOffset", None)
            continue
        at = p.add(buffer.raw[:size])
        view = p.views[at]
        length = stride * len(rows)
        more = {"byteStride": stride} if mode == "ATTRIBUTES" else {}
        p.views[at] = {"buffer": 1, "byteOffset": fallback, "byteLength": length, **more, "extensions": {"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": view["byteOffset"], "byteLength": size, "byteStride": stride, "count": len(rows), "mode": mode}}}
        fallback += length + -length % 4
        a["bufferView"] = at
        a.pop("byteOffset", None)
    p.scene["buffers"] = [{"byteLength": len(p.out)}, {"byteLength": fallback, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}]
    p.scene["extensionsUsed"] = p.scene["extensionsRequired"] = ["EXT_meshopt_compression"]


def draco(p, encoder):
    scene, done = p.scene, set()
    for mesh in scene["meshes"]:
        for q in mesh["primitives"]:
            assert "targets" not in q and "indices" in q and q.get("mode", 4) == 4
            at = q["attributes"]
            positions, corners = p.values(at["POSITION"]), [v[0] for v in p.values(q["indices"])]
            skinned = "JOINTS_0" in at
            data = struct.pack("<4I", len(positions), len(corners) // 3, skinned, 14) + b"".join(struct.pack("<3f", *v) for v in positions)
            if skinned:
                data += b"".join(struct.pack("<4H", *v) for v in p.values(at["JOINTS_0"]))
                data += b"".join(struct.pack("<4f", *v) for v in p.values(at["WEIGHTS_0"]))
            data += struct.pack("<%dI" % len(corners), *corners)
            stream = subprocess.run([encoder], input=data, stdout=subprocess.PIPE, check=True).stdout
            (points, faces), stream = struct.unpack_from("<2I", stream), stream[8:]
            ids = {"POSITION": 0, **({"JOINTS_0": 1, "WEIGHTS_0": 2} if skinned else {})}
            q["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": p.add(stream), "attributes": ids}}
            q["attributes"] = {k: len(scene["accessors"]) + n for n, k in enumerate(ids)}
            for kind, component in (("VEC3", 5126), ("VEC4", 5123), ("VEC4", 5126))[:len(ids)]:
                scene["accessors"].append({"componentType": component, "type": kind, "count": points})
            scene["accessors"].append({"componentType": 5125, "type": "SCALAR", "count": 3 * faces})
            q["indices"] = len(scene["accessors"]) - 1
            done.update(at.values())
    for i, a in enumerate(scene["accessors"]):
        if "bufferView" not in a:
            continue
        a["bufferView"] = p.add(b"".join(p.rows(i)) if i not in done else b"\0" * 4 * a["count"] * 16)
        a.pop("byteOffset", None)
    scene["buffers"] = [{"byteLength": len(p.out)}]
    scene["extensionsUsed"] = scene["extensionsRequired"] = ["KHR_draco_mesh_compression"]


def main(source, target, how):
    scene, data = read(source)
    kind, _, value = how.partition("=")
    if kind == "damage":
        chance = random.Random(int(value))
        views = [v for v in scene["bufferViews"] if "extensions" in v] or [scene["bufferViews"][q["extensions"]["KHR_draco_mesh_compression"]["bufferView"]]
                                                                          for m in scene["meshes"] for q in m["primitives"]]
        view = chance.choice(views)
        view = view.get("extensions", {}).get("EXT_meshopt_compression", view)
        for _ in range(chance.choice((1, 3, 20))):
            data[view.get("byteOffset", 0) + chance.randrange(view["byteLength"] if chance.random() < 0.5 else min(64, view["byteLength"]))] = chance.randrange(256)
        return write(target, scene, bytes(data))
    p = Packer(scene, data)
    meshopt(p) if kind == "meshopt" else draco(p, value)
    scene["bufferViews"] = p.views
    scene.pop("images", None), scene.pop("textures", None), scene.pop("materials", None)
    for mesh in scene["meshes"]:
        for q in mesh["primitives"]:
            q.pop("material", None)
    write(target, scene, bytes(p.out))


main(*sys.argv[1:])
