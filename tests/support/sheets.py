"""sheets.py FRAMES SIDE TOP STEP FLAT: in this folder, a/, a wavy sheet of SIDE x SIDE squares that sinks by STEP a frame from
the height TOP through b.obj, and folds over itself after FLAT frames; b.obj, a flat one; c.obj, another above it."""
import math, os, sys

def sheet(path, side, height, fold):
    with open(path, "w") as f:
        for i in range(side + 1):
            for k in range(side + 1):
                x, y = i / side, k / side
                z = height + 0.05 * math.sin(7 * x + 5 * y)
                if fold and x > 0.5:
                    x, z = 1 - x + 0.01 * y, z + 0.1 * math.sin(9 * y)
                f.write(f"v {x!r} {y!r} {z!r}\n")
        for i in range(side):
            for k in range(side):
                v = i * (side + 1) + k + 1
                f.write(f"f {v} {v + side + 1} {v + side + 2}\nf {v} {v + side + 2} {v + 1}\n")

frames, side, top, step, flat = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
os.mkdir("a")
for i in range(frames):
    sheet(f"a/a_{i}.obj", side, top - step * i, i >= flat)
sheet("b.obj", side, 0, False)
sheet("c.obj", side, 0.31, False)
