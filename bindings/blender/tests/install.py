"""blender -b --python install.py -- ADDON.zip: installs the add-on into the profile and switches it on for later starts."""

import sys

import bpy

bpy.ops.preferences.addon_install(filepath=sys.argv[sys.argv.index("--") + 1], overwrite=True)
bpy.ops.preferences.addon_enable(module="pliant_contacts")
bpy.context.preferences.view.show_splash = False
bpy.ops.wm.save_userpref()
