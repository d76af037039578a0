"""Every query against the reference, which uses no tree, over motions, types, strategies and volumes."""

import itertools
import math
import random

import numpy
import pytest
from conftest import sphere

import pliant


def rows(array):
    return [tuple(r) for r in numpy.asarray(array).tolist()]


def bodies_of_all_kinds(context):
    a, triangles = sphere(rows=6, columns=8)
    noise = numpy.random.default_rng(1).normal(0, 0.1, a.shape).astype(numpy.float32)
    yield context.free(a, triangles)
    yield context.free(a.astype(numpy.float64), triangles, strategy="bottom-up", arity=2, leaf_size=1)
    yield context.free(a, triangles, strategy="inflate", volume="rss", builder="partition")
    yield context.rigid(a, triangles, volume="kdop18")
    convex = context.morph([a, a + noise, a - noise], triangles)
    convex.set_weights([0.25, 0.5, 0.25])
    yield convex
    additive = context.morph(numpy.stack([a, noise]), triangles, kind="additive", weight_low=-2, weight_high=2, inbetweens=1)
    additive.set_weights([-1.5])
    yield additive
    yield context.soup(a, triangles, key_poses=[a, a + noise])
    skin, _ = bent(context, a, triangles)
    yield skin
    half = numpy.stack([numpy.arange(len(a)), numpy.roll(numpy.arange(len(a)), 1)], 1)
    cage = context.embed(a, triangles, governors=half, weights=numpy.full(half.shape, 0.5, numpy.float32))
    cage.set_controls(a + noise)
    yield cage
    smooth = context.subdivide(a, triangles, levels=1)
    smooth.set_controls(a * numpy.float32(1.2))
    yield smooth
    follow = context.points(a, triangles, particles=a[::3])
    follow.set_controls(a[::3] + noise[::3])
    yield follow


def bent(context, positions, triangles):
    """A body with two bones, and where its vertices are by numpy."""
    weight = numpy.clip(positions[:, 2].astype(float) + 0.5, 0, 1)
    weights = numpy.stack([1 - weight, weight], 1)
    body = context.skin(positions, triangles, governors=numpy.tile([0, 1], (len(positions), 1)), weights=weights)
    bones = numpy.stack([numpy.eye(4), numpy.eye(4)])
    bones[1, :3, :3] = [[math.cos(0.7), 0, math.sin(0.7)], [0, 1, 0], [-math.sin(0.7), 0, math.cos(0.7)]]
    bones[1, :3, 3] = [0.1, 0.2, 0.3]
    body.set_bones(bones)
    each = numpy.einsum("bij,nj->bni", bones[:, :3, :3], positions.astype(float)) + bones[:, None, :3, 3]
    return body, (weights.T[:, :, None] * each).sum(0)


def test_read_back(context):
    positions, triangles = sphere(rows=6, columns=8)
    body, truth = bent(context, positions, triangles)
    assert body.positions == pytest.approx(truth, abs=1e-12) and body.motion == "skin"
    assert (body.triangles == triangles).all()
    for body in bodies_of_all_kinds(context):
        assert body.positions.shape == (body.vertex_count, 3) and body.triangles.shape == (body.triangle_count, 3)
        frozen = context.free(body.positions, body.triangles)
        ray = body.cast([[0.1, 0.2, -5]], [0, 0, 1])
        assert ray.t[0] == frozen.cast([[0.1, 0.2, -5]], [0, 0, 1]).t[0] and ray.t[0] < 10
    flat = context.skin(positions, triangles, governors=[0] * len(positions), weights=[1.0] * len(positions),
                        first=range(len(positions) + 1), bone_count=3)
    flat.set_bones(numpy.tile(numpy.eye(4)[:3] * 2, (3, 1, 1)))
    assert flat.positions == pytest.approx(positions * 2.0)
    for wrong in (dict(governors=[[0]]), dict(weights=numpy.full((len(positions), 1), 0.5)), dict(governors=[[-1]] * len(positions)),
                  dict(bone_count=0), dict(first=[0, 1])):
        with pytest.raises((ValueError, TypeError)):
            context.skin(positions, triangles, **{**dict(governors=[[0]] * len(positions), weights=[[1.0]] * len(positions)), **wrong})
    with pytest.raises(TypeError, match="governors"):
        context.skin(positions, triangles, weights=[[1.0]])
    with pytest.raises(TypeError, match="particles"):
        context.points(positions, triangles)
    for wrong in (numpy.eye(4), numpy.full((3, 4, 4), numpy.nan), numpy.tile(numpy.eye(4), (2, 1, 1))):
        with pytest.raises(ValueError):
            flat.set_bones(wrong)


def test_near(two):
    a, b = two
    found = a.near(b, margin=0.1, sorted=True)
    assert {*found.kind.tolist()} == {pliant.VERTEX_FACE, pliant.FACE_VERTEX, pliant.EDGE_EDGE}
    points = [(found.weights[:, k, :, None] * body.positions[found.vertices[:, k]]).sum(1) for k, body in enumerate((a, b))]
    assert numpy.linalg.norm(points[0] - points[1], axis=1) == pytest.approx(found.distance, abs=1e-12)
    apart = found.distance > 1e-6
    way = (points[0] - points[1])[apart] / found.distance[apart, None]
    assert way == pytest.approx(found.normal[apart], abs=1e-6)
    edges = a.near(b, margin=0.1, vertex_face=False)
    assert len(edges) == (found.kind == pliant.EDGE_EDGE).sum() and len(edges) > 0
    assert len(a.near(b, margin=0.1, filter=lambda i, k: False)) == 0
    with pytest.raises(ValueError):
        a.near(b, margin=-1)


def test_pairs_of_all_kinds(context):
    other, triangles = sphere(rows=5, columns=7, centre=(1.3, 0.1, 0.2), type=numpy.float64)
    b = context.free(other, triangles)
    for a in bodies_of_all_kinds(context):
        for shift in (0.0, 0.4, 3.0):
            b.set_positions(other + [shift, 0, 0])
            found = a.touching(b, sorted=True)
            truth = a.touching(b, reference=True)
            assert rows(found) == rows(truth), a
            assert (len(found) > 0) == (shift < 3)
            assert sorted(rows(a.touching(b))) == rows(truth)
            assert len(a.touching(b, first=True)) == min(1, len(truth))
            assert found.array.dtype == numpy.uint32 and found.array.flags.owndata
            near = a.near_triangles(b, margin=0.2, sorted=True)
            near_truth = a.near_triangles(b, margin=0.2, reference=True)
            assert near.bodies == (a, b) and near.counters.n_p >= len(near)
            assert rows(near.array) == rows(near_truth.array)
            assert near.distance.tobytes() == near_truth.distance.tobytes()
            assert near.points.tobytes() == near_truth.points.tobytes()
            assert (near.points[:, 0] == near.point_a).all() and (near.points[:, 1] == near.point_b).all()
            d, t = a.nearest(b), a.nearest(b, reference=True)
            assert d[:2] == t[:2] and d.triangle_a == t.triangle_a and d.triangle_b == t.triangle_b
            assert d.point_a.tobytes() == t.point_a.tobytes() and d.point_b.tobytes() == t.point_b.tobytes()
            assert (d.distance == 0) == (len(truth) > 0)
            assert a.nearest(b, margin=d.distance, first=True).triangle_a is not None
            assert not d.distance or a.nearest(b, margin=d.distance * 0.999, first=True).triangle_a is None
        a.validate()


def test_pairs_without_the_library(context):
    """Random triangles, each pair decided by triangles_touch alone."""
    rng = random.Random(7)
    for kind in (numpy.float32, numpy.float64):
        corners = [numpy.array([[rng.randint(0, 4) for _ in range(3)] for _ in range(12)], kind) for _ in range(2)]
        faces = [numpy.array([[rng.randrange(12) for _ in range(3)] for _ in range(30)]) for _ in range(2)]
        a, b = (context.free(c, f) for c, f in zip(corners, faces))
        truth = [(i, k) for i in range(30) for k in range(30)
                 if pliant.triangles_touch(corners[0][faces[0][i]], corners[1][faces[1][k]])]
        assert truth and rows(a.touching(b, sorted=True)) == truth


def test_points(context):
    points = numpy.random.default_rng(2).uniform(-1.4, 1.4, (40, 3))
    points = numpy.vstack([points, sphere(rows=6, columns=8)[0][:3]])
    for a in bodies_of_all_kinds(context):
        for name in ("closest", "inside", "signed_distance"):
            found = getattr(a, name)(points)
            truth = getattr(a, name)(points, reference=True)
            for column in ("distance", "point", "triangle", "side", "winding"):
                assert getattr(found, column).tobytes() == getattr(truth, column).tobytes(), (a, name, column)
            assert len(found) == len(points) and found.point.shape == (43, 3) and found.uv.shape == (43, 2)
    body = context.free(*sphere(rows=30, columns=40, type=numpy.float64))
    assert body.closure() == "closed"
    found = body.signed_distance(points)
    radius = numpy.linalg.norm(points, axis=1)
    assert (numpy.abs(found.distance - (radius - 1)) < 0.02).all()
    clear = numpy.abs(radius - 1) > 0.02
    assert clear.sum() > 30 and ((found.side == pliant.INSIDE) == (radius < 1))[clear].all()
    assert body.closest([[5.0, 0, 0]], margin=0.5).triangle[0] == pliant.NONE
    assert body.inside(sphere(rows=30, columns=40, type=numpy.float64)[0][:4]).side.tolist() == [pliant.ON] * 4


def test_rays(context):
    rng = numpy.random.default_rng(3)
    origins = rng.uniform(-2, 2, (60, 3))
    directions = rng.normal(size=(60, 3))
    for a in bodies_of_all_kinds(context):
        for mode in ("closest", "all"):
            found = a.cast(origins, directions, mode=mode)
            truth = a.cast(origins, directions, mode=mode, reference=True)
            for column in ("t", "uv", "normal", "triangle", "member"):
                assert getattr(found, column).tobytes() == getattr(truth, column).tobytes(), (a, mode, column)
            if mode == "all":
                assert (found.first == truth.first).all() and found.first[-1] == len(found)
        hit = numpy.isfinite(a.cast(origins, directions).t)
        assert 0 < hit.sum() < 60
        assert (numpy.isfinite(a.cast(origins, directions, mode="any").t) == hit).all()
        assert (a.cast(origins, directions).triangle[~hit] == pliant.NONE).all()


def test_ray_arguments(two):
    a, _ = two
    up = a.cast([[0, 0, -5], [0.1, 0, -5]], [0, 0, 1])
    assert len(up) == 2 and up.t == pytest.approx([4, 4], abs=0.03)
    assert a.cast([0, 0, -5], [0, 0, 2]).t[0] == pytest.approx(2, abs=0.01)
    assert math.isinf(a.cast([0, 0, -5], [0, 0, 1], t_max=3).t[0])
    limits = a.cast([0, 0, -5], [0, 0, 1], t_min=[0, 4.5], t_max=numpy.array([10.0, 5.5]))
    assert limits.t[0] == pytest.approx(4, abs=0.01) and math.isinf(limits.t[1])
    assert len(a.cast(numpy.zeros((0, 3)), [0, 0, 1])) == 0
    for wrong in (dict(origins=[[0, 0]], directions=[0, 0, 1]), dict(origins=[[0, 0, 0]] * 2, directions=[[0, 0, 1]] * 3),
                  dict(origins=[0, 0, 0], directions=[0, 0, 0]), dict(origins=[0, 0, math.nan], directions=[0, 0, 1]),
                  dict(origins=[0, 0, 0], directions=[0, 0, 1], mode="best")):
        with pytest.raises(ValueError):
            a.cast(**wrong)


def test_scene(context):
    positions, triangles = sphere()
    bodies = [context.free(positions + numpy.float32([1.2 * i, 0, 0]), triangles, name=str(i)) for i in range(5)]
    scene = pliant.scene(bodies)
    assert scene.context is context and len(scene) == 5 and list(scene) == bodies
    found, truth = scene.touching(sorted=True), scene.touching(reference=True)
    assert found.array.tobytes() == truth.array.tobytes() and found.members.tobytes() == truth.members.tobytes()
    assert [(a.name, b.name) for a, b, _ in found.groups] == [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4")]
    for a, b, part in found.groups:
        assert rows(found.array[part]) == rows(a.touching(b, sorted=True))
        assert {(bodies[i], bodies[k]) for i, k in found.members[part]} == {(a, b)}
    assert found.body_pairs >= 4 and set(found.profile) == {"update", "sweep", "walk", "gather"}
    scene.remove(bodies[1])
    assert scene.bodies == (bodies[0], *bodies[2:])
    a, b, distance = scene.nearest()
    assert (a.name, b.name, distance.distance) == ("2", "3", 0)
    hits = scene.cast([[2.4, 0, -5], [9, 9, 9]], [0, 0, 1])
    assert hits.bodies[hits.member[0]] is bodies[2] and hits.member[1] == pliant.NONE
    truth = scene.cast([[2.4, 0, -5], [9, 9, 9]], [0, 0, 1], reference=True)
    assert hits.t.tobytes() == truth.t.tobytes()
    with pytest.raises(ValueError):
        scene.remove(bodies[1])
    with pytest.raises(ValueError):
        scene.add(bodies[0])
    with pytest.raises(ValueError):
        scene.add(pliant.free(positions, triangles))
    with pytest.raises(TypeError):
        scene.add(positions)
    assert len(scene) == 4
    masked = context.scene()
    masked.add(bodies[0], group=1, mask=2)
    masked.add(bodies[1], group=1, mask=2, box=[[0, -1, -1], [3, 1, 1]])
    assert len(masked.touching()) == 0


def test_moving(context):
    positions, triangles = sphere(type=numpy.float64)
    body, still = context.rigid(positions, triangles), context.free(positions, triangles)
    angle = 0.3
    matrix = numpy.array([[math.cos(angle), -math.sin(angle), 0, 0.5], [math.sin(angle), math.cos(angle), 0, 0], [0, 0, 1, 0.25],
                          [0, 0, 0, 1]])
    moved = context.free(positions @ matrix[:3, :3].T + matrix[:3, 3], triangles)
    body.set_transform(matrix)
    truth = rows(moved.touching(still, sorted=True))
    assert truth and rows(body.touching(still, sorted=True)) == truth
    body.set_transform(numpy.asfortranarray(matrix[:3]))
    assert rows(body.touching(still, sorted=True)) == truth
    before = rows(body.touching(still, sorted=True))
    for wrong in (numpy.eye(3), numpy.full((4, 4), numpy.nan), matrix.T, "matrix"):
        with pytest.raises((ValueError, TypeError)):
            body.set_transform(wrong)
    assert rows(body.touching(still, sorted=True)) == before
    with pytest.raises(ValueError):
        still.set_transform(matrix)
    changed = positions.copy()
    changed[3:6] += 0.5
    still.set_vertices([3, 4, 5], changed[3:6])
    other = context.free(changed, triangles)
    assert rows(still.touching(moved, sorted=True)) == rows(other.touching(moved, sorted=True))


def test_filters(two):
    a, b = two
    everything = rows(a.touching(b, sorted=True))
    some = rows(a.touching(b, sorted=True, filter=lambda i, k: i % 2 == 0))
    assert some == [(i, k) for i, k in everything if i % 2 == 0]
    assert len(a.near_triangles(b, margin=0.1, filter=lambda i, k: False)) == 0
    assert math.isinf(a.nearest(b, filter=lambda i, k: False).distance)
    hit = a.cast([0, 0, -5], [0, 0, 1])
    again = a.cast([0, 0, -5], [0, 0, 1], mode="all", filter=lambda ray, triangle, t: triangle != hit.triangle[0])
    assert hit.triangle[0] not in again.triangle
    closest = a.closest([[0, 0, 3.0]])
    assert a.closest([[0, 0, 3.0]], filter=lambda p, b, t: b is a and t != closest.triangle[0]).triangle[0] != closest.triangle[0]

    def broken(i, k):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        a.touching(b, filter=broken)
    with pytest.raises(RuntimeError, match="filter"):
        a.touching(b, filter=lambda i, k: a.touching(b))
    with pytest.raises(RuntimeError, match="filter"):
        pliant.scene([a, b]).cast([0, 0, -5], [0, 0, 1], filter=lambda r, t, d: pliant.scene([a]))
    with pytest.raises(TypeError):
        a.touching(b, filter=3)
    assert rows(a.touching(b, sorted=True)) == everything


def test_filters_of_many_threads():
    context = pliant.Context(threads=4)
    positions, triangles = sphere(rows=30, columns=40)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.01), triangles)
    everything = rows(a.touching(b, sorted=True))
    assert rows(a.touching(b, sorted=True, filter=lambda i, k: True)) == everything
    with pytest.raises(RuntimeError, match="filter"):
        a.touching(b, filter=lambda i, k: a.touching(b))


def test_budgets(context):
    positions, triangles = sphere(rows=40, columns=60)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.01), triangles)
    part = a.touching(b, budget_tests=10)
    assert part.partial and len(part) < len(a.touching(b)) and "partial" in repr(part)
    assert not a.touching(b).partial
    assert a.nearest(b, budget_tests=1).partial in (True, False)


def test_times():
    face = [[0, 0, 1], [-1, -1, 0], [1, -1, 0], [0, 1, 0]]
    end = [[0, 0, -1], *face[1:]]
    assert pliant.vertex_face_time(face, end) == 0.5
    assert pliant.vertex_face_time(face, face) is None
    edges = [[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]]
    lower = [[-1, 0, -3], [1, 0, -3], *edges[2:]]
    assert pliant.edge_edge_time(edges, numpy.array(lower, numpy.float32)) == 0.25
    with pytest.raises(ValueError):
        pliant.edge_edge_time(edges, edges[:3])
    with pytest.raises(ValueError):
        pliant.vertex_face_time(face, [[math.inf, 0, 0]] * 4)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("simd", ["scalar", None])
def test_same_bytes(threads, simd):
    """The same input gives the same bytes for any number of threads and every instruction set."""
    positions, triangles = sphere(rows=20, columns=30)
    results = []
    for context in (pliant.Context(threads=1), pliant.Context(threads=threads, simd=simd)):
        a, b = context.free(positions, triangles), context.free(positions + numpy.float32([0.9, 0.1, 0]), triangles)
        results.append((bytes(memoryview(a.touching(b))), a.near_triangles(b, margin=0.05).distance.tobytes(),
                        a.cast(positions[::7] * 3, -positions[::7]).t.tobytes()))
    assert results[0] == results[1] and len(results[0][0]) > 0


def test_settings(context):
    positions, triangles = sphere()
    body = context.free(positions, triangles, settings='{"strategy": "inflate", "volume": "rss", "p_max": 1.5}', arity=4)
    assert body.strategy == "inflate" and body.volume == "rss"
    assert context.free(positions, triangles, settings={"strategy": "bottom-up"}, strategy="top-down").strategy == "top-down"
    for wrong in (dict(strategy="fast"), dict(arity=3), dict(colour="red"), dict(leaf_size=99), dict(settings="{")):
        with pytest.raises(ValueError):
            context.free(positions, triangles, **wrong)
    with pytest.raises(TypeError):
        context.free(positions, triangles, arity=object())
    info = body.tree_info()
    assert info["leaves"] > 1 and info["bytes"] > 0
    order = body.vertex_order()
    assert sorted(order.tolist()) == list(range(len(positions)))
    assert body.update().n_u >= 0


def test_repair(context):
    """A soup whose triangles change places: a repaired tree has the same pairs and smaller boxes."""
    import random

    draw = random.Random(5)
    spots = [[draw.random() for _ in range(3)] for _ in range(400)]
    pose = lambda spots: [[x + 0.02 * (c == k) for k, x in enumerate(spot)] for spot in spots for c in range(3)]
    triangles = [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(400)]
    body = context.free(pose(spots), triangles, repair=0)
    draw.shuffle(spots)
    body.set_positions(pose(spots))
    pairs, before = rows(body.touching(sorted=True)), body.tree_info()
    assert body.repair(0)["sorted"] == 0
    info = body.repair()
    assert info["sorted"] == 400 and info["unsorted"] == 0 and info["total"] == info["volumes"] > 0
    assert body.tree_info()["area_cost"] < 0.5 * before["area_cost"]
    assert rows(body.touching(sorted=True)) == pairs
    assert body.repair_volumes(100.0) > 0
    with pytest.raises((ValueError, TypeError, OverflowError)):
        body.repair(-1)


def test_all_strategies(context):
    """Strategies, volumes, arities: none changes a pair."""
    positions, triangles = sphere(rows=6, columns=8)
    b = context.free(positions + numpy.float32([0.7, 0, 0.1]), triangles)
    truth = None
    for strategy, volume, arity in itertools.product(
            ("bottom-up", "top-down", "hybrid", "inflate"), ("aabb", "sphere", "obb", "kdop26"), (2, 8)):
        try:
            a = context.free(positions, triangles, strategy=strategy, volume=volume, arity=arity)
        except ValueError as e:
            assert "not supported" in str(e) or volume in str(e) or strategy in str(e)
            continue
        for step in range(3):
            a.set_positions(positions * numpy.float32(1 + 0.01 * (step - 2)))
        found = rows(a.touching(b, sorted=True))
        truth = truth or rows(a.touching(b, reference=True))
        assert found == truth


def test_touching_itself(context):
    positions, triangles = sphere(rows=8, columns=10)
    for pole in (1, -3):  # then the north pole is pulled through the south
        moved = positions.copy()
        moved[0, 2] = pole
        body = context.free(moved, triangles)
        truth = rows(body.touching(reference=True))
        assert bool(truth) == (pole < 0)
        for method in ("auto", "cones", "boxes"):
            assert rows(body.touching(sorted=True, method=method)) == truth
        assert all(a < b for a, b in truth) and len(body.touching(first=True)) == min(1, len(truth))
    scene = context.scene()
    scene.add(body, self_contacts=True)
    contacts = scene.touching(sorted=True)
    assert rows(contacts.array) == truth and contacts.groups[0][0] is contacts.groups[0][1] is body
    assert len(body.touching(filter=lambda a, b: False)) == 0
    with pytest.raises(ValueError):
        body.touching(method="best")


def test_thickness(context):
    corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1.0, 0]])
    a, b = context.free(corners, [[0, 1, 2]]), context.free(corners + [0, 0, 1], [[0, 1, 2]])
    assert len(a.near(b, margin=0.5)) == 0
    a.set_thickness(0.25)
    b.set_thickness(0.125, [0.125, 0, 0])
    assert 0 < len(a.near(b, margin=0.5)) < len(a.near(b, margin=0.625))
    for wrong in (-1, numpy.nan):
        with pytest.raises(ValueError, match="thickness"):
            a.set_thickness(wrong)
    with pytest.raises(ValueError, match="each of 3 vertices"):
        a.set_thickness(0, [1, 2])
    a.set_thickness(0), b.set_thickness(0, None)
    assert len(a.near(b, margin=0.5)) == 0


def test_screws(context):
    link = context.rigid(numpy.array([[0, 0, -1], [2, 0, -1], [2, 0, 1.0]]), [[0, 1, 2]])
    post = context.rigid(numpy.array([[0, 1, -0.5], [0, 1, 0.5], [0, 1.1, 0]]), [[0, 1, 2]])
    link.keep_pose()
    link.set_transform([[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0]])
    assert len(link.impacts(post)) == 0
    link.set_screw([0, 0, 1], angle=numpy.pi)
    assert link.impacts(post).time[0] == pytest.approx(0.5, abs=1e-9)
    link.set_screw((0, 0, 1), (0, 0, 5), -numpy.pi)
    assert len(link.impacts(post)) == 0
    link.set_screw([0, 0, 1])
    assert len(link.impacts(post)) == 0
    link.set_screw()
    with pytest.raises(ValueError, match="3 numbers"):
        link.set_screw([1, 2])
    with pytest.raises(ValueError, match="no direction"):
        link.set_screw([0, 0, 0], angle=1)


def test_impacts(context):
    positions, triangles = sphere(rows=8, columns=10, type=numpy.float64)
    a, b = context.free(positions, triangles), context.rigid(positions, triangles)
    b.set_transform([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 4]])
    a.keep_pose(), b.keep_pose()
    a.set_positions(positions + [0, 0, 4])
    found = a.impacts(b)
    assert len(found) == 1 and found.time[0] == pytest.approx(0.5, abs=1e-9) and found.safe_step < 0.5
    for option in (dict(all=True), dict(margin=0.25), {}):
        found, truth = a.impacts(b, **option), a.impacts(b, reference=True, **option)
        assert found.time.tolist() == truth.time.tolist() and found.safe_step == truth.safe_step
    assert a.impacts(b, margin=0.5).time[0] == pytest.approx(0.375, abs=1e-3)
    a.drop_pose()
    a.set_positions(positions)
    assert len(a.impacts(b)) == 0 and a.impacts(b).safe_step == 1
    assert len(a.impacts(a)) == 0
    with pytest.raises(TypeError):
        a.impacts(positions)
