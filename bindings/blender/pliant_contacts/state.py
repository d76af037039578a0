"""Results of the last run of each scene. They live as long as the file is open, and are not saved with it."""

_results = {}


class Results:
    def __init__(self, run):
        self.order, self.follower, self.findings = run.order, run.follower, run.findings
        self.names = [o.name for o in run.order.objects]
        self.by_id = {f.id: f for f in run.findings}

    def lines(self, frame):
        at = self.follower.frames.get(frame)
        return zip(at.ids, at.lines) if at else ()

    def active(self, settings):
        rows = settings.findings
        return self.by_id.get(rows[settings.index].number) if 0 <= settings.index < len(rows) else None

    def triangles(self, number, frame):
        """The triangles of a place in a frame: (object, triangles) of both sides."""
        at = self.follower.frames.get(frame)
        for i, n in enumerate(at.ids if at else ()):
            if n == number:
                return [(at.members[i][s], at.pairs[i][:, s]) for s in (0, 1)]
        return []


def of(scene):
    return _results.get(scene.name)


def put(scene, run):
    _results[scene.name] = Results(run)


def forget(scene):
    _results.pop(scene.name, None)


def clear():
    _results.clear()
