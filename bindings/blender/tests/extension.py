"""blender -b --factory-startup --python extension.py -- ADDON.zip FOLDER: what Blender 4.2 and later ask of an extension: the manifest,
and an add-on that works under the name bl_ext.user_default.pliant_contacts, as a part of packages that others share."""

import importlib
import json
import os
import sys
import tomllib
import zipfile

import bpy

TAGS = {"Mesh", "Animation", "Modeling", "Rigging", "Physics", "3D View", "Import-Export"}
PLATFORMS = {"windows-x64", "windows-arm64", "macos-x64", "macos-arm64", "linux-x64"}
path, folder = sys.argv[sys.argv.index("--") + 1:]

with zipfile.ZipFile(path) as file:
    names = file.namelist()
    assert len({n.partition("/")[0] for n in names}) == 1, "one folder, for both kinds of installation"
    assert {"pliant_contacts/__init__.py", "pliant_contacts/blender_manifest.toml"} <= set(names)
    manifest = tomllib.loads(file.read("pliant_contacts/blender_manifest.toml").decode())
    user = os.path.join(folder, "bl_ext", "user_default")
    file.extractall(user)
needed = {"schema_version", "id", "version", "name", "tagline", "maintainer", "type", "blender_version_min", "license"}
assert needed <= set(manifest) <= needed | {"tags", "platforms", "permissions", "website", "copyright"}, set(manifest)
assert manifest["schema_version"] == "1.0.0" and manifest["type"] == "add-on" and manifest["id"].isidentifier()
for text in [manifest["tagline"], *manifest["permissions"].values()]:
    assert 0 < len(text) <= 64 and text[-1].isalnum(), text
assert set(manifest["permissions"]) <= {"files", "network", "clipboard", "camera", "microphone"}
assert set(manifest["tags"]) <= TAGS and all(s.startswith("SPDX:") for s in manifest["license"])
assert set(manifest.get("platforms", PLATFORMS)) <= PLATFORMS, manifest["platforms"]
assert tuple(map(int, manifest["blender_version_min"].split("."))) >= (4, 2, 0)

sys.path.insert(0, folder)
before = set(sys.modules)
addon = importlib.import_module("bl_ext.user_default.pliant_contacts")
own = [n for n in set(sys.modules) - before if "pliant" in n and not n.startswith("bl_ext.user_default.pliant_contacts")]
assert not own, f"modules outside of the extension: {own}"
assert tuple(map(int, manifest["version"].split("."))) == addon.bl_info["version"]
addon.register()
assert any(n.startswith("PLIANT_PT") for n in dir(bpy.types)), "no panel"
bpy.ops.mesh.primitive_cube_add(size=2)
bpy.ops.mesh.primitive_cube_add(size=2, location=(1.5, 0.3, 0.2))
out = os.path.join(folder, "got.json")
addon.gate(json=out, end=2, between=True, reference="first", fail_on="any", leave=False)
with open(out, encoding="utf-8") as file:
    findings = json.load(file)["findings"]
assert len(findings) > 0 and findings[0]["depth"] > 0.4, findings[:1]  # two cubes of 2, 1.5 apart
addon.unregister()
