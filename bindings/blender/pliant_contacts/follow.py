"""Places where bodies intersect, followed from frame to frame. Knows nothing of Blender.

A place is a finding: a region keeps its id while it moves, as pliant.Tracker sees it. The first pose that is added is the
reference pose, which is not a frame.
"""

import numpy

from . import pliant
from .meshes import Problem


class Finding:
    """A place, over its frames; what it is called is set at the end, for its worst frame."""

    def __init__(self, number, frame, known, known_depth):
        self.id, self.first, self.last, self.worst = number, frame, frame, frame
        self.depth, self.area, self.length = -1.0, 0.0, 0.0
        self.known, self.known_depth = bool(known), float(known_depth)
        self.frames = 0
        self.name, self.sides = "", ()
        self.fails = self.ignored = False

    @property
    def kind(self):
        if self.ignored:
            return "ignored"
        return "new" if not self.known else "growing" if self.grows else "known"

    @property
    def grows(self):
        return self.depth > 1.1 * self.known_depth


class Frame:
    """What there is in a frame, for the list and for drawing."""

    def __init__(self):
        self.ids, self.depths, self.lines, self.pairs, self.counts, self.members = [], [], [], [], [], []


class Welded:
    """A body whose vertices are one where they are one point in every frame, as in the command."""

    def __init__(self, context, source, positions, within, name):
        self.source, self.within, self.name = source, within, name
        self.poses = [positions]
        self.weld(context)

    def weld(self, context):
        triangles, self.map = context.weld(self.poses[0], self.source.triangles, poses=self.poses, return_map=True)
        self.map = numpy.asarray(self.map)
        self.body = context.free(self.poses[0], triangles, name=self.name)

    def breaks(self, positions):
        """Whether vertices that are welded are apart in this pose; it is then added to the poses."""
        if numpy.array_equal(positions[self.map], positions):
            return False
        self.poses.append(positions)
        return True


class Restart(Exception):
    """A seam came apart: the frames before were asked with vertices that are not one."""


class Follower:
    def __init__(self, sources, poses, *, within=True, between=False, threads=0):
        self.context = pliant.Context(threads=threads)
        self.within, self.between = within, between
        self.bodies = [Welded(self.context, s, p, within, s.name) for s, p in zip(sources, poses)]
        self.start()

    def start(self):
        self.scene = self.context.scene()
        for b in self.bodies:
            self.scene.add(b.body, self_contacts=self.within, mask=0xFFFFFFFF if self.between else 0)
        self.tracker = self.context.tracker()
        self.findings, self.frames = {}, {}
        self.number = {id(b.body): i for i, b in enumerate(self.bodies)}

    def ask(self, poses):
        broken = [b for b, p in zip(self.bodies, poses) if b.breaks(p)]
        if broken:
            for b in broken:
                b.weld(self.context)
            self.start()
            raise Restart
        for b, p in zip(self.bodies, poses):
            b.body.set_positions(p)
        return self.scene.regions(track=self.tracker)

    def reference(self, poses):
        self.ask(poses)

    def add(self, frame, poses):
        found = self.ask(poses)
        at = self.frames[frame] = Frame()
        bodies = [self.number[id(b)] for b in found.bodies]
        columns = {name: numpy.asarray(getattr(found, name)) for name in
                   ("depth", "length", "area", "at", "deepest", "box", "member", "side", "range", "pairs", "contours", "closed", "points")}
        tracks = [numpy.asarray(getattr(found.tracks, name)) for name in ("id", "known", "known_depth")]
        for i in range(len(found)):
            row = {name: values[i] for name, values in columns.items() if name not in ("pairs", "contours", "closed", "points")}
            (pair_begin, pair_end), (begin, end) = row["range"]
            row["pairs"] = columns["pairs"][pair_begin:pair_end]
            row["bodies"] = [bodies[m] for m in row["member"]]
            lines = contour_lines(columns, int(begin), int(end))
            self.add_region(frame, at, row, lines, [t[i] for t in tracks], poses)

    def add_region(self, frame, at, row, lines, track, poses):
        number = int(track[0])
        at.ids.append(number)
        at.depths.append(float(row["depth"]))
        at.lines.append(lines)
        at.counts.append(len(row["pairs"]))
        at.pairs.append(row["pairs"].copy())
        at.members.append(row["bodies"])
        f = self.findings.get(number)
        if f is None:
            f = self.findings[number] = Finding(number, frame, track[1], track[2])
        f.last = frame
        f.frames += 1
        if row["depth"] > f.depth:
            self.set_worst(f, frame, row, poses)

    def set_worst(self, f, frame, row, poses):
        f.worst, f.depth, f.length, f.area = frame, float(row["depth"]), float(row["length"]), float(max(row["area"]))
        f.at = numpy.array(row["deepest"] if row["depth"] > 0 else row["at"])
        f.box = numpy.array(row["box"])
        first = int(row["side"])  # it is in the other one
        f.bodies = [row["bodies"][first], row["bodies"][1 - first]]
        f.triangles = [numpy.unique(row["pairs"][:, s]) for s in (first, 1 - first)]
        f.shapes = [poses[b][self.bodies[b].source.triangles[t]] for b, t in zip(f.bodies, f.triangles)]


def contour_lines(columns, begin, end):
    """The segments of contours, (n, 2, 3) float32."""
    pieces = []
    for (first, last), closed in zip(columns["contours"][begin:end], columns["closed"][begin:end]):
        line = columns["points"][first:last].astype(numpy.float32)
        if closed:
            line = numpy.concatenate([line, line[:1]])
        if len(line) > 1:
            pieces.append(numpy.stack([line[:-1], line[1:]], axis=1))
    return numpy.concatenate(pieces) if pieces else numpy.empty((0, 2, 3), numpy.float32)


__all__ = ["Finding", "Follower", "Problem", "Restart"]
