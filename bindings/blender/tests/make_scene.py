"""blender -b --factory-startup --python make_scene.py -- OUT.blend: a scene that has what characters have.

Figure   a body of three tubes, bones in the two outer ones; an armature bends the arm into the leg from frame 8 on
Blob     a sphere with a shape key that pulls one side through the other
Cloth    a sheet that falls over Ball, with a subdivision modifier
"""

import math
import sys

import bmesh
import bpy

OUT = sys.argv[sys.argv.index("--") + 1]
LAST = 20


def new_object(name, verts, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(verts, [], faces)
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def tube(start, direction, length, radius, rings=12, sides=12):
    """A closed tube along an axis."""
    axis = {"x": (0, 1, 2), "z": (2, 0, 1)}[direction]
    verts, faces = [], []
    for i in range(rings + 1):
        for k in range(sides):
            a, p = 2 * math.pi * k / sides, [0, 0, 0]
            p[axis[0]] = length * i / rings
            p[axis[1]], p[axis[2]] = radius * math.cos(a), radius * math.sin(a)
            verts.append(tuple(s + x for s, x in zip(start, p)))
    for i in range(rings):
        for k in range(sides):
            n = (k + 1) % sides
            faces.append((i * sides + k, i * sides + n, (i + 1) * sides + n, (i + 1) * sides + k))
    faces.append(tuple(reversed(range(sides))))
    faces.append(tuple(rings * sides + k for k in range(sides)))
    return verts, faces


def figure():
    parts = [("Spine", tube((0, 0, 1), "z", 1, 0.2)), ("Leg", tube((0.3, 0, 0), "z", 1, 0.15)), ("Arm", tube((0.3, 0, 1.7), "x", 1, 0.08))]
    verts, faces, groups = [], [], {}
    for name, (v, f) in parts:
        groups[name] = range(len(verts), len(verts) + len(v))
        faces += [tuple(len(verts) + i for i in face) for face in f]
        verts += v
    obj = new_object("Figure", verts, faces)
    for name, vertices in groups.items():
        obj.vertex_groups.new(name=name).add(list(vertices), 1.0, "REPLACE")
    rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail in (("Spine", (0, 0, 1), (0, 0, 2)), ("Leg", (0.3, 0, 0), (0.3, 0, 1)), ("Arm", (0.3, 0, 1.7), (1.3, 0, 1.7))):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    arm = rig.pose.bones["Arm"]
    arm.rotation_mode = "XYZ"
    for frame, angle in ((1, 0), (LAST, 75)):  # down, until it goes into the leg
        arm.rotation_euler = (-math.radians(angle), 0, 0)
        arm.keyframe_insert("rotation_euler", frame=frame)
    return obj


def blob():
    mesh = bpy.data.meshes.new("Blob")
    work = bmesh.new()
    bmesh.ops.create_uvsphere(work, u_segments=24, v_segments=16, radius=0.5)
    work.to_mesh(mesh)
    work.free()
    obj = bpy.data.objects.new("Blob", mesh)
    obj.location = (3, 0, 1)
    bpy.context.scene.collection.objects.link(obj)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Through")
    for v, point in zip(mesh.vertices, key.data):
        if v.co.x > 0.3:
            point.co.x = v.co.x - 1.2 * (v.co.x - 0.3) / 0.2 - 0.01
    for frame, value in ((1, 0.0), (LAST, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return obj


def cloth():
    size = 16
    verts = [(-3 + 1.6 * (i / size - 0.5), 1.6 * (k / size - 0.5), 1.25) for i in range(size + 1) for k in range(size + 1)]
    faces = [(i * (size + 1) + k, (i + 1) * (size + 1) + k, (i + 1) * (size + 1) + k + 1, i * (size + 1) + k + 1)
             for i in range(size) for k in range(size)]
    sheet = new_object("Cloth", verts, faces)
    mesh = bpy.data.meshes.new("Ball")
    work = bmesh.new()
    bmesh.ops.create_icosphere(work, subdivisions=3, radius=0.35)
    work.to_mesh(mesh)
    work.free()
    ball = bpy.data.objects.new("Ball", mesh)
    ball.location = (-3, 0, 0.85)
    bpy.context.scene.collection.objects.link(ball)
    ball.modifiers.new("Collision", "COLLISION")
    settings = sheet.modifiers.new("Cloth", "CLOTH").settings
    settings.quality = 3
    settings.effector_weights.gravity = 4
    sheet.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return sheet


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, LAST
figure(), blob(), cloth()
for o in scene.objects:
    o.select_set(o.type == "MESH")
scene.frame_set(1)
bpy.ops.wm.save_as_mainfile(filepath=OUT)
