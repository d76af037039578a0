"""blender -b SCENE.blend --python use.py: what the buttons do, without a window; a false answer ends with an exception."""

import bpy
import numpy
import pliant_contacts
from pliant_contacts import state

scene = bpy.context.scene
s = scene.pliant
frame = scene.frame_current
for obj in scene.objects:
    obj.select_set(obj.name in ("Figure", "Blob"))
assert bpy.ops.pliant.check() == {"FINISHED"}
rows = [(r.name, r.kind, r.fails, r.first, r.last, r.worst) for r in s.findings]
failing = [r for r in rows if r[2]]
assert [r[0] for r in failing if "Arm" in r[0]] == ["Arm in Leg"], rows
assert any(r[0].startswith("Blob") for r in failing), rows
assert "fail" in s.summary and scene.frame_current == s.findings[0].worst
deepest = [r.depth for r in s.findings if r.fails]
assert deepest == sorted(deepest, reverse=True)

# A step in the list shows the next one; its faces become the selection, and an undo step follows.
assert bpy.ops.pliant.go(where="NEXT") == {"FINISHED"} and s.index == 1 and scene.frame_current == s.findings[1].worst
assert bpy.ops.pliant.go(where="WORST") == {"FINISHED"} and s.index == 0
active = state.of(scene).active(s)
assert bpy.ops.pliant.select_faces() == {"FINISHED"}
bpy.ops.object.mode_set(mode="OBJECT")
obj = scene.objects[active.sides[0]["object"]]
chosen = numpy.empty(len(obj.data.polygons), bool)
obj.data.polygons.foreach_get("select", chosen)
triangles = numpy.concatenate([t for _, t in state.of(scene).triangles(active.id, scene.frame_current)])
source = state.of(scene).follower.bodies[active.bodies[0]].source
assert set(numpy.flatnonzero(chosen)) == set(source.polygons[triangles].tolist()) and chosen.any()
assert pliant_contacts.meshes.MARK not in obj.data.attributes

# With a modifier that makes faces, those of the object's own mesh.
blob = scene.objects["Blob"]
blob.modifiers.new("Fine", "SUBSURF").levels = 1
for other in scene.objects:
    other.select_set(other == blob)
assert bpy.ops.pliant.check() == {"FINISHED"} and len(s.findings) > 0
assert bpy.ops.pliant.select_faces() == {"FINISHED"}
bpy.ops.object.mode_set(mode="OBJECT")
fine = sum(p.select for p in blob.data.polygons)
assert 0 < fine < len(blob.data.polygons) and "pliant_face" not in blob.data.attributes
blob.modifiers.clear()

# Errors are reports, which are exceptions where there is no window.
for obj in scene.objects:
    obj.select_set(False)
try:
    bpy.ops.pliant.check()
    raise SystemExit("a check of nothing was made")
except RuntimeError as error:
    assert "there is no object" in str(error), error
flicker = scene.objects["Blob"].modifiers.new("Build", "BUILD")
scene.objects["Blob"].select_set(True)
try:
    bpy.ops.pliant.check()
    raise SystemExit("a mesh whose faces change was followed")
except RuntimeError as error:
    assert "faces" in str(error), error
scene.objects["Blob"].modifiers.remove(flicker)

# The rest pose as the reference: nothing is known there that the animation makes.
s.reference, s.what = "REST", "VISIBLE"
assert bpy.ops.pliant.check() == {"FINISHED"}
assert bpy.ops.pliant.clear() == {"FINISHED"} and len(s.findings) == 0 and state.of(scene) is None
assert not bpy.ops.pliant.go.poll() and not bpy.ops.pliant.select_faces.poll()
bpy.ops.preferences.addon_disable(module="pliant_contacts")
assert not hasattr(bpy.types.Scene, "pliant")
