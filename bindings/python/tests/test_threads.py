"""Several Python threads: on one body, on one scene, on contexts of their own; and that queries let others run."""

import threading
import time

import numpy
from conftest import sphere

import pliant


def run(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not any(t.is_alive() for t in threads), "threads wait for each other"
    if errors:
        raise errors[0]


def test_one_body_many_threads():
    context = pliant.Context(threads=2)
    positions, triangles = sphere(rows=10, columns=16)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.3), triangles)
    truth = numpy.asarray(a.touching(b, sorted=True)).tolist()
    hits = a.cast(positions * 3, -positions).t.tolist()

    def query():
        for _ in range(40):
            assert numpy.asarray(a.touching(b, sorted=True)).tolist() == truth

    def cast():
        for _ in range(40):
            assert a.cast(positions * 3, -positions).t.tolist() == hits

    def move():
        for _ in range(40):
            a.set_positions(positions)

    def create():
        for _ in range(40):
            context.free(positions, triangles).touching(b)

    def fail():
        for i in range(40):
            try:
                a.set_positions(numpy.full_like(positions, numpy.nan))
                raise AssertionError("NaN was accepted")
            except ValueError as e:
                assert "vertex" in str(e)

    run(query, query, cast, move, create, fail)


def test_one_scene_many_threads():
    context = pliant.Context(threads=1)
    positions, triangles = sphere(rows=6, columns=8)
    bodies = [context.free(positions + numpy.float32(0.2 * i), triangles) for i in range(6)]
    scene = context.scene(bodies[:3])

    def come_and_go(body):
        for _ in range(40):
            scene.add(body)
            scene.remove(body)

    def ask():
        for _ in range(40):
            found = scene.touching()
            for a, b, part in found.groups:
                assert a is not b and part.stop > part.start
            assert found.members.max() < len(found.bodies)
            hits = scene.cast([[0, 0, -5]], [0, 0, 1])
            assert hits.bodies[hits.member[0]] in bodies

    run(ask, ask, *(lambda b=b: come_and_go(b) for b in bodies[3:]))
    assert scene.bodies == tuple(bodies[:3])


def test_filters_and_other_threads():
    """A filter takes the interpreter's lock while another thread waits for the context, and destroys bodies of it."""
    context = pliant.Context(threads=2)
    positions, triangles = sphere(rows=10, columns=16)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.3), triangles)
    spare = [context.free(positions, triangles) for _ in range(30)]
    count = len(a.touching(b))

    def keep(i, k):
        if spare:
            spare.pop()
        return True

    def query():
        for _ in range(5):
            assert len(a.touching(b, filter=keep)) == count

    def other():
        for _ in range(50):
            assert len(a.touching(b)) == count

    run(query, other, query)
    assert not spare


def test_the_interpreter_is_free_during_a_query():
    """Another thread counts while one long query runs: with the lock held it would stand still."""
    context = pliant.Context(threads=1)
    positions, triangles = sphere(rows=22, columns=30)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.01), triangles)
    steps, busy = [0], [True]

    def count():
        while busy[0]:
            steps[0] += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    before = steps[0]
    a.near_triangles(b, margin=0.5, reference=True)  # every triangle against every other
    during = steps[0] - before
    busy[0] = False
    counter.join()
    assert during > 10


def test_two_contexts():
    positions, triangles = sphere(rows=10, columns=16)

    def work():
        context = pliant.Context(threads=1)
        a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.3), triangles)
        truth = numpy.asarray(a.touching(b)).tolist()
        for _ in range(50):
            a.set_positions(positions)
            assert numpy.asarray(a.touching(b)).tolist() == truth

    run(work, work)
