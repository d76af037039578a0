"""blender -b SCENE.blend --python exchange.py -- POSITIONS: exports Figure as FBX and Collada, imports both again, and compares where
their vertices are in Blender with what the program POSITIONS (tests/io/scene_positions.c) reads, frame by frame."""

import itertools
import subprocess
import sys

import bpy
import numpy

PROGRAM = sys.argv[sys.argv.index("--") + 1]
FRAMES = 20


def export():
    for o in bpy.context.scene.objects:
        o.select_set(o.name in ("Figure", "Rig"))
    fps = bpy.context.scene.render.fps
    bpy.ops.export_scene.fbx(filepath="figure.fbx", use_selection=True, add_leaf_bones=False, bake_anim_simplify_factor=0)
    files = ["figure.fbx"]
    if hasattr(bpy.ops.wm, "collada_export"):
        bpy.ops.wm.collada_export(filepath="figure.dae", selected=True)
        files.append("figure.dae")
    return files, fps


def corners(frame):
    """Where the corners of all triangles are in Blender, each once."""
    bpy.context.scene.frame_set(frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    obj = next(o for o in bpy.context.scene.objects if o.type == "MESH").evaluated_get(depsgraph)
    mesh = obj.to_mesh()
    local = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", local)
    matrix = numpy.array(obj.matrix_world)
    return local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def farthest(a, b):
    return max(numpy.sqrt(((p - b) ** 2).sum(axis=1)).min() for p in a)


def turns():
    """The 24 turns that map axes to axes: which of them lies between two programs is theirs to choose."""
    for axes in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            turn = numpy.zeros((3, 3))
            turn[range(3), axes] = signs
            if numpy.linalg.det(turn) > 0:
                yield turn


def distance(a, b):
    size = numpy.linalg.norm(b.max(axis=0) - b.min(axis=0))
    return max(farthest(a, b), farthest(b, a)) / size


def compare(path, fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps
    fbx = path.endswith("fbx")
    bpy.ops.import_scene.fbx(filepath=path) if fbx else bpy.ops.wm.collada_import(filepath=path)
    raw = subprocess.run([PROGRAM, path, "0", str(fps), str(FRAMES)], capture_output=True, check=True).stdout
    read = numpy.frombuffer(raw, float).reshape(FRAMES, -1, 3)
    worst, moved, turn = 0, 0, None
    for frame in range(1, FRAMES, 3):
        ours = numpy.unique(read[frame], axis=0)
        theirs = corners(frame + 1 if fbx else frame)  # FBX times begin with the first frame, those of Collada with frame 0
        if turn is None:
            turn = min(turns(), key=lambda t: distance(ours @ t, theirs))
        worst = max(worst, distance(ours @ turn, theirs))
        moved = max(moved, abs(read[frame] - read[0]).max())
    print(f"{path}: {FRAMES} frames, greatest distance {worst:.1e} of its size")
    assert worst < 1e-5 and moved > 0.3, (path, worst, moved)


files, fps = export()
for path in files:
    compare(path, fps)
