"""A batch of rays as a depth image: what a camera sees of a file, or of a bumpy ball.

    python3 depth_image.py [FILE] [--width 320] [--out depth.png]
"""

import argparse

import numpy as np

import pliant


def bumpy_ball(rows=64, columns=128):
    a = np.linspace(0, np.pi, rows + 1)[:, None]
    b = np.linspace(0, 2 * np.pi, columns, endpoint=False)[None]
    radius = 1 + 0.1 * np.sin(6 * a) * np.cos(5 * b)
    positions = (radius[..., None] * np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a) + 0 * b], -1)).reshape(-1, 3)
    i, k = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    p, q, r, s = (u * columns + v % columns for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)))
    return positions, np.concatenate([np.stack([p, q, r], -1).reshape(-1, 3), np.stack([p, r, s], -1).reshape(-1, 3)])


def camera(lower, upper, width, height):
    """Origin and directions, one for each pixel, of a camera that sees a box from the front."""
    centre, size = (lower + upper) / 2, np.linalg.norm(upper - lower)
    origin = centre + np.array([0, -1.6, 0.4]) * size
    forward = (centre - origin) / np.linalg.norm(centre - origin)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    x = (np.arange(width) + 0.5 - width / 2) / height
    y = (height / 2 - np.arange(height) - 0.5) / height
    directions = forward + 0.8 * (x[None, :, None] * right + y[:, None, None] * up)
    return origin, directions.reshape(-1, 3)


def depth_image(scene, width, height):
    boxes = np.array([body.box for body in scene.bodies], float)
    origin, directions = camera(boxes[:, 0].min(0), boxes[:, 1].max(0), width, height)
    hits = scene.cast(origin, directions, coherent=True)
    depth = hits.t.reshape(height, width)  # inf where nothing was hit; the forward part of a direction has length 1
    normal = hits.normal / np.maximum(np.linalg.norm(hits.normal, axis=1, keepdims=True), 1e-300)
    facing = np.abs((normal * directions).sum(1) / np.linalg.norm(directions, axis=1)).reshape(height, width)
    return depth, facing, hits


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--out", metavar="FILE", help="PNG, needs matplotlib")
    options = parser.parse_args(arguments)
    scene = pliant.load(options.file).scene if options.file else pliant.scene([pliant.free(*bumpy_ball(), name="ball")])
    depth, facing, hits = depth_image(scene, options.width, options.width * 3 // 4)
    seen = np.isfinite(depth)
    if not seen.any():
        raise SystemExit("no ray hits anything")
    ms = hits.counters.ms_update + hits.counters.ms_query
    print(f"{depth.size} rays in {ms:.1f} ms, {seen.mean():.0%} hit, depth {depth[seen].min():.3f} to {depth[seen].max():.3f}")
    if options.out:
        from matplotlib.image import imsave

        near, far = depth[seen].min(), depth[seen].max()
        shade = np.where(seen, (1 - 0.6 * (depth - near) / max(far - near, 1e-12)) * (0.3 + 0.7 * facing), 0)
        imsave(options.out, np.nan_to_num(shade), cmap="gray", vmin=0, vmax=1)
        print(f"drawn in {options.out}")
    return depth


if __name__ == "__main__":
    main()
