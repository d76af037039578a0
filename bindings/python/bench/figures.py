"""Figures of the module: figures.py S1, where S1 is bench/s1.c, compiled. Results are compared before a time is printed."""

import os
import subprocess
import sys
import tempfile
import threading
import timeit

import numpy as np

import pliant


def small():
    context = pliant.Context(threads=1)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    a = context.free(corners, [[0, 1, 2]])
    b = context.free([[0.2, 0.2, -1], [0.2, 0.2, 1], [1, 1, 0]], [[0, 1, 2]])
    assert a.touching(b).array.tolist() == [[0, 0]]

    def step():
        a.set_positions(corners)
        return a.touching(b).array

    return min(timeit.repeat(step, number=20000, repeat=5)) / 20000 * 1e6


def bumpy(step, steps, rows=101, columns=102):
    """Two bumpy spheres of about 20 000 triangles; the second sinks into the first."""
    a = np.linspace(0, np.pi, rows + 1)[:, None]
    b = np.linspace(0, 2 * np.pi, columns, endpoint=False)[None]
    poses = []
    for k in range(2):
        radius = 1 + 0.05 * np.sin(7 * a + 0.1 * step) * np.cos(6 * b + k)
        poses.append(np.stack([radius * np.sin(a) * np.cos(b) + k * (2.2 - step / steps), radius * np.sin(a) * np.sin(b),
                               radius * np.cos(a)], -1).reshape(-1, 3).astype(np.float32))
    i, k = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    p, q, r, s = (u * columns + v % columns for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)))
    return poses, np.concatenate([np.stack([p, q, r], -1).reshape(-1, 3), np.stack([p, r, s], -1).reshape(-1, 3)]).astype(np.uint32)


class Player:
    """Two bodies in a context of their own; play() sets every pose and asks for the pairs."""

    def __init__(self, poses, triangles):
        self.poses = poses
        self.context = pliant.Context(threads=1)
        self.a, self.b = (self.context.free(p, triangles) for p in poses[0])

    def play(self, rounds):
        """The best time of a step in milliseconds, and the pairs of a round."""
        best, total, a, b = float("inf"), 0, self.a, self.b
        for _ in range(rounds):
            start, total = timeit.default_timer(), 0
            for p, q in self.poses:
                a.set_positions(p)
                b.set_positions(q)
                total += len(a.touching(b).array)
            best = min(best, (timeit.default_timer() - start) / len(self.poses) * 1e3)
        return best, total


def side_by_side(players, rounds):
    """Seconds for all of them, each in a thread of its own, from the moment when all are ready."""
    gate = threading.Barrier(len(players) + 1)

    def work(player):
        gate.wait()
        player.play(rounds)

    threads = [threading.Thread(target=work, args=(p,)) for p in players]
    for t in threads:
        t.start()
    gate.wait()
    start = timeit.default_timer()
    for t in threads:
        t.join()
    return timeit.default_timer() - start


def two_threads(poses, triangles, rounds=8, repeats=5):
    """How many times faster two threads play two scenes than one thread does: queries and updates, not the making of the bodies."""
    players = [Player([(p.copy(), q.copy()) for p, q in poses], triangles) for _ in range(2)]
    side_by_side(players, 2)
    one, two = [], []
    for _ in range(repeats):  # alternating
        one.append(sum(side_by_side([p], rounds) for p in players))
        two.append(side_by_side(players, rounds))
    return min(one) / min(two)


def main():
    print(f"set + pairs of two triangles: {small():.2f} us")
    steps = 60
    poses = [bumpy(i, steps)[0] for i in range(steps)]
    triangles = bumpy(0, steps)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s1")
        with open(path, "wb") as file:
            file.write(triangles.tobytes())
            for p, q in poses:
                file.write(p.tobytes() + q.tobytes())
        ours, theirs = [], []
        for _ in range(3):  # alternating
            ms, count = subprocess.run([sys.argv[1], path, str(steps), str(len(poses[0][0])), str(len(triangles))], check=True,
                                       capture_output=True, text=True).stdout.split()
            theirs.append(float(ms))
            ms, total = Player(poses, triangles).play(5)
            assert total == int(count), "Python and C found different pairs"
            ours.append(ms)
    print(f"S1, 2 x {len(triangles)}: {min(ours):.3f} ms, in C {min(theirs):.3f} ms, {min(ours) / min(theirs):.2f} times")
    print(f"two threads on two contexts: {two_threads(poses, triangles):.2f} times faster than one")


if __name__ == "__main__":
    main()
