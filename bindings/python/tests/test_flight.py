"""Bodies with flight plans."""

import numpy
import pytest

import pliant
from conftest import sphere


def plans(context, **more):
    start, triangles = sphere(type=numpy.float64)
    return context.flight([start, start + [2, 0, 0], start + [2, 1, 0]], triangles, times=[0, 1, 3], **more), start, triangles


@pytest.mark.parametrize("strategy", ["kinetic", "auto", "bottom-up", "boxtree"])
def test_time_moves_it(context, strategy):
    body, start, triangles = plans(context, strategy=strategy)
    still = context.free(start + [2.5, 0.2, 0.1], triangles)
    assert body.motion == "flight"
    for time, shift in ((0, [0, 0, 0]), (0.5, [1, 0, 0]), (1, [2, 0, 0]), (2, [2, 0.5, 0]), (3, [2, 1, 0]), (0.25, [0.5, 0, 0])):
        body.set_time(time)
        assert numpy.allclose(body.positions, start + shift, atol=1e-12)
        pairs = body.touching(still, sorted=True)
        assert numpy.array_equal(pairs, body.touching(still, sorted=True, reference=True))
        assert (len(pairs) > 0) == (shift[0] >= 1)
    info = body.flight_info()
    assert info["time"] == 0.25 and info["start"] == 0 and info["end"] == 1 and info["last_time"] == 3
    body.validate()


def test_quadratic_paths(context):
    start, triangles = sphere(type=numpy.float64)
    body = context.flight([start, start + [1, 2, 0], start + [2, 0, 0]], triangles, times=[0, 1], path="quadratic", strategy="kinetic")
    body.set_time(0.5)
    assert numpy.allclose(body.positions, start + [1, 1, 0])


def test_plans_change(context):
    body, start, triangles = plans(context, strategy="kinetic")
    body.add_key(4, [start])
    body.set_time(3.5)
    assert numpy.allclose(body.positions, start + [1, 0.5, 0])
    body.change_plans([0, 5], [start[[0, 5]] + [9, 9, 9]])
    body.set_time(4)
    moved = start.copy()
    moved[[0, 5]] += 9
    assert numpy.allclose(body.positions, moved)
    body.set_triangles(triangles[:10])
    assert body.triangle_count == 10 and numpy.array_equal(body.triangles, triangles[:10])
    body.validate()


def test_what_is_wrong_is_refused(context, two):
    body, start, triangles = plans(context)
    with pytest.raises(TypeError, match="times"):
        context.flight([start], triangles)
    with pytest.raises(ValueError):
        context.flight([start, start], triangles, times=[1, 0])
    with pytest.raises(ValueError):
        context.flight([start], triangles, times=[0, 1])
    with pytest.raises(ValueError, match="path"):
        context.flight([start], triangles, times=[0], path="cubic")
    for call in (lambda: body.set_time(7), lambda: body.set_time(float("nan")), lambda: body.add_key(2, [start]), lambda: body.add_key(9, [start[:3]]),
                 lambda: body.change_plans([0, 1], [start[:2]] * 5), lambda: body.set_triangles([[0, 1, 9999]]), lambda: two[0].set_time(0),
                 lambda: pliant.free(start, triangles).add_key(1, [start])):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        body.set_time("now")
    with pytest.raises(TypeError):
        body.add_key(9, 3)
    assert body.flight_info()["time"] == 0 and numpy.array_equal(body.positions, start)
