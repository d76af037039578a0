"""What the two sides of a finding are called: bones by vertex weights, else parts, else objects; as `pliant check` does."""

import numpy

from .meshes import column, evaluated


def bones_of(obj):
    """Names of the bones that may move an object."""
    rigs = [m.object for m in obj.modifiers if m.type == "ARMATURE" and m.object]
    if obj.parent and obj.parent.type == "ARMATURE":
        rigs.append(obj.parent)
    return {bone.name for rig in rigs for bone in rig.data.bones}


def parts_of(triangles, positions):
    """The connected part of each vertex, from 1 on, the largest first; and how many there are."""
    label = numpy.arange(len(positions))
    while True:
        least = label[triangles].min(axis=1)
        before = label.copy()
        numpy.minimum.at(label, triangles.ravel(), numpy.repeat(least, 3))
        label = label[label]
        if numpy.array_equal(label, before):
            break
    roots, sizes = numpy.unique(label[triangles[:, 0]], return_counts=True)
    lower = [tuple(positions[label == root].min(axis=0)) for root in roots]
    order = sorted(range(len(roots)), key=lambda i: (-sizes[i], lower[i]))
    place = numpy.zeros(len(positions), int)
    for i, k in enumerate(order):
        place[roots[k]] = i + 1
    return place[label], len(roots)


class Namer:
    """Names of one object; its mesh is read once."""

    def __init__(self, obj, welded):
        self.obj, self.welded = obj, welded
        self.groups = {g.index: g.name for g in obj.vertex_groups if g.name in bones_of(obj)} if obj.type == "MESH" else {}
        self.parts = None

    def side(self, triangles, depsgraph):
        """A dictionary: object, bone, material, part, parts."""
        source = self.welded.source
        with evaluated(self.obj, depsgraph) as (_, mesh):
            bone = self.bone(mesh, numpy.unique(source.triangles[triangles])) if self.groups else ""
            materials = column(mesh.polygons, "material_index", len(mesh.polygons), numpy.int32)[source.polygons[triangles]]
        most = numpy.bincount(materials).argmax() if len(materials) else 0
        slots = self.obj.material_slots
        material = slots[most].material.name if most < len(slots) and slots[most].material else ""
        if self.parts is None:
            self.parts = parts_of(self.welded.map[source.triangles], self.welded.poses[0])
        place, parts = self.parts
        part = int(place[self.welded.map[source.triangles[triangles[0], 0]]])
        return {"object": self.obj.name, "bone": bone, "material": material, "part": part, "parts": parts}

    def bone(self, mesh, vertices):
        sums = {}
        for v in vertices:
            for g in mesh.vertices[int(v)].groups:
                if g.group in self.groups:
                    sums[g.group] = sums.get(g.group, 0) + g.weight
        return self.groups[max(sorted(sums), key=sums.get)] if sums else ""


def side_name(side, same):
    if side["bone"]:
        return side["bone"] if same else f"{side['bone']} of {side['object']}"
    return f"part {side['part']} of {side['object']}" if side["parts"] > 1 else side["object"]


def finding_name(sides, depth):
    same = sides[0]["object"] == sides[1]["object"]
    first, second = (side_name(s, same) for s in sides)
    if first == second:
        return f"{first} intersects itself"
    if same and not sides[0]["bone"]:
        first = f"part {sides[0]['part']}"
    return f"{first} {'in' if depth > 0 else 'crosses'} {second}"
