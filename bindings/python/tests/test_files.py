"""Files: meshes, sequences and glTF scenes, against numbers that are computed here."""

import json
import struct

import numpy
import pytest
from conftest import data, sphere

import pliant


def write_obj(path, positions, triangles):
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in positions.tolist()] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles.tolist()]
    path.write_text("\n".join(lines) + "\n")


def write_gltf(path):
    """A still triangle; one that moves 4 up in 2 seconds; one that morphs."""
    corners = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    deltas = struct.pack("<9f", 0, 0, 1, 0, 0, 1, 0, 0, 1)
    times, way, weights = struct.pack("<2f", 0, 2), struct.pack("<6f", 0, 0, -2, 0, 0, 2), struct.pack("<2f", 0, 3)
    parts, views = [corners, deltas, times, way, weights], []
    at = 0
    for part in parts:
        views.append({"buffer": 0, "byteOffset": at, "byteLength": len(part)})
        at += len(part)
    (path.parent / "data.bin").write_bytes(b"".join(parts))
    kinds = [("VEC3", 3), ("VEC3", 3), ("SCALAR", 2), ("VEC3", 2), ("SCALAR", 2)]
    accessors = [{"bufferView": i, "componentType": 5126, "count": n, "type": t} for i, (t, n) in enumerate(kinds)]
    for a in accessors[:2]:
        a["min"], a["max"] = ([0, 0, 0], [1, 1, 0]) if a["bufferView"] == 0 else ([0, 0, 1], [0, 0, 1])
    accessors[2]["min"], accessors[2]["max"] = [0], [2]
    path.write_text(json.dumps({
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "data.bin", "byteLength": at}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]},
                   {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}], "weights": [0]}],
        "nodes": [{"name": "still", "mesh": 0}, {"name": "goes", "mesh": 0}, {"name": "morphs", "mesh": 1, "translation": [0, 0, -1.5]}],
        "scenes": [{"nodes": [0, 1, 2]}],
        "scene": 0,
        "animations": [{"name": "all", "samplers": [{"input": 2, "output": 3}, {"input": 2, "output": 4}],
                        "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}},
                                     {"sampler": 1, "target": {"node": 2, "path": "weights"}}]}],
    }))


def test_meshes(tmp_path):
    positions, triangles = sphere(rows=4, columns=5)
    write_obj(tmp_path / "one.obj", positions, triangles)
    p, t = pliant.read(tmp_path / "one.obj")
    assert p.dtype == numpy.float32 and (p == positions).all() and (t == triangles).all() and p.flags.owndata
    exact = positions.astype(numpy.float64) / 3
    write_obj(tmp_path / "one.obj", exact, triangles)
    p, _ = pliant.read(str(tmp_path / "one.obj"))
    assert p.dtype == numpy.float64 and (p == exact).all()
    film = pliant.load(tmp_path / "one.obj", strategy="top-down")
    assert film.duration == 0 and len(film) == 1 and film[0].name == "one" and film[0].strategy == "top-down"
    assert list(film.play()) == [0.0] and "one.obj" in repr(film)


def test_sequences(tmp_path):
    positions, triangles = sphere(rows=4, columns=5)
    for i in (1, 2, 10):
        write_obj(tmp_path / f"cloth_{i}.obj", positions * i, triangles)
    film = pliant.load(str(tmp_path / "cloth_*.obj"))
    boxes = [film[0].box[1, 2] for _ in film.play()]
    assert boxes == pytest.approx([1, 2, 10]) and film.duration == 2
    film.seek(-5)
    assert film[0].box[1, 2] == pytest.approx(1)
    write_obj(tmp_path / "cloth_11.obj", positions, triangles[::-1])
    with pytest.raises(ValueError, match="cloth_11.obj"):
        list(pliant.load(str(tmp_path / "cloth_*.obj")).play())


def test_gltf(tmp_path):
    write_gltf(tmp_path / "scene.gltf")
    film = pliant.load(tmp_path / "scene.gltf")
    assert [(b.name, b.motion) for b in film] == [("still", "rigid"), ("goes", "rigid"), ("morphs", "morph")]
    assert film.duration == 2 and film["goes"] is film.bodies[1]
    touching = {}
    for time in film.play(fps=4):
        assert film["goes"].box[:, 2] == pytest.approx([-2 + 2 * time] * 2)
        assert film["morphs"].box[:, 2] == pytest.approx([-1.5 + 1.5 * time] * 2, abs=1e-5)
        touching[time] = {(a.name, b.name) for a, b, _ in film.scene.touching().groups}
    assert touching == {0.0: set(), 0.25: set(), 0.5: set(), 0.75: set(), 1.25: set(), 1.5: set(), 1.75: set(), 2.0: set(),
                        1.0: {("still", "goes"), ("still", "morphs"), ("goes", "morphs")}}
    for wrong, words in ((dict(animation="walk"), "'all'"), (dict(animation=3), "'all'"), (dict(scene="other"), "other")):
        with pytest.raises(ValueError, match=words):
            pliant.load(tmp_path / "scene.gltf", **wrong)
    with pytest.raises(KeyError, match="still"):
        film["nobody"]
    with pytest.raises(ValueError):
        film.seek(float("nan"))


def test_broken_files(tmp_path):
    (tmp_path / "broken.obj").write_text("v 0 0 zero\nf 1 1 1\n")
    (tmp_path / "broken.glb").write_bytes(b"glTF" + bytes(20))
    for name in ("broken.obj", "broken.glb", "missing.obj", "missing_*.obj", "\0.obj"):
        with pytest.raises((ValueError, OSError)) as caught:
            pliant.load(str(tmp_path / name))
        assert "\n" not in str(caught.value)
    with pytest.raises(TypeError):
        pliant.load(3)
    with pytest.raises(ValueError, match="glTF"):
        pliant.load(tmp_path / "broken.obj", animation=0)


def test_real_files():
    film = pliant.load(data("gltf", "CesiumMilkTruck", "CesiumMilkTruck.glb"))
    assert len(film) > 1 and film.duration > 0
    counts = [len(film.scene.touching()) for _ in film.play(fps=2)]
    assert all(n > 0 for n in counts)
    man = pliant.load(data("gltf", "CesiumMan", "CesiumMan.glb"))
    assert man[0].motion == "skin"
    before = man[0].positions
    man.seek(1)
    file = pliant._pliant.Gltf(data("gltf", "CesiumMan", "CesiumMan.glb"))
    assert numpy.abs(before - man[0].positions).max() > 0.01
    assert man[0].positions == pytest.approx(file.positions(0, 1.0, 0), abs=1e-9)
    cow = pliant.load(data("static", "cow.obj"))[0]
    assert cow.triangle_count > 5000 and cow.closest([[0, 0, 0]]).distance[0] > 0
