"""Contacts over the model: contours of all places in the present frame, and the triangles of the active one at its worst."""

import bpy
import gpu
import numpy
from gpu_extras.batch import batch_for_shader

from . import state

FAILS, KNOWN, ACTIVE = (1.0, 0.16, 0.1, 1.0), (1.0, 0.62, 0.1, 1.0), (1.0, 0.95, 0.3, 1.0)
SIDES = ((1.0, 0.2, 0.1, 0.5), (0.2, 0.55, 1.0, 0.4))
handle = None


def shader(name):
    """A builtin shader; 4.0 dropped the prefix of their names."""
    return gpu.shader.from_builtin(name if bpy.app.version >= (4, 0, 0) else "3D_" + name)


def draw_lines(lines, colour, width):
    line = shader("POLYLINE_UNIFORM_COLOR")
    line.bind()
    line.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    line.uniform_float("lineWidth", width)
    line.uniform_float("color", colour)
    batch_for_shader(line, "LINES", {"pos": numpy.ascontiguousarray(lines.reshape(-1, 3))}).draw(line)


def draw_faces(shapes, colour):
    fill = shader("UNIFORM_COLOR")
    fill.bind()
    fill.uniform_float("color", colour)
    batch_for_shader(fill, "TRIS", {"pos": numpy.ascontiguousarray(shapes.reshape(-1, 3))}).draw(fill)


def draw_contacts():
    context = bpy.context
    results = state.of(context.scene)
    settings = context.scene.pliant
    if results is None or not settings.show:
        return
    active = results.active(settings)
    frame = context.scene.frame_current
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE" if settings.xray else "LESS_EQUAL")
    try:
        if active is not None and active.worst == frame:
            for shapes, colour in zip(active.shapes, SIDES):
                draw_faces(shapes, colour)
        for number, lines in results.lines(frame):
            if len(lines):
                chosen = active is not None and number == active.id
                draw_lines(lines, ACTIVE if chosen else FAILS if results.by_id[number].fails else KNOWN, 4.0 if chosen else 2.5)
    finally:
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register():
    global handle
    if not bpy.app.background:
        handle = bpy.types.SpaceView3D.draw_handler_add(draw_contacts, (), "WINDOW", "POST_VIEW")


def unregister():
    global handle
    if handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    handle = None
    state.clear()
