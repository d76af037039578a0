"""pliant_mpi from Python: a scene over all ranks gives the bytes of a scene over one, frame after frame; bad input on one rank raises on all."""
import numpy
from mpi4py import MPI

import pliant_mpi

comm = MPI.COMM_WORLD


def sheet(n, frame, body):
    u, v = (a.ravel() for a in numpy.meshgrid(numpy.linspace(0, 1, n), numpy.linspace(0, 1, n), indexing="ij"))
    t = 0.1 * frame
    if body == 1:
        return numpy.stack([2 * u - 1, 0.05 * numpy.sin(9 * u + t) + 0.3, 2 * v - 1], axis=1)
    return numpy.stack([0.6 * numpy.sin(7 * u + t) + 0.1 * v, 2 * v - 1, 0.4 * numpy.sin(11 * u + 3 * v + 2 * t)], axis=1)


def squares(n):
    i = numpy.arange(n * n).reshape(n, n)
    a, b, c, d = i[:-1, :-1].ravel(), i[1:, :-1].ravel(), i[1:, 1:].ravel(), i[:-1, 1:].ravel()
    return numpy.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3).astype(numpy.uint32)


def part(xyz, triangles):
    """Every size-th triangle."""
    ids = numpy.arange(comm.rank, len(triangles), comm.size)
    vertices, local = numpy.unique(triangles[ids], return_inverse=True)
    return xyz[vertices], local.reshape(-1, 3), vertices, ids


def make(over, whole):
    scene = pliant_mpi.Scene(over, patches=16)
    for body, n in enumerate((14, 9)):
        xyz, triangles = sheet(n, 0, body), squares(n)
        if whole:
            root = over.size - 1
            mine = (xyz, triangles) if over.rank == root else (None, None)
            number = scene.add_whole(*mine, root=root, self_contact=body == 0)
        else:
            number = scene.add_part(*part(xyz, triangles), self_contact=body == 0)
        assert number == body
    return scene


def ask(scene, frame, root):
    rays = numpy.random.default_rng(frame).normal(size=(50, 3))
    rows = {"touching": scene.touching(root=root), "near triangles": scene.near_triangles(0.05, root=root),
            "near": scene.near(0.02, root=root), "nearest": numpy.atleast_1d(scene.nearest(0.5)), "rays": scene.cast(3 * rays, -rays)}
    if frame:
        rows["impacts"], time, safe = scene.impacts(root=root)
        rows["first"] = numpy.array([time, safe])
    scene.keep_poses()
    return rows


def move(scene, frame):
    for body, n in enumerate((14, 9)):
        xyz = sheet(n, frame, body)
        if frame % 2:
            scene.set_positions(body, xyz[scene.vertices(body)])
        else:
            scene.scatter_positions(body, xyz if scene._comm.rank == 0 else None)


def compare(whole):
    seen = {}
    alone = make(MPI.COMM_SELF, True) if comm.rank == 0 else None
    with make(comm, whole) as scene:
        for frame in range(4):
            move(scene, frame)
            got = ask(scene, frame, 0)
            if alone:
                move(alone, frame)
                for name, rows in ask(alone, frame, 0).items():
                    assert rows.tobytes() == got[name].tobytes(), f"frame {frame}, {name}: {len(got[name])} rows for {len(rows)}"
                    seen[name] = seen.get(name, 0) + len(rows)
            own = scene.touching()
            assert comm.allreduce(len(own)) == comm.bcast(len(got["touching"])), "rows of owners"
            scene.rebalance(1)
        assert scene.counters["n_v"] > 0
    if alone:
        alone.close()
        assert all(seen.values()), seen
    return seen


def refused(kind, text, call):
    try:
        call()
    except kind as wrong:
        assert text in str(wrong), wrong
    else:
        raise AssertionError(f"{text}: nothing was raised")


def wrong_input():
    last = comm.rank == comm.size - 1
    with make(comm, True) as scene:
        before = scene.touching(root=0)
        count = len(scene.vertices(0))
        bad = sheet(14, 0, 0)[scene.vertices(0)]
        bad[-1, 2] = numpy.nan if last else 0
        refused(ValueError, f"rank {comm.size - 1}: ", lambda: scene.set_positions(0, bad))
        refused(ValueError, "(n, 3) is wanted", lambda: scene.set_positions(0, bad[:, :2] if last else bad))
        refused(ValueError, "positions for", lambda: scene.set_positions(0, bad[:count - 1]))
        refused(ValueError, "there is no body 7", lambda: scene.set_positions(7, bad))
        refused(ValueError, "margin", lambda: scene.near(-1))
        assert scene.touching(root=0).tobytes() == before.tobytes()
    refused(ValueError, "", lambda: pliant_mpi.Scene(comm, patches=0))


found = compare(True)
compare(False)
wrong_input()
if comm.rank == 0:
    print(f"done {comm.size}:", ", ".join(f"{count} {name}" for name, count in found.items()))
