"""Finds where characters, cloth and props go through themselves and each other, over an animation.

In Blender: the tab "Pliant" of the sidebar of a 3D view. Without a window:

    blender -b shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate(depth='2mm')"

As an extension, Blender 4.2 and later, its name is bl_ext.user_default.pliant_contacts.
"""

bl_info = {
    "name": "Pliant Contacts",
    "author": "The pliant project",
    "version": (0, 3, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Pliant",
    "description": "Finds where meshes intersect over an animation: which frames, how deep, which bones",
    "category": "Mesh",
}

from . import draw, operators, panel
from .headless import gate

__all__ = ["bl_info", "gate", "register", "unregister"]


def register():
    panel.register()
    operators.register()
    draw.register()


def unregister():
    draw.unregister()
    operators.unregister()
    panel.unregister()
