"""Segments, penetration, volumes, regions, and queries of scenes, against the reference."""

import math

import numpy
import pytest
from conftest import sphere
from test_queries import bodies_of_all_kinds, rows


def two_in(context, shift=1.2):
    """Two closed balls that overlap."""
    positions, triangles = sphere(rows=8, columns=10)
    a = context.free(positions, triangles, name="a")
    b = context.free(positions + numpy.array([shift, 0.1, 0.05], numpy.float32), triangles, name="b")
    return a, b


def test_segments_and_penetration(context):
    a, b = two_in(context)
    pairs = a.touching(b)
    segments = a.segments(b, pairs)
    assert len(segments) == len(pairs) > 10 and numpy.asarray(segments.touches).all()
    ends = numpy.asarray(segments.ends)
    for body, column in ((a, pairs.a), (b, pairs.b)):  # both ends lie in both triangles
        corners = numpy.asarray(body.positions)[numpy.asarray(body.triangles)[numpy.asarray(column)]]
        normal = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        for end in (0, 1):
            away = numpy.einsum("ij,ij->i", normal, ends[:, end] - corners[:, 0]) / numpy.linalg.norm(normal, axis=1)
            assert abs(away).max() < 1e-12
    assert not numpy.asarray(a.segments(b, [[0, 0]] * 3).touches).any() or (0, 0) in rows(pairs)
    for wrong in ([[0, b.triangle_count]], [0, 1, 2], [[0.5, 1]]):
        with pytest.raises((ValueError, TypeError)):
            a.segments(b, wrong)
    deep, truth = a.penetrations(b, relative=0.001), a.penetrations(b, relative=0.001, reference=True)
    assert len(deep) == len(truth) == 2 and numpy.asarray(deep.member).tolist() == [0, 1]
    assert numpy.allclose(deep.depth, truth.depth, rtol=0.01) and (numpy.asarray(deep.bound) >= numpy.asarray(deep.depth)).all()
    out = numpy.asarray(deep.point) + numpy.asarray(deep.depth)[:, None] * numpy.asarray(deep.direction)
    assert numpy.allclose(out, deep.surface, atol=1e-9)
    assert [x.name for x in deep.bodies] == ["a", "b"]
    open_body = context.free(a.positions, numpy.asarray(a.triangles)[1:])
    assert numpy.allclose(open_body.penetrations(b).depth, deep.depth, rtol=0.02)  # the hole is elsewhere
    both = context.free(numpy.concatenate([a.positions, b.positions]),
                        numpy.concatenate([a.triangles, numpy.asarray(b.triangles) + a.vertex_count]))
    assert numpy.allclose(sorted(both.penetrations().depth), sorted(deep.depth), rtol=0.011)
    assert len(a.penetrations()) == 0
    scene = context.scene([open_body, a, b])
    scene.exclude(open_body, a)
    scene.exclude(open_body, b)
    all_of_them = scene.penetrations(relative=0.001)
    assert numpy.array_equal(all_of_them.depth, deep.depth)
    assert numpy.array_equal(all_of_them.member, deep.member + 1)
    assert numpy.array_equal(all_of_them.other, deep.other + 1) and set(deep.other + deep.member) == {1}
    with pytest.raises(TypeError):
        a.penetrations(3)


def test_volumes(context):
    positions, triangles = sphere(rows=12, columns=16)
    body = context.free(positions, triangles, strategy="hybrid", volume="sphere")
    root = body.volumes(0)
    assert len(root) == 1 and root.levels > 1 and root.words == ("stale", "eager", "demand")
    assert (numpy.asarray(root.box)[0, 0] <= positions.min(0)).all() and (numpy.asarray(root.box)[0, 1] >= positions.max(0)).all()
    assert numpy.asarray(root.triangles).tolist() == [len(triangles)]
    leaves = 0
    for level in range(root.levels):
        volumes = body.volumes(level)
        box, leaf = numpy.asarray(volumes.box), numpy.asarray(volumes.leaf)
        assert box.shape == (len(volumes), 2, 3) and (box[:, 0] <= box[:, 1]).all()
        leaves += numpy.asarray(volumes.triangles)[leaf == 1].sum()
        if level:
            below = numpy.zeros(len(above), dtype=int)
            numpy.add.at(below, numpy.asarray(volumes.parent), numpy.asarray(volumes.triangles).astype(int))
            inner = numpy.asarray(above.leaf) == 0
            assert (below[inner] == numpy.asarray(above.triangles)[inner]).all() and (below[~inner] == 0).all()
            assert volumes.kind == "sphere" and numpy.asarray(volumes.components).shape == (len(volumes), 4)
            assert (numpy.asarray(volumes.fresh) > 0).all()
        assert numpy.allclose(volumes.to_world, numpy.eye(4)[:3])
        above = volumes
    assert leaves == len(triangles)
    body.set_positions(positions * 2)
    assert (numpy.asarray(body.volumes(root.levels - 1, refit=False).fresh) == 0).all()
    with pytest.raises(ValueError):
        body.volumes(root.levels)


def three_in_a_scene(context):
    positions, triangles = sphere(rows=6, columns=8)
    bodies = [context.free(positions + numpy.array([0.8 * i, 0.1 * i, 0], numpy.float32), triangles, name=str(i)) for i in range(3)]
    return context.scene(bodies), bodies


def test_scene_near_and_exclusions(context):
    scene, bodies = three_in_a_scene(context)
    for query in (scene.near, scene.near_triangles):
        found, truth = query(margin=0.1, sorted=True), query(margin=0.1, sorted=True, reference=True)
        assert rows(found.array) == rows(truth.array) and len(found) > 50
        assert numpy.array_equal(found.distance, truth.distance) and numpy.array_equal(found.members, truth.members)
        assert [(a.name, b.name) for a, b, _ in found.groups] == [("0", "1"), ("0", "2"), ("1", "2")]
        for a, b, part in found.groups:
            alone = (a.near if query == scene.near else a.near_triangles)(b, margin=0.1, sorted=True)
            assert rows(alone.array) == rows(numpy.asarray(found.array)[part])
        some = query(margin=0.1, filter=lambda a, b, i, j: a is bodies[0] and b is bodies[1] and i % 2 == 0, sorted=True)
        assert {(a.name, b.name) for a, b, _ in some.groups} == {("0", "1")}
        assert 0 < len(some) < len(found) and (numpy.asarray(some.array)[:, 0] % 2 == 0).all()
        with pytest.raises(ZeroDivisionError):
            query(margin=0.1, filter=lambda a, b, i, j: 1 / 0)
    scene.exclude(bodies[0], bodies[1])
    assert [(a.name, b.name) for a, b, _ in scene.near_triangles(margin=0.1).groups] == [("0", "2"), ("1", "2")]
    assert ("0", "1") not in [(a.name, b.name) for a, b, _ in scene.touching().groups]
    scene.include(bodies[1], bodies[0])
    assert len(scene.near_triangles(margin=0.1).groups) == 3
    assert {(a.name, b.name) for a, b, _ in scene.touching(filter=lambda a, b, i, j: b.name == "2").groups} <= {("0", "2"), ("1", "2")}
    a, b, d = scene.nearest(filter=lambda a, b, i, j: a.name == "0" and b.name == "2")
    assert (a, b) == (bodies[0], bodies[2]) and d.distance == a.nearest(b).distance
    for wrong in (lambda: scene.exclude(bodies[0], 1), lambda: scene.exclude(bodies[0]), lambda: scene.near_triangles(margin="x")):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        scene.near_triangles(margin=-1)


def test_scene_impacts(context):
    scene, bodies = three_in_a_scene(context)
    start = [numpy.asarray(b.positions) + [3.0 * i, 0, 0] for i, b in enumerate(bodies)]
    for body, positions in zip(bodies, start):
        body.set_positions(positions)
        body.keep_pose()
        body.set_positions(positions - [0, 0, 0])
    assert len(scene.impacts()) == 0 and scene.impacts().safe_step == 1
    bodies[2].set_positions(start[2] - [9, 0, 0])
    found, truth = scene.impacts(all=True), scene.impacts(all=True, reference=True)
    assert len(found) == len(truth) > 10 and numpy.array_equal(found.time, truth.time)
    assert numpy.array_equal(found.members, truth.members) and numpy.asarray(found.members)[0].tolist() == [1, 2]
    first = scene.impacts()
    assert first.safe_step == found.safe_step == bodies[1].impacts(bodies[2]).safe_step < 1


def test_regions(context):
    for body in bodies_of_all_kinds(context):
        for zone in ({"box": ([0, 0, 0], [1, 2, 1])}, {"sphere": ([1, 0, 0], 0.5)}, {"planes": [[1, 0, 0, -0.2], [0, 0, -1, 0.3]]},
                     {"camera": [[2, 0, 0, 0.5], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0.5, 1]]}):
            found, truth = body.overlap(**zone, sorted=True), body.overlap(**zone, reference=True)
            assert found.array.tolist() == truth.array.tolist() and 0 < len(found) < body.triangle_count
    assert len(body.overlap(box=([1, 1, 1], [0, 0, 0]))) == 0
    for wrong in (lambda: body.overlap(sphere=([0, 0, 0], -1)), lambda: body.overlap(sphere=([0, 0, math.nan], 1)), lambda: body.overlap(sphere=[1]),
                  lambda: body.overlap(planes=[[0, 0, 0, 1]]), lambda: body.overlap(planes=[[1, 0, 0, 0]] * 9), lambda: body.overlap(box=([0], [1]))):
        with pytest.raises(ValueError):
            wrong()
