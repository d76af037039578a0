"""The platform tag of a compiled module: manylinux_2_N, where N is the newest version of glibc of which it uses a symbol.

What PEP 600 and auditwheel ask of such a wheel: it needs no library but those that every Linux has, and no symbol of a version
that is newer than its tag. Reads the ELF file by itself, so that whoever builds a wheel needs no further program.

    python3 wheel_tag.py _pliant.abi3.so
"""

import re
import struct
import sys

EVERYWHERE = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1"}
LOADER = re.compile(r"ld-linux.*\.so\.\d+|ld64\.so\.\d+")
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine
OLDEST = {"x86_64": 5, "aarch64": 17}  # the first manylinux of a machine
DYNAMIC, VERSIONS_NEEDED = 6, 0x6FFFFFFE  # types of sections
NEEDED = 1  # of an entry of the dynamic section


class Module:
    """The parts of a 64-bit little-endian ELF file that say what it needs."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError("this is no 64-bit little-endian ELF file")
        self.data = data
        self.machine = MACHINES.get(struct.unpack_from("<H", data, 18)[0])
        offset, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        # of each section: name, type, flags, address, offset, size, link, info, alignment, entry
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]

    def text(self, section, at):
        begin = self.sections[section[6]][4] + at
        return self.data[begin:self.data.index(b"\0", begin)].decode()

    def of_type(self, kind):
        return [s for s in self.sections if s[1] == kind]

    def libraries(self):
        for section in self.of_type(DYNAMIC):
            for at in range(section[4], section[4] + section[5], 16):
                tag, value = struct.unpack_from("<qQ", self.data, at)
                if tag == NEEDED:
                    yield self.text(section, value)

    def versions(self):
        """Names of the versions of symbols that are used, such as GLIBC_2.34."""
        for section in self.of_type(VERSIONS_NEEDED):
            at = section[4]
            for _ in range(section[7]):
                _, count, _, first, following = struct.unpack_from("<HHIII", self.data, at)
                entry = at + first
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<IHHII", self.data, entry)
                    yield self.text(section, name)
                    entry += step
                at += following


def foreign_libraries(module):
    return sorted(name for name in module.libraries() if name not in EVERYWHERE and not LOADER.fullmatch(name))


def newest_glibc(module):
    """The second number of the version; None if it uses none."""
    found = [int(match[1]) for match in (re.fullmatch(r"GLIBC_2\.(\d+)(?:\.\d+)?", v) for v in module.versions()) if match]
    return max(found, default=None)


def platform_tag(path):
    """Return the tag, or None for a module that is not for every Linux with a glibc: it keeps the tag of this machine."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        return None
    module = Module(data)
    newest = newest_glibc(module)
    if newest is None or module.machine is None or foreign_libraries(module):
        return None
    return f"manylinux_2_{max(newest, OLDEST[module.machine])}_{module.machine}"


if __name__ == "__main__":
    print(platform_tag(sys.argv[1]))
