"""A cloth falls on a ball: position-based dynamics in numpy, contacts from pliant.

    python3 cloth_on_ball.py [--steps 120] [--size 32] [--plot cloth.png]
"""

import argparse

import numpy as np

import pliant

RADIUS, THICKNESS, GRAVITY, STEP = 0.5, 0.02, -9.81, 1 / 120


def cloth_mesh(size):
    """A square of 2 x 2 above the ball."""
    x, y = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size), indexing="ij")
    positions = np.stack([x, y, np.full_like(x, 0.7)], axis=-1).reshape(-1, 3)
    corner = (np.arange(size - 1)[:, None] * size + np.arange(size - 1)).ravel()
    triangles = np.concatenate([np.stack([corner, corner + size, corner + 1], 1),
                                np.stack([corner + 1, corner + size, corner + size + 1], 1)])
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    return positions, triangles, edges


def ball_mesh(rows=24, columns=48):
    a = np.linspace(0, np.pi, rows + 1)[:, None]
    b = np.linspace(0, 2 * np.pi, columns, endpoint=False)[None]
    positions = RADIUS * np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a) + 0 * b], -1).reshape(-1, 3)
    i, k = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    p, q, r, s = (u * columns + v % columns for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)))
    triangles = np.concatenate([np.stack([p, q, r], -1).reshape(-1, 3), np.stack([p, r, s], -1).reshape(-1, 3)])
    return positions, triangles


def keep_lengths(positions, edges, lengths, degree, rounds=12):
    for _ in range(rounds):
        a, b = edges.T
        way = positions[b] - positions[a]
        now = np.linalg.norm(way, axis=1, keepdims=True)
        change = 0.5 * (1 - lengths / now) * way
        np.add.at(positions, a, change / degree[a] * 2)
        np.add.at(positions, b, -change / degree[b] * 2)


def simulate(steps=120, size=32):
    positions, triangles, edges = cloth_mesh(size)
    lengths = np.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1, keepdims=True)
    degree = np.bincount(edges.ravel(), minlength=len(positions))[:, None]
    cloth, ball = pliant.free(positions, triangles, name="cloth"), pliant.rigid(*ball_mesh(), name="ball")
    velocity = np.zeros_like(positions)
    history = []
    for _ in range(steps):
        before = positions.copy()
        velocity[:, 2] += GRAVITY * STEP
        positions += velocity * STEP
        keep_lengths(positions, edges, lengths, degree)
        # Vertices nearer to the ball than the cloth is thick are moved out, along the way from the closest point.
        nearest = ball.signed_distance(positions, margin=4 * THICKNESS)
        inside = nearest.distance < THICKNESS
        out = (positions - nearest.point) * np.sign(nearest.distance)[:, None]
        length = np.linalg.norm(out, axis=1, keepdims=True)
        inside &= (length[:, 0] > 0) & np.isfinite(nearest.distance)
        positions[inside] = (nearest.point + out / np.maximum(length, 1e-12) * THICKNESS)[inside]
        velocity = 0.99 * (positions - before) / STEP
        cloth.set_positions(positions)
        history.append((len(cloth.touching(ball)), len(cloth.near_triangles(ball, margin=2 * THICKNESS)), cloth.nearest(ball).distance))
    return positions, triangles, cloth, ball, history


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--plot", metavar="FILE", help="draw the last frame, triangles near the ball in red")
    options = parser.parse_args(arguments)
    positions, triangles, cloth, ball, history = simulate(options.steps, options.size)
    for step in range(0, options.steps, max(1, options.steps // 8)):
        touching, near, distance = history[step]
        print(f"step {step:4}: {touching:4} pairs touch, {near:5} are near, distance {distance:.4f}")
    print(f"at the end {history[-1][1]} pairs of triangles are within {2 * THICKNESS} of each other")
    if options.plot:
        axes = pliant.plot(positions, triangles, np.unique(cloth.near_triangles(ball, margin=2 * THICKNESS).array[:, 0]))
        axes.figure.savefig(options.plot)
        print(f"drawn in {options.plot}")
    return history


if __name__ == "__main__":
    main()
