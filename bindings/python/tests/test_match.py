"""Bodies that deform by shape matching: goals, maps, spheres and touches."""

import gc
import sys

import numpy
import pytest

import pliant
from conftest import sphere


@pytest.fixture
def jelly(context):
    positions, triangles = sphere(12, 16)
    return context.match(positions, triangles, name="jelly")


def turned(positions):
    return positions @ numpy.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], positions.dtype) + numpy.array([3, 0, 1], positions.dtype)


def test_goals_keep_the_shape(jelly):
    rest, _ = sphere(12, 16)
    assert jelly.motion == "match" and jelly.strategy == "match"
    moved = turned(rest)
    noise = moved + numpy.random.default_rng(1).normal(scale=0.02, size=moved.shape).astype(numpy.float32)
    before = noise.copy()
    goals = jelly.set_goals(noise)
    assert goals.dtype == numpy.float32 and numpy.array_equal(noise, before)
    assert numpy.abs(goals - moved).max() < 0.02
    assert numpy.array_equal(jelly.positions, goals.astype(float))
    half = jelly.set_goals(noise, stiffness=0.5)
    assert numpy.allclose(half, (noise + goals) / 2, atol=1e-3)
    assert jelly.set_goals(noise.astype(float)).dtype == numpy.float64
    stretched = rest * numpy.float32([1, 1, 1.5])
    assert numpy.abs(jelly.set_goals(stretched, stretch=1) - stretched).max() < 1e-4
    assert numpy.abs(jelly.set_goals(stretched) - stretched).max() > 0.2
    jelly.validate()


def test_maps_move_the_body(jelly):
    rest, _ = sphere(12, 16)
    jelly.set_match([[[0, -1, 0, 3], [1, 0, 0, 0], [0, 0, 1, 1]]])
    assert numpy.allclose(jelly.positions, turned(rest), atol=1e-6)
    maps = jelly.match_maps()
    assert maps.shape == (1, 3, 10) and numpy.allclose(maps[0][:, 9], [3, 0, 1])
    jelly.set_match(2 * maps)
    assert numpy.allclose(jelly.positions, 2 * turned(rest), atol=1e-5)


@pytest.mark.parametrize("kind,clusters", [("rigid", 1), ("linear", 1), ("linear", 3), ("quadratic", 2)])
def test_touches_equal_the_reference(context, kind, clusters):
    points, _ = sphere(10, 14)
    a = context.match(points, None, kind=kind, clusters=clusters, masses=numpy.ones(len(points)))
    b = context.match(points + numpy.float32([1.7, 0.2, 0]), None, kind=kind, clusters=clusters, leaf_points=2)
    assert a.triangle_count == len(points) and a.match_maps().shape == (clusters, 3, 10)
    found = 0
    for level in (0, 2, None):
        touches, wanted = a.sphere_contacts(b, level=level), a.sphere_contacts(b, level=level, reference=True)
        for column in ("array", "sphere_a", "sphere_b", "normal", "point", "depth", "contact"):
            assert numpy.array_equal(getattr(touches, column), getattr(wanted, column)), (level, column)
        for column in ("point", "node", "side", "depth", "normal"):
            assert numpy.array_equal(getattr(touches.points, column), getattr(wanted.points, column)), (level, column)
        assert touches.bodies == (a, b)
        if level is not None:
            spheres = a.spheres(level)
            assert touches.level == level and numpy.array_equal(touches.sphere_a, spheres[touches.array[:, 0]])
            assert numpy.array_equal(touches.sphere_b, b.spheres(level)[touches.array[:, 1]])
        found += len(touches)
    assert found and a.sphere_contacts(b, contacts=True).contact.all()
    b.set_positions(points + numpy.float32([9, 0, 0]))
    assert len(a.sphere_contacts(b)) == 0


def columns_equal(found, wanted):
    for column in ("array", "sphere_a", "sphere_b", "normal", "point", "depth", "contact"):
        assert numpy.array_equal(getattr(found, column), getattr(wanted, column)), column
    for column in ("point", "node", "side", "depth", "normal"):
        assert numpy.array_equal(getattr(found.points, column), getattr(wanted.points, column)), column
    assert found.groups == wanted.groups


def test_touches_of_a_scene(context):
    points, triangles = sphere(10, 14)
    bodies = [context.match(points + numpy.float32([1.7 * i, 0.1 * i, 0]), None) for i in range(3)]
    bodies.append(context.free(points, triangles))  # takes no part
    scene = context.scene(bodies)
    floor = [[0, 0, 1, -0.9]]
    for options in ({}, {"level": 3}, {"level": 2, "planes": floor}, {"planes": floor, "margins": [0.1, 0, 0.2]}, {"contacts": True}):
        found, wanted = scene.sphere_contacts(**options), scene.sphere_contacts(reference=True, **options)
        columns_equal(found, wanted)
        assert len(found) and found.bodies == tuple(bodies)
    single = bodies[0].sphere_contacts(bodies[1], level=3)
    groups = {(a, b): part for a, b, part, _ in scene.sphere_contacts(level=3).groups}
    assert numpy.array_equal(scene.sphere_contacts(level=3).array[groups[bodies[0], bodies[1]]], single.array)
    planes = [g for g in scene.sphere_contacts(level=2, planes=floor).groups if g[1] is None]
    assert [g[0] for g in planes] == bodies[:3]
    columns_equal(bodies[0].sphere_contacts(bodies[1], planes=floor, margins=[0.1, 0.1]), bodies[0].sphere_contacts(bodies[1], planes=floor, margins=[0.1, 0.1], reference=True))
    seen = []
    left = scene.sphere_contacts(filter=lambda a, b: seen.append({a, b}) or bodies[0] not in (a, b))
    assert {bodies[0], bodies[1]} in seen and all(bodies[0] not in g[:2] for g in left.groups)
    for wrong in ({"planes": [[1, 2, 3]]}, {"margins": [1]}, {"margins": [-1, 0, 0]}, {"reach": -1}, {"planes": [[0, 0, 7, 0]]}):
        with pytest.raises(ValueError):
            scene.sphere_contacts(**wrong)
    with pytest.raises(TypeError):
        scene.sphere_contacts(filter=3)
    with pytest.raises(ZeroDivisionError):
        scene.sphere_contacts(filter=lambda a, b: 1 / 0)


def test_clusters_are_reported(context):
    points, triangles = sphere(8, 12, type=numpy.float64)
    body = context.match(points, triangles, clusters=2, masses=numpy.full(len(points), 2.0))
    total = sum(body.match_cluster(i)["mass"] for i in range(2))
    assert total >= 2 * len(points) and body.match_cluster(0)["inverse"].shape == (9, 9) and body.match_cluster(1)["terms"] == 3
    assert numpy.allclose(body.match_cluster(0)["map"], body.match_maps()[0])
    members = [numpy.asarray(body.match_cluster(i)["points"]) for i in range(2)]
    assert [len(m) for m in members] == [body.match_cluster(i)["point_count"] for i in range(2)]
    assert (numpy.diff(members[0]) > 0).all() and set(members[0]) | set(members[1]) == set(range(len(points)))
    leaf = body.sphere_levels() - 1
    nodes = [body.sphere_node(leaf, i) for i in range(len(body.spheres(leaf)))]
    assert sorted(numpy.concatenate([n["points"] for n in nodes]).tolist()) == list(range(len(points)))
    assert numpy.isclose(sum(n["mass"] for n in nodes), 2.0 * len(points)) and {n["cluster"] for n in nodes} == {0, 1}
    with pytest.raises(ValueError):
        body.match_cluster(2)
    with pytest.raises(ValueError):
        body.sphere_node(leaf, 10**6)


def test_goals_without_points(jelly):
    turn = numpy.array([[0, -1, 0, 3], [1, 0, 0, 0], [0, 0, 1.5, 1]])
    goal = jelly.match_goal(0, turn)
    assert goal.shape == (3, 10) and numpy.allclose(goal[:, :3] @ goal[:, :3].T, numpy.eye(3), atol=1e-12)
    assert numpy.allclose(jelly.match_goal(0, turn, stretch=1)[:, [0, 1, 2, 9]], turn)
    state = jelly.match_cluster(0)
    jelly.set_match_memory(0, [1, 0, 0, 0], numpy.eye(3))
    assert numpy.allclose(jelly.match_cluster(0)["rotation"], [1, 0, 0, 0]) and not numpy.allclose(state["rotation"], [1, 0, 0, 0])
    for call in (lambda: jelly.match_goal(9, turn), lambda: jelly.match_goal(0, turn[:2]), lambda: jelly.set_match_memory(0, [1, 0, 0], numpy.eye(3)),
                 lambda: jelly.set_match_memory(0, [1, 0, 0, 0], [[1, 2, 3]]), lambda: jelly.match_goal(0, turn * numpy.nan)):
        with pytest.raises(ValueError):
            call()


def test_the_state_of_a_cluster(jelly):
    where = sphere(12, 16)[0] + numpy.float32([5, 0, 0])
    where[0, 0] += 1  # one point leaves the shape
    jelly.set_positions(where)
    state = jelly.match_cluster(0)
    assert numpy.allclose(state["centre"], where.mean(axis=0), atol=1e-5)
    q = sphere(12, 16)[0] - state["rest_centre"]
    off = numpy.linalg.norm(q @ state["map"][:, :3].T + state["map"][:, 9] - where, axis=1)
    assert 0.5 < off.max() <= state["deviation"] < 1.1 and off.max() <= state["deviation_inside"] <= state["deviation"]


def test_spheres_contain_their_points(jelly):
    assert jelly.sphere_levels() > 2
    jelly.set_goals(turned(sphere(12, 16)[0]) * numpy.float32(1.1), stretch=0.5)
    where = jelly.positions
    for level in range(jelly.sphere_levels()):
        spheres = jelly.spheres(level).astype(float)
        assert spheres.shape == (2**level, 4)
        full = spheres[spheres[:, 3] >= 0]
        distance = numpy.linalg.norm(where[:, None] - full[None, :, :3], axis=2)
        assert (distance <= full[:, 3]).any(axis=1).all(), level


def test_ordinary_queries_work(context, jelly):
    positions, triangles = sphere(12, 16)
    free = context.free(positions + numpy.float32([1.2, 0.1, 0.3]), triangles)
    pairs = jelly.touching(free, sorted=True)
    assert len(pairs) and numpy.array_equal(pairs, jelly.touching(free, sorted=True, reference=True))


def test_what_is_wrong_is_refused(context, jelly, two):
    before = jelly.positions
    rest, triangles = sphere(12, 16)
    bad = rest.copy()
    bad[7, 1] = numpy.nan
    with pytest.raises(ValueError, match="7"):
        jelly.set_goals(bad)
    with pytest.raises(ValueError, match="the body has"):
        jelly.set_goals(rest[:-1])
    with pytest.raises(ValueError):
        jelly.set_goals(rest, stiffness=2)
    with pytest.raises(ValueError, match="shape"):
        jelly.set_match([1, 2, 3])
    with pytest.raises(ValueError):
        jelly.set_match(numpy.zeros((2, 3, 4)))
    with pytest.raises(ValueError):
        jelly.spheres(99)
    with pytest.raises(ValueError, match="masses has 2"):
        context.match(rest, triangles, masses=[1, 2])
    with pytest.raises(ValueError, match="kind"):
        context.match(rest, triangles, kind="soft")
    for call in (lambda: two[0].sphere_contacts(jelly), lambda: two[0].match_maps(), lambda: two[0].spheres(0), lambda: two[0].set_goals(two[0].positions)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError, match="pliant.Body"):
        jelly.sphere_contacts(3)
    assert two[0].sphere_levels() == 0 and numpy.array_equal(jelly.positions, before)


def test_nothing_is_kept(jelly):
    rest, _ = sphere(12, 16)
    other = pliant.match(rest, None, context=jelly.context)
    counts = lambda: [sys.getrefcount(x) for x in (jelly, other, jelly.context, rest)]
    jelly.sphere_contacts(other), jelly.set_goals(rest)
    before = counts()
    for _ in range(20):
        touches = jelly.sphere_contacts(other)
        touches.points.depth, jelly.set_goals(rest), jelly.match_maps(), jelly.spheres(1)
        with pytest.raises(ValueError):
            jelly.spheres(99)
    del touches
    gc.collect()
    assert counts() == before
