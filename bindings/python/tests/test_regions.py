"""Regions against the reference, and what they hold."""

import numpy
import pytest
from test_contact import two_in

import pliant


def same(a, b):
    return all(numpy.array_equal(getattr(a, name), getattr(b, name))
               for name in ("depth", "length", "area", "box", "member", "pairs", "contours", "closed", "points"))


def test_two_bodies(context):
    a, b = two_in(context)
    found = a.regions(b)
    assert len(found) == 1 and [x.name for x in found.bodies] == ["a", "b"]
    assert same(found, a.regions(b, reference=True))
    assert numpy.asarray(found.member).tolist() == [[0, 1]] and numpy.asarray(found.cut_off).tolist() == [[1, 1]]
    assert {tuple(p) for p in numpy.asarray(found.pairs).tolist()} == {tuple(p) for p in numpy.asarray(a.touching(b)).tolist()}
    (begin, end), = numpy.asarray(found.contours).tolist()
    line = numpy.asarray(found.points)[begin:end]
    assert numpy.asarray(found.closed).tolist() == [1]
    length = numpy.linalg.norm(line - numpy.roll(line, -1, axis=0), axis=1).sum()
    assert abs(length - numpy.asarray(found.length)[0]) < 1e-9
    deepest = numpy.asarray(found.deepest)[0]
    assert abs(numpy.linalg.norm(deepest - numpy.asarray(found.surface)[0]) - numpy.asarray(found.depth)[0]) < 1e-9
    plain = a.regions(b, patches=False)
    assert numpy.asarray(plain.depth).tolist() == [0] and same_contours(plain, found)


def same_contours(a, b):
    return numpy.array_equal(a.points, b.points) and numpy.array_equal(a.length, b.length)


def test_itself_and_options(context):
    a, b = two_in(context)
    assert len(a.regions()) == 0 and a.regions().bodies == (a,)
    torn = a.regions(b, filter=lambda x, y, i, k: x is a and y is b and i % 5 != 0)
    assert len(torn) > 1 and (numpy.asarray(torn.counts)[:, 0] == 2).any()
    assert a.regions(b, budget_tests=1).partial
    with pytest.raises(TypeError):
        a.regions(3)
    with pytest.raises(TypeError):
        a.regions(b, ring=2)
    with pytest.raises(ZeroDivisionError):
        a.regions(b, filter=lambda *_: 1 / 0)


def test_scene(context):
    a, b = two_in(context)
    scene = context.scene()
    for body in (a, b):
        scene.add(body, self_contacts=True)
    found = scene.regions()
    assert len(found) == 1 and same(found, scene.regions(reference=True)) and same_contours(found, a.regions(b))


def test_tracker(context):
    """A region keeps its id while it grows, ends when it goes, and has another one when it comes back."""
    a, b = two_in(context)
    away = numpy.array(b.positions)
    tracker = context.tracker()
    first = a.regions(b, track=tracker)
    assert tracker.context is context and numpy.asarray(first.tracks.id).tolist() == [1] and len(first.ended) == 0
    assert numpy.asarray(first.tracks.known).tolist() == [1] and numpy.asarray(first.side).tolist() in ([0], [1])
    b.set_positions(away - numpy.array([0.1, 0, 0], away.dtype))
    deeper = a.regions(b, track=tracker)
    assert numpy.asarray(deeper.tracks.id).tolist() == [1] and numpy.asarray(deeper.tracks.age).tolist() == [1]
    assert numpy.asarray(deeper.tracks.last_depth)[0] == numpy.asarray(first.depth)[0] < numpy.asarray(deeper.depth)[0]
    assert numpy.asarray(deeper.tracks.known_depth)[0] == numpy.asarray(first.depth)[0]
    b.set_positions(away + numpy.array([5, 0, 0], away.dtype))
    gone = a.regions(b, track=tracker)
    assert len(gone.tracks) == 0 and numpy.asarray(gone.ended.id).tolist() == [1] and numpy.asarray(gone.ended.into).tolist() == [0]
    b.set_positions(away)
    again = context.scene([a, b]).regions(track=tracker)
    assert numpy.asarray(again.tracks.id).tolist() == [2] and numpy.asarray(again.tracks.born).tolist() == [1]
    assert not hasattr(a.regions(b), "tracks")
    with pytest.raises(TypeError):
        a.regions(b, track=3)
    with pytest.raises(ValueError):
        a.regions(b, track=pliant.Context(threads=1).tracker())
