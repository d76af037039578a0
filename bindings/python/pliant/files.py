"""Files as bodies: single meshes, numbered sequences, and glTF scenes with their animations."""

import os

from . import _pliant

REST = -1  # no animation: the pose that the file gives
MOST_WEIGHT = 1e6  # of a morph target; files may go beyond 0 and 1
MOST_FRAMES = 1_000_000


def read(path):
    """Return (positions, triangles) of an OBJ, PLY, STL or OFF file.

    Positions are float32, or float64 where the file has numbers that no float32 is.
    """
    positions, triangles, _ = _pliant.read_mesh(path)
    return positions, triangles


def load(path, *, scene=None, animation=None, context=None, **settings):
    """Return a Film: the bodies of a file, in a scene, and their animation.

    path       a mesh (OBJ, PLY, STL, OFF), a glTF file (.gltf, .glb), or a sequence of meshes: a directory, a
               pattern such as 'cloth_*.obj' or 'cloth_%04d.obj'
    scene      glTF: name or number of the scene; None: the file's default one
    animation  glTF: name or number; None: the first one
    settings   of the trees, as for free()
    """
    context = _pliant.default_context() if context is None else context
    name = os.fspath(path)
    if os.path.splitext(name)[1].lower() in (".gltf", ".glb"):
        return _load_gltf(name, scene, animation, context, settings)
    if scene is not None or animation is not None:
        raise ValueError(f"{name}: only glTF files have scenes and animations; leave these arguments out")
    return _load_meshes(name, context, settings)


class Film:
    """Bodies of a file, in a scene, and what moves them.

    bodies    list of Body
    scene     Scene of all of them
    duration  seconds (glTF), or the number of the last frame (sequences); 0 if nothing moves
    time      where it stands
    note      what the reader had to leave out, or ''
    """

    def __init__(self, path, bodies, context, duration, poser, note="", step=None):
        self.path = path
        self.bodies = bodies
        self.scene = context.scene(bodies)
        self.duration = duration
        self.note = note
        self.time = 0.0
        self._poser = poser
        self._step = step
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
        """Set all bodies to where they are at a time; beyond the ends they stand still."""
        time = float(time)
        if time != time:
            raise ValueError("the time is not a number")
        self._poser(min(max(time, 0.0), self.duration))
        self.time = time

    def times(self, fps=30):
        """The times of the frames: every 1 / fps seconds, or every frame of a sequence."""
        step = self._step or 1 / fps
        count = int(self.duration / step * (1 + 1e-7) + 1e-9) + 1
        if count > MOST_FRAMES:
            raise ValueError(f"{self.path}: {count} frames are too many; choose a lower fps")
        return [min(i * step, self.duration) for i in range(count)]

    def play(self, fps=30):
        """Seek from frame to frame, and yield each time."""
        for time in self.times(fps):
            self.seek(time)
            yield time


def _load_meshes(name, context, settings):
    paths = _pliant.sequence(name)
    first, triangles, note = _pliant.read_mesh(paths[0])
    title = os.path.splitext(os.path.basename(paths[0]))[0]
    body = context.free(first, triangles, name=title, **settings)
    current = [0]

    def pose(time):
        frame = int(time + 0.5)
        if frame == current[0]:
            return
        positions, other, _ = _pliant.read_mesh(paths[frame])
        if len(positions) != body.vertex_count or bytes(memoryview(other)) != topology:
            raise ValueError(f"{paths[frame]} has other triangles than {paths[0]}; all frames of a sequence must have the same")
        body.set_positions(positions)
        current[0] = frame

    topology = bytes(memoryview(triangles)) if len(paths) > 1 else b""
    return Film(name, [body], context, float(len(paths) - 1), pose, note, step=1.0)


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


def _load_gltf(path, scene, animation, context, settings):
    file = _pliant.Gltf(path, None if scene is None else str(scene))
    number = _choose(file, path, animation)
    duration = file.animations()[number][1] if number >= 0 else 0.0
    bodies = [_gltf_body(entry, context, settings) for entry in file.bodies()]

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
