"""Files as bodies: single meshes, numbered sequences, and glTF scenes with their animations."""

import errno
import glob
import json
import os
import re

from . import _pliant

REST = -1  # no animation: the pose that the file gives
MOST_WEIGHT = 1e6  # of a morph target; files may go beyond 0 and 1
MOST_FRAMES = 1_000_000


def _reading(function, path, *more):
    """Call a reader; FileNotFoundError if there is nothing that the path, or a pattern, could mean."""
    try:
        return function(path, *more)
    except ValueError as error:
        name = os.fsdecode(path)
        if "\0" in name or os.path.lexists(name) or glob.glob(re.sub(r"%\d*d|#+", "*", name)):
            raise
        sentence = str(error).removeprefix(f"{name}: ")
    raise FileNotFoundError(errno.ENOENT, sentence, name)


def read(path, *, weld=True):
    """Return (positions, triangles) of an OBJ, PLY, STL, OFF or glTF file.

    Positions are float32, or float64 where the file has numbers that no float32 is. Of a glTF file all bodies at
    rest are one mesh; load() has its bodies and animations.

    weld  vertices at the very same position are one in the triangles, as by weld(); False: as the file has it
    """
    positions, triangles, _ = _reading(_pliant.read_mesh, path)
    return positions, _pliant.default_context().weld(positions, triangles) if weld else triangles


def load(path, *, scene=None, animation=None, weld=True, context=None, **settings):
    """Return a Film: the bodies of a file, in a scene, and their animation.

    path       a mesh (OBJ, PLY, STL, OFF), a glTF file (.gltf, .glb), or a sequence of meshes: a directory, a
               pattern such as 'cloth_*.obj' or 'cloth_%04d.obj'
    scene      glTF: name or number of the scene; None: the file's default one
    animation  glTF: name or number; None: the first one
    weld       vertices that are one point in every frame are one in the triangles, as by weld(), so that seams are
               no contacts; False: as the file has it
    settings   of the trees, as for free()

    A file that is missing raises FileNotFoundError.
    """
    _check_settings(settings)
    context = _pliant.default_context() if context is None else context
    name = os.fspath(path)
    if os.path.splitext(name)[1].lower() in (".gltf", ".glb"):
        return _load_gltf(name, scene, animation, context, settings, weld)
    if scene is not None or animation is not None:
        raise ValueError(f"{name}: only glTF files have scenes and animations; leave these arguments out")
    return _load_meshes(name, context, settings, weld)


def _check_settings(settings):
    known = [*json.loads(_pliant.default_settings), "borrow", "settings"] if settings else []
    for key in settings:
        if key not in known:
            raise TypeError(f"load() has no argument {key!r}; it has: path, scene, animation, weld, context, {', '.join(known)}")


class Film:
    """Bodies of a file, in a scene, and what moves them.

    bodies    list of Body
    scene     Scene of all of them
    duration  seconds (glTF), or the number of the last frame (sequences); 0 if nothing moves
    time      where it stands
    note      what the reader had to leave out, or ''
    """

    def __init__(self, path, bodies, context, duration, poser, note="", frames=False):
        self.path = path
        self.bodies = bodies
        self.scene = context.scene(bodies)
        self.duration = duration
        self.note = note
        self.time = 0.0
        self._poser = poser
        self._frames = frames
        self.seek(0)

    def __getitem__(self, name):
        """The body with this name, or number."""
        if isinstance(name, int):
            return self.bodies[name]
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(f"{self.path}: there is no body {name!r}; there are {', '.join(repr(b.name) for b in self.bodies)}")

    def __len__(self):
        return len(self.bodies)

    def __iter__(self):
        return iter(self.bodies)

    def __repr__(self):
        return f"<pliant.Film {os.path.basename(self.path)!r}: {len(self.bodies)} bodies, duration {self.duration:g}>"

    def seek(self, time):
        """Set all bodies to where they are at a time; a time beyond an end is that end: see `time`."""
        time = float(time)
        if time != time:
            raise ValueError("the time is not a number")
        time = min(max(time, 0.0), self.duration)
        self._poser(time)
        self.time = time

    def times(self, fps=30):
        """The times of the frames: every 1 / fps seconds, or every frame of a sequence."""
        fps = 1 if self._frames else fps
        count = int(self.duration * fps * (1 + 1e-7) + 1e-9) + 1
        if count > MOST_FRAMES:
            raise ValueError(f"{self.path}: {count} frames are too many; choose a lower fps")
        return [min(i / fps, self.duration) for i in range(count)]

    def play(self, fps=30):
        """Seek from frame to frame, and yield each time."""
        for time in self.times(fps):
            self.seek(time)
            yield time


class _Sequence:
    """The files of a sequence: all must have the triangles of the first."""

    def __init__(self, name):
        self.paths = _reading(_pliant.sequence, name)
        self.first, self.triangles, self.note = _reading(_pliant.read_mesh, self.paths[0])
        self.topology = bytes(memoryview(self.triangles))

    def positions(self, frame):
        positions, other, _ = _reading(_pliant.read_mesh, self.paths[frame])
        if len(positions) != len(self.first) or bytes(memoryview(other)) != self.topology:
            raise ValueError(f"{self.paths[frame]} has other triangles than {self.paths[0]}; all frames of a sequence must have the same")
        return positions

    def weld(self, context):
        """The triangles, welded over all frames. They are read only if the first one has something to weld."""
        triangles, labels = context.weld(self.first, self.triangles, return_map=True)
        for frame in range(1, len(self.paths)):
            if bytes(memoryview(triangles)) == self.topology:
                break
            triangles, labels = context.weld(self.positions(frame), self.triangles, labels=labels, return_map=True)
        return triangles


def _load_meshes(name, context, settings, weld):
    files = _Sequence(name)
    title = os.path.splitext(os.path.basename(files.paths[0]))[0]
    body = context.free(files.first, files.weld(context) if weld else files.triangles, name=title, **settings)
    current = [0]

    def pose(time):
        frame = int(time + 0.5)
        if frame == current[0]:
            return
        body.set_positions(files.positions(frame))
        current[0] = frame

    return Film(name, [body], context, float(len(files.paths) - 1), pose, files.note, frames=True)


def _choose(file, path, animation):
    names = [name for name, _ in file.animations()]
    if animation is None:
        return 0 if names else REST
    if isinstance(animation, int) and 0 <= animation < len(names):
        return animation
    if animation in names:
        return names.index(animation)
    listed = ", ".join(repr(n) for n in names) or "none"
    raise ValueError(f"{path}: there is no animation {animation!r}; there are: {listed}")


def _zeros(positions):
    blank = bytearray(memoryview(positions).nbytes)
    return memoryview(blank).cast(memoryview(positions).format)


def _load_gltf(path, scene, animation, context, settings, weld):
    file = _reading(_pliant.Gltf, path, None if scene is None else str(scene))
    number = _choose(file, path, animation)
    duration = file.animations()[number][1] if number >= 0 else 0.0
    entries = file.bodies()
    for i, entry in enumerate(entries if weld else ()):
        entry["triangles"] = file.weld(context, i)
    bodies = [_gltf_body(entry, context, settings) for entry in entries]

    def pose(time):
        for i, (body, (matrices, weights)) in enumerate(zip(bodies, file.at(number, time))):
            if body.motion == "skin":
                body.set_bones(matrices)
            elif body.motion == "free":
                body.set_positions(file.positions(number, time, i))
            else:
                body.set_transform(matrices[0])
                if body.motion == "morph":
                    body.set_weights(weights)

    return Film(path, bodies, context, duration, pose, file.note)


def _gltf_body(entry, context, settings):
    """A body for each kind of motion that a file has; one that both bends and morphs is evaluated by the reader."""
    positions, triangles, targets = entry["positions"], entry["triangles"], entry["targets"]
    options = dict(settings, name=entry["name"])
    morphs = targets and entry["morphs"]
    if entry["skin"] and morphs:
        return context.free(positions, triangles, **options)
    if entry["skin"]:
        joints, weights, bones = entry["skin"]
        return context.skin(positions, triangles, governors=joints, weights=weights, bone_count=bones, **options)
    if not morphs:
        return context.rigid(positions, triangles, **options)
    references = [positions] + [_zeros(positions) if t is None else t for t in targets]
    return context.morph(references, triangles, kind="additive", weight_low=-MOST_WEIGHT, weight_high=MOST_WEIGHT, **options)
