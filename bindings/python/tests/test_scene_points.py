"""Points, zones and rays of scenes, against the reference and against each body."""
import math

import numpy
import pytest

import pliant
from test_queries import bodies_of_all_kinds


def test_points_and_zones_of_scenes(context):
    bodies = list(bodies_of_all_kinds(context))
    scene = context.scene(bodies)
    points = numpy.random.default_rng(2).uniform(-3, 3, (700, 3))
    found, truth = scene.closest(points), scene.closest(points, reference=True)
    for column in ("distance", "point", "uv", "triangle", "member"):
        assert numpy.array_equal(getattr(found, column), getattr(truth, column))
    for i in range(0, len(points), 50):
        alone = bodies[found.member[i]].closest(points[i : i + 1])
        assert numpy.array_equal(alone.uv[0], found.uv[i]) and numpy.array_equal(alone.point[0], found.point[i]) and alone.triangle[0] == found.triangle[i]
    alone = numpy.array([numpy.asarray(b.closest(points).distance) for b in bodies])
    assert numpy.array_equal(found.distance, alone.min(axis=0)) and numpy.array_equal(found.member, alone.argmin(axis=0))
    assert found.bodies[found.member[0]] in bodies
    without = scene.closest(points, filter=lambda point, body, triangle: body is not bodies[0])
    assert numpy.array_equal(without.distance, alone[1:].min(axis=0))
    assert (scene.closest(points, mask=2).member == pliant.NONE).all() and scene.closest(points[:1], margin=0).triangle[0] == pliant.NONE
    sides, signed = scene.inside(points), scene.signed_distance(points)
    for result, slow in ((sides, scene.inside(points, reference=True)), (signed, scene.signed_distance(points, reference=True))):
        assert numpy.array_equal(result.side, slow.side) and numpy.array_equal(result.member, slow.member)
    each = numpy.array([numpy.asarray(b.signed_distance(points).distance) for b in bodies])
    assert numpy.array_equal(signed.distance, each.min(axis=0)) and numpy.array_equal(sides.side == pliant.INSIDE, (each < 0).any(axis=0))
    assert math.isinf(scene.cast([0, 0, -9], [0, 0, 1], mask=2).t[0])
    for zone in ({"box": ([0, 0, 0], [1, 2, 1])}, {"sphere": ([1, 0, 0], 0.5)}):
        meeting, slow = scene.overlap(**zone, sorted=True), scene.overlap(**zone, reference=True)
        assert meeting.array.tolist() == slow.array.tolist() and meeting.member.tolist() == slow.member.tolist()
        assert len(meeting) == sum(len(b.overlap(**zone)) for b in bodies) > 0
    assert len(scene.overlap(planes=[[1, 0, 0, -0.2]])) > 0
    with pytest.raises(ValueError, match="point 1 is not finite"):
        scene.closest([[0, 0, 0], [math.nan, 0, 0]])
    with pytest.raises(ValueError, match="32 bits"):
        scene.closest(points, mask=1 << 40)
