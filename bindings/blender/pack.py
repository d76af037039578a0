"""pack.py MODULE OUT.zip: the add-on with the compiled module inside, as Blender installs it. The same bytes for the same files."""

import os
import re
import sys
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
            with open(path, "rb") as data:
                file.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data.read(), zipfile.ZIP_DEFLATED)


def check_versions():
    """The version stands in three files; they must not differ."""
    with open(os.path.join(HERE, "..", "..", "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(pliant VERSION ([0-9.]+)", file.read())[1]
    for name, text in (("__init__.py", f"({version.replace('.', ', ')})"), ("blender_manifest.toml", f'version = "{version}"')):
        with open(os.path.join(HERE, "pliant_contacts", name), encoding="utf-8") as file:
            if text not in file.read():
                sys.exit(f"pack: {name} has another version than CMakeLists.txt, {version}")


main(*sys.argv[1:])
