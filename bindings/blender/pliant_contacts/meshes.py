"""Evaluated meshes of Blender as arrays: after modifiers, armatures, shape keys and simulations, in world space.

Positions are rounded to float once, here: the same numbers are asked about, drawn and written into caches. The faces of an
object must be the same in all frames, as a place is followed by its triangles.
"""

import contextlib

import numpy

TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
SIMULATIONS = {"CLOTH", "SOFT_BODY", "FLUID", "DYNAMIC_PAINT", "PARTICLE_SYSTEM", "COLLISION", "NODES"}
MARK = "pliant_face"


class Problem(Exception):
    """What is wrong, in a sentence for people."""


@contextlib.contextmanager
def evaluated(obj, depsgraph):
    """The mesh of an object as it is shown at the present frame."""
    shown = obj.evaluated_get(depsgraph)
    mesh = shown.to_mesh()
    try:
        yield shown, mesh
    finally:
        shown.to_mesh_clear()


def column(items, name, count, type):
    out = numpy.empty(count, type)
    items.foreach_get(name, out)
    return out


def corners_of(mesh):
    return column(mesh.loops, "vertex_index", len(mesh.loops), numpy.int32)


class Source:
    """An object whose faces stay while its vertices move."""

    def __init__(self, obj, depsgraph):
        self.name = obj.name
        with evaluated(obj, depsgraph) as (shown, mesh):
            if mesh is None or not mesh.polygons:
                raise Problem(f"{obj.name} has no faces")
            mesh.calc_loop_triangles()
            count = len(mesh.loop_triangles)
            self.triangles = column(mesh.loop_triangles, "vertices", 3 * count, numpy.int32).astype(numpy.uint32).reshape(-1, 3)
            self.polygons = column(mesh.loop_triangles, "polygon_index", count, numpy.int32)
            self.polygon_count = len(mesh.polygons)
            self.corners = corners_of(mesh)
            self.vertex_count = len(mesh.vertices)

    def positions(self, obj, depsgraph, frame):
        """(n, 3) float32 in world space."""
        with evaluated(obj, depsgraph) as (shown, mesh):
            same = mesh is not None and len(mesh.vertices) == self.vertex_count and len(mesh.loops) == len(self.corners)
            if not same or not numpy.array_equal(corners_of(mesh), self.corners):
                raise Problem(f"{obj.name} has other faces in frame {frame} than before, so its contacts cannot be followed; "
                              "switch off the modifier that makes them")
            local = column(mesh.vertices, "co", 3 * self.vertex_count, numpy.float32).reshape(-1, 3)
            matrix = numpy.array(shown.matrix_world, numpy.float64)
        world = (local.astype(numpy.float64) @ matrix[:3, :3].T + matrix[:3, 3]).astype(numpy.float32)
        if not numpy.isfinite(world).all():
            raise Problem(f"{obj.name} has a vertex that is not a finite number in frame {frame}")
        return world


def is_simulated(objects):
    """Whether frames must be played in their order, one after the other."""
    return any(o.rigid_body or any(m.type in SIMULATIONS and m.show_viewport for m in o.modifiers) for o in objects)


@contextlib.contextmanager
def rest_pose(objects):
    """All armatures of these objects in their rest pose."""
    armatures = {m.object.data for o in objects for m in o.modifiers if m.type == "ARMATURE" and m.object}
    armatures |= {o.parent.data for o in objects if o.parent and o.parent.type == "ARMATURE"}
    before = {a: a.pose_position for a in armatures}
    for armature in armatures:
        armature.pose_position = "REST"
    try:
        yield
    finally:
        for armature, position in before.items():
            armature.pose_position = position


def faces_of(obj, source, triangles, context):
    """The faces of the object's own mesh that these triangles of its evaluated mesh come from; None: nobody knows."""
    polygons = numpy.unique(source.polygons[triangles])
    if obj.type != "MESH":
        return None
    if len(obj.data.polygons) == source.polygon_count:
        return polygons
    if is_simulated([obj]) or obj.data.library or obj.mode != "OBJECT":
        return None
    mark = obj.data.attributes.new(MARK, "INT", "FACE")
    try:
        mark.data.foreach_set("value", numpy.arange(len(obj.data.polygons), dtype=numpy.int32))
        with evaluated(obj, context.evaluated_depsgraph_get()) as (_, mesh):
            found = mesh.attributes.get(MARK)
            if found is None or len(found.data) != source.polygon_count:
                return None
            return numpy.unique(column(found.data, "value", len(found.data), numpy.int32)[polygons])
    finally:
        obj.data.attributes.remove(obj.data.attributes[MARK])
