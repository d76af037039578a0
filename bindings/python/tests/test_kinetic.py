"""What follows bodies with flight plans by events, and broad phases of continuous collision."""

import gc
import sys
import threading

import numpy
import pytest

import pliant
from conftest import sphere


def meeting(context, strategy="kinetic", keys=(0, 1)):
    """Two spheres that fly through each other between two keys."""
    points, triangles = sphere(6, 8, type=numpy.float64)
    flights = []
    for side in (-1, 1):
        poses = [points + [side * (2 - 3 * k), 0.1 * side, 0.05 * k] for k in range(len(keys))]
        flights.append(context.flight(poses, triangles, times=list(keys), strategy=strategy))
    return flights


def all_impacts(a, b, start, end):
    """The same by impacts(), between two times."""
    for body in (a, b):
        body.set_time(start)
        body.keep_pose()
        body.set_time(end)
    return a.impacts(b, all=True)


def test_separation_reports_what_impacts_does(context):
    a, b = meeting(context)
    wanted = all_impacts(a, b, 0, 1)
    for body in (a, b):
        body.drop_pose()
        body.set_time(0)
    list_ = a.separation(b)
    found = [list_.advance(time) for time in (0.2, 0.2, 0.55, 1)]
    assert [f.covered for f in found] == [(0, 0.2), (0.2, 0.2), (0.2, 0.55), (0.55, 1)]
    times = numpy.concatenate([f.time for f in found])
    features = [tuple(row) for f in found for row in numpy.column_stack([f.kind, f.features.reshape(-1, 4)]).tolist()]
    assert len(times) and (numpy.diff(times) >= 0).all()
    assert sorted(features) == sorted(map(tuple, numpy.column_stack([wanted.kind, wanted.features.reshape(-1, 4)]).tolist()))
    assert numpy.array_equal(numpy.sort(times), numpy.sort(wanted.time))
    info = list_.info()
    assert info["time"] == 1 and info["overlaps"] > 0 and info["tests"] > 0 and list_.bodies == (a, b) and list_.context is context
    with pytest.raises(ValueError):
        list_.advance(0.5)
    with pytest.raises(ValueError):
        list_.advance(2)
    with pytest.raises(TypeError):
        list_.advance("now")


def test_leaves_only_counts(context):
    a, b = meeting(context)
    list_ = a.separation(b, leaves_only=True)
    assert len(list_.advance(1)) == 0 and list_.info()["leaf_pairs"] > 0


def test_windows_equal_the_reference(context):
    a, b = meeting(context)
    found, wanted = a.windows(b), a.windows(b, reference=True)
    rows = lambda w: sorted(zip(w.time.tolist(), w.array[:, 0].tolist(), w.array[:, 1].tolist()))
    assert len(found) and rows(found) == rows(wanted) and (numpy.diff(found.time) >= 0).all()
    assert rows(a.windows(b, sorted=False)) == rows(wanted)
    touched = set(map(tuple, all_impacts(a, b, 0, 1).features.reshape(-1, 4).tolist()))
    assert touched and numpy.asarray(found).shape == (len(found), 2)


def test_candidates_equal_the_reference(context):
    points, triangles = sphere(5, 7, type=numpy.float64)
    a, b = context.free(points, triangles), context.free(points + [2.3, 0, 0], triangles)
    for body, shift in ((a, 0.4), (b, -0.4)):
        body.keep_pose()
        body.set_positions(body.positions + [shift, 0, 0])
    for other, margin in ((b, 0), (b, 0.2), (a, 0.01)):
        found, wanted = a.candidates(other, sorted=True, margin=margin), a.candidates(other, margin=margin, reference=True)
        for column in ("vertex_face", "face_vertex", "edge_edge", "edges_a", "edges_b"):
            assert numpy.array_equal(getattr(found, column), getattr(wanted, column)), column
        assert len(found.vertex_face) and len(found.edge_edge) and found.counters.n_v > 0
    assert len(a.candidates(b, vertex_face=False).vertex_face) == 0 and len(a.candidates(b, edge_edge=False).edge_edge) == 0
    edges = {tuple(sorted((t[i], t[i - 1]))) for t in triangles.tolist() for i in range(3)}
    assert set(map(tuple, found.edges_a.tolist())) == edges


def test_images_equal_casting(context):
    points, triangles = sphere(6, 8, type=numpy.float64)
    body = context.flight([points, points + [1, 0.2, 0], points + [0, 1, 0]], triangles, times=[0, 1, 2], strategy="kinetic")
    x, y = numpy.meshgrid(numpy.linspace(-2, 2, 24), numpy.linspace(-2, 2, 24))
    origins = numpy.stack([x, y, numpy.full_like(x, 5)], -1).reshape(-1, 3)
    image = body.kinetic_image(origins, [0, 0, -1])
    before = None
    for time in (0, 0.1, 0.1, 0.5, 1, 1.7, 0.3):
        body.set_time(time)
        found = image.update()
        assert numpy.array_equal(found.array, body.cast(origins, [0, 0, -1]).triangle) and found.time == time
        if before is not None:
            assert numpy.array_equal(found.changed, numpy.flatnonzero(found.array != before))
        before = found.array
    assert (before != pliant.NONE).any() and image.info()["starts"] >= 2 and image.bodies == (body,)


def test_what_is_wrong_is_refused(context, two):
    a, b = meeting(context)
    points, triangles = sphere(6, 8, type=numpy.float64)
    late = context.flight([points, points], triangles, times=[0, 3])
    for call in (lambda: two[0].separation(two[1]), lambda: a.separation(late), lambda: a.windows(late), lambda: two[0].windows(a),
                 lambda: two[0].kinetic_image([0, 0, 5], [0, 0, -1]), lambda: a.kinetic_image([0, 0, 5], [0, 0, 0]),
                 lambda: a.kinetic_image([[0, 0, 5]] * 2, [[0, 0, -1]] * 3), lambda: two[0].candidates(two[1], margin=-1)):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: a.separation(3), lambda: a.windows(3), lambda: a.candidates("b"), lambda: a.kinetic_image("x", "y"), lambda: pliant.Separation()):
        with pytest.raises(TypeError):
            call()


def test_they_may_go_in_any_order():
    """A list and an image keep their bodies and the context; bodies go after what follows them, also while the context is in use."""
    context = pliant.Context(threads=1)
    a, b = meeting(context)
    list_, image = a.separation(b), a.kinetic_image([[0, 0, 5]], [0, 0, -1])
    held = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(5):
        list_.advance(0.5).time, image.update().changed, list_.info(), image.info()
        with pytest.raises(ValueError):
            list_.advance(9)
    assert (sys.getrefcount(a), sys.getrefcount(b)) == held
    del context, a, b
    gc.collect()
    assert len(list_.advance(1)) and len(image.update()) == 1
    del list_, image
    busy = pliant.Context(threads=1)
    points, triangles = sphere(40, 60)
    big = busy.free(points, triangles), busy.free(points + numpy.float32(0.5), triangles)
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            big[0].touching(big[1])

    worker = threading.Thread(target=ask)
    worker.start()
    for _ in range(40):
        a, b = meeting(busy)
        list_, image = a.separation(b), b.kinetic_image([[0, 0, 5]], [0, 0, -1])
        del a, b
        del image, list_
    stop.set()
    worker.join()
