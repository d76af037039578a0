"""pack.py MODULE OUT.zip: the add-on with the compiled module inside, as Blender installs it. The same bytes for the same files."""

import os
import re
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main(module, out):
    addon = os.path.join(HERE, "pliant_contacts")
    entries = {f"pliant_contacts/{f}": os.path.join(addon, f) for f in os.listdir(addon) if f.endswith((".py", ".toml"))}
    entries |= {f"pliant_contacts/pliant/{f}": os.path.join(module, f) for f in os.listdir(module)
                if f.endswith((".py", ".so", ".pyd"))}
    entries["pliant_contacts/LICENSE"] = os.path.join(HERE, "..", "..", "LICENSE")
    check_versions()
    if not any("_pliant" in name for name in entries):
        sys.exit(f"pack: {module} has no compiled module")
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in sorted(entries.items()):
            with open(path, "rb") as source:
                data = source.read()
            if name.endswith("blender_manifest.toml"):
                data = with_platform(data)
            file.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def with_platform(manifest):
    """The manifest with the platform of the compiled module, so that Blender refuses the zip on others with a clear message."""
    system, _, rest = sysconfig.get_platform().partition("-")
    system = {"linux": "linux", "win": "windows", "macosx": "macos"}.get(system)
    machine = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}.get(rest.rpartition("-")[2])
    if not system or not machine:
        return manifest
    return manifest.replace(b"\n[permissions]", f'platforms = ["{system}-{machine}"]\n\n[permissions]'.encode(), 1)


def check_versions():
    """The version stands in three files; they must not differ."""
    with open(os.path.join(HERE, "..", "..", "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(pliant VERSION ([0-9.]+)", file.read())[1]
    for name, text in (("__init__.py", f"({version.replace('.', ', ')})"), ("blender_manifest.toml", f'version = "{version}"')):
        with open(os.path.join(HERE, "pliant_contacts", name), encoding="utf-8") as file:
            if text not in file.read():
                sys.exit(f"pack: {name} has another version than CMakeLists.txt, {version}")


main(*sys.argv[1:])
