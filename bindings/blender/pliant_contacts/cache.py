"""A cache for the command: NAME.obj with the triangles of an object, and NAME.pc2 with its positions in every frame.

`pliant check FOLDER`, `pliant view NAME.pc2` and every other command read them.
"""

import os
import re
import struct


def file_name(name):
    """A name without what file systems do not like."""
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".") or "object"


class Writer:
    """Writes into files that get their names when they are whole."""

    def __init__(self, folder, sources, start, step):
        os.makedirs(folder, exist_ok=True)
        self.stems, self.sources, self.count = [], sources, 0
        self.sample, self.files = (start, step), []
        for s in sources:
            stem = file_name(s.name)
            while stem.lower() in (x.lower() for x in self.stems):
                stem += "_"
            self.stems.append(stem)
        self.folder = folder
        for stem, s in zip(self.stems, sources):
            self.files.append(open(self.path(stem, "pc2.part"), "wb"))
            self.head(self.files[-1], s)

    def path(self, stem, ending):
        return os.path.join(self.folder, f"{stem}.{ending}")

    def head(self, file, source):
        file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, source.vertex_count, *self.sample, self.count))

    def add(self, poses):
        if self.count == 0:
            for stem, s, p in zip(self.stems, self.sources, poses):
                write_obj(self.path(stem, "obj"), s, p)
        for file, p in zip(self.files, poses):
            file.write(p.astype("<f4").tobytes())
        self.count += 1

    def close(self, done=True):
        for stem, s, file in zip(self.stems, self.sources, self.files):
            file.seek(0)
            self.head(file, s)
            file.close()
            if done:
                os.replace(self.path(stem, "pc2.part"), self.path(stem, "pc2"))
            else:
                os.remove(self.path(stem, "pc2.part"))
        self.files = []


def write_obj(path, source, positions):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"o {file_name(source.name)}\n")
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in positions.astype(float).tolist())
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in (source.triangles.astype(int) + 1).tolist())
