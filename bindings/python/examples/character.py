"""Where an animated character goes through itself: its parts through each other, and each through itself, as a curve.

    python3 character.py scene.glb [--fps 30] [--plot contacts.png]

Without a file two limbs that bend and morph are checked. Seams of files, vertices at equal positions with different indices, are no
contacts: load() welds them, as `pliant self` does.
"""

import argparse
import math

import numpy as np

import pliant


class Limbs:
    """Two arms that swing through each other, as pliant.load() would return them."""

    def __init__(self):
        rest, triangles = self.tube(0.0)
        bent, _ = self.tube(1.2)
        self.bodies = [pliant.morph([rest, bent], triangles, name=name) for name in ("left arm", "right arm")]
        self.scene = pliant.scene(self.bodies)
        self.duration = 2.0

    @staticmethod
    def tube(bend, rings=40, around=24):
        s = np.linspace(0, 1, rings)[:, None]
        angle = np.linspace(0, 2 * np.pi, around, endpoint=False)[None]
        way = bend * s
        x = (np.sin(way) / bend if bend else s) - 0.1 * np.cos(angle) * np.sin(way)
        z = ((1 - np.cos(way)) / bend if bend else 0 * s) + 0.1 * np.cos(angle) * np.cos(way)
        positions = np.stack([x + 0 * angle, 0.1 * np.sin(angle) + 0 * s, z], -1).reshape(-1, 3)
        i, k = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
        p, q, r, t = (u * around + v % around for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)))
        return positions, np.concatenate([np.stack([p, q, r], -1).reshape(-1, 3), np.stack([p, r, t], -1).reshape(-1, 3)])

    def play(self, fps):
        for frame in range(int(self.duration * fps) + 1):
            time = frame / fps
            swing = 0.5 - 0.5 * math.cos(math.pi * time)
            for body, side in zip(self.bodies, (1, -1)):
                body.set_weights([1 - swing, swing])
                body.set_transform([[1, 0, 0, 0], [0, 1, 0, 0.02 * side], [0, 0, side, -0.45 * side], [0, 0, 0, 1]])
            yield time


def check(film, fps):
    """Contacts per frame, and how many frames each pair of parts touches in."""
    times, counts, parts = [], [], {}
    for time in film.play(fps):
        contacts = film.scene.touching()
        own = [(body, len(body.touching())) for body in film.bodies]
        times.append(time)
        counts.append(len(contacts) + sum(count for _, count in own))
        for body, count in own:
            if count:
                parts[body.name, body.name] = parts.get((body.name, body.name), 0) + 1
        for a, b, _ in contacts.groups:
            parts[a.name, b.name] = parts.get((a.name, b.name), 0) + 1
    return times, counts, parts


def draw(path, times, counts):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="tight")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.fill_between(times, counts, color="#c62828", alpha=0.3)
    axes.plot(times, counts, color="#c62828")
    axes.set_xlabel("seconds")
    axes.set_ylabel("pairs of triangles that touch")
    figure.savefig(path)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", help="glTF file, or a sequence of meshes")
    parser.add_argument("--fps", type=float, default=30)
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args(arguments)
    film = pliant.load(options.file) if options.file else Limbs()
    times, counts, parts = check(film, options.fps)
    print(f"{len(times)} frames, {sum(c > 0 for c in counts)} with contacts")
    for (a, b), frames in sorted(parts.items(), key=lambda item: -item[1]):
        print(f"{a} touches {b if b != a else 'itself'} in {frames} frames")
    if any(counts):
        worst = max(range(len(counts)), key=counts.__getitem__)
        print(f"most at {times[worst]:.3f} s: {counts[worst]} pairs of triangles")
    if options.plot:
        draw(options.plot, times, counts)
        print(f"drawn in {options.plot}")
    return times, counts, parts


if __name__ == "__main__":
    main()
