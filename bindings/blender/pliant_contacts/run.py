"""A run over the frames of a scene, as a generator, so that it can be cancelled between two frames."""

import fnmatch

from .cache import Writer
from .follow import Follower, Restart
from .meshes import TYPES, Problem, Source, is_simulated, rest_pose
from .names import Namer, finding_name
from .rules import judge


class Order:
    """What is looked at: objects, frames, and the rule."""

    def __init__(self, objects, start, end, step=1, *, within=True, between=False, reference="FIRST", fail_on="NEW", depth=0.0,
                 ignore=()):
        self.objects, self.start, self.end, self.step = list(objects), start, end, step
        self.within, self.between, self.reference = within, between, reference
        self.fail_on, self.depth, self.ignore = fail_on, depth, tuple(ignore)
        if not self.objects:
            raise Problem("there is no object with faces to look at; select some, or choose a collection")
        if end < start or step < 1:
            raise Problem(f"there is no frame from {start} to {end}")

    @property
    def frames(self):
        return range(self.start, self.end + 1, self.step)


def choose(context, what, collection=None, patterns=None):
    """Objects with faces: the selected ones, all that are visible, or those of a collection."""
    candidates = {"SELECTED": lambda: context.selected_objects, "VISIBLE": lambda: context.visible_objects,
                  "COLLECTION": lambda: collection.all_objects if collection else ()}[what]()
    found = [o for o in candidates if o.type in TYPES and (o.type != "MESH" or o.data.polygons or o.modifiers)]
    if patterns:
        found = [o for o in found if any(fnmatch.fnmatchcase(o.name, p) for p in patterns)]
    return sorted(found, key=lambda o: o.name)


def play(context, order):
    """Yields frames and what a function finds out about them: (frame, poses). Ends at the frame where it began."""
    scene = context.scene
    before = scene.frame_current, scene.frame_subframe
    simulated = is_simulated(order.objects)
    for o in order.objects:
        if o.mode == "EDIT":
            o.update_from_editmode()
    try:
        wanted = order.frames
        for frame in range(min(scene.frame_start, order.start), order.end + 1) if simulated else wanted:
            scene.frame_set(frame)
            yield frame if frame in wanted else None, context.evaluated_depsgraph_get()
    finally:
        scene.frame_set(before[0], subframe=before[1])


def look(sources, order, depsgraph, frame):
    return [s.positions(o, depsgraph, frame) for s, o in zip(sources, order.objects)]


class Run:
    """Findings of an order. `steps()` yields the part that is done; what was found until then is there at any time."""

    def __init__(self, context, order):
        self.context, self.order = context, order
        self.follower, self.findings, self.done, self.frames_done = None, [], False, 0

    def steps(self):
        self.refer()
        total = len(self.order.frames)
        while True:
            self.frames_done = 0
            try:
                for frame, depsgraph in play(self.context, self.order):
                    if frame is not None:
                        self.follower.add(frame, look(self.sources, self.order, depsgraph, frame))
                        self.frames_done += 1
                    yield self.frames_done / total
                break
            except Restart:
                self.refer(again=True)
        self.done = True

    def refer(self, again=False):
        """Asks about the reference pose."""
        order, scene = self.order, self.context.scene
        before = scene.frame_current, scene.frame_subframe
        try:
            if not is_simulated(order.objects) or order.start <= scene.frame_start:
                scene.frame_set(order.start)
            with rest_pose(order.objects if order.reference == "REST" else ()):
                depsgraph = self.context.evaluated_depsgraph_get()
                if not again:
                    self.sources = [Source(o, depsgraph) for o in order.objects]
                poses = look(self.sources, order, depsgraph, order.start)
        finally:
            scene.frame_set(before[0], subframe=before[1])
        if not again:
            self.follower = Follower(self.sources, poses, within=order.within, between=order.between)
        if order.reference == "REST":
            self.follower.reference(poses)

    def finish(self):
        """Names and judges what was found, also by a run that was cancelled."""
        depsgraph = self.context.evaluated_depsgraph_get()
        namers = [Namer(o, w) for o, w in zip(self.order.objects, self.follower.bodies)]
        found = list(self.follower.findings.values())
        for f in found:
            f.sides = [namers[b].side(t, depsgraph) for b, t in zip(f.bodies, f.triangles)]
            f.name = finding_name(f.sides, f.depth)
        self.findings = judge(found, self.order.fail_on, self.order.depth, self.order.ignore)
        return self.findings


def export(context, order, folder):
    """Writes a cache of every object; yields the part that is done. A cancelled one leaves no half files."""
    writer, total = None, len(order.frames)
    try:
        for frame, depsgraph in play(context, order):
            if frame is not None:
                if writer is None:
                    sources = [Source(o, depsgraph) for o in order.objects]
                    writer = Writer(folder, sources, order.start, order.step)
                writer.add(look(sources, order, depsgraph, frame))
            yield (writer.count if writer else 0) / total
        writer.close()
        writer = None
    finally:
        if writer:
            writer.close(done=False)
