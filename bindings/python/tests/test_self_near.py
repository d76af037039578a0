"""How near a body comes to itself, against every triangle with every other."""

import gc
import sys

import numpy
import pytest

import pliant


def folded(rows=9, columns=9, gap=0.3):
    """A sheet that is folded once: its halves lie above each other."""
    u, v = numpy.meshgrid(numpy.linspace(-1, 1, rows), numpy.linspace(0, 1, columns), indexing="ij")
    points = numpy.stack([numpy.abs(u), v + 0.01 * u, gap * numpy.sign(u) * numpy.minimum(numpy.abs(u) * 4, 1) / 2], -1).reshape(-1, 3)
    i, k = numpy.meshgrid(numpy.arange(rows - 1), numpy.arange(columns - 1), indexing="ij")
    p = (i * columns + k).ravel()
    return points, numpy.concatenate([numpy.stack([p, p + columns, p + 1], -1), numpy.stack([p + 1, p + columns, p + columns + 1], -1)])


@pytest.fixture
def sheet(context):
    return context.free(*folded())


@pytest.mark.parametrize("rings", [1, 2, 3])
@pytest.mark.parametrize("margin", [0.1, 0.31, 0.4])
def test_near_equals_the_reference(sheet, rings, margin):
    for call, columns in ((sheet.near_triangles, ("array", "distance", "points")), (sheet.near, ("array", "kind", "vertices", "distance", "normal"))):
        found, wanted = call(margin=margin, rings=rings, sorted=True), call(margin=margin, rings=rings, reference=True)
        assert len(found) == len(wanted) and found.bodies == (sheet,)
        for column in columns:
            assert numpy.array_equal(getattr(found, column), getattr(wanted, column)), column
    if margin > 0.31:
        assert len(found) and (found.array[:, 0] < found.array[:, 1]).all()


def test_rings_leave_out_neighbours(sheet):
    triangles = sheet.triangles
    pairs = sheet.near_triangles(margin=0.25).array
    assert len(pairs) and not any(set(triangles[a]) & set(triangles[b]) for a, b in pairs)
    assert len(sheet.near_triangles(margin=0.25, rings=4)) < len(pairs)


def test_distance_equals_the_reference(sheet):
    for rings in (1, 2, 4):
        found, wanted = sheet.nearest(rings=rings), sheet.nearest(rings=rings, reference=True)
        assert (found.distance, found.triangle_a, found.triangle_b) == (wanted.distance, wanted.triangle_a, wanted.triangle_b)
    assert sheet.nearest(rings=1000).distance == numpy.inf
    assert sheet.nearest(rings=4, margin=1e-6).distance == numpy.inf


def test_filters_and_refusals(sheet):
    seen = []
    assert len(sheet.near_triangles(margin=0.4, filter=lambda a, b: seen.append((a, b)))) == 0 and seen
    for call in (lambda: sheet.near_triangles(margin=0.1, rings=0), lambda: sheet.near_triangles(margin=-1), lambda: sheet.nearest(rings=0),
                 lambda: sheet.near(margin=float("nan")), lambda: sheet.near_triangles(margin=1, rings=-1)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        sheet.near_triangles(margin="wide")
    with pytest.raises(KeyError):
        sheet.near_triangles(margin=0.4, filter=lambda a, b: {}[a])


def test_features_of_two_bodies_equal_the_reference(two):
    a, b = two
    b.set_positions((b.positions + [0.6, 0, 0]).astype(numpy.float32))
    found, wanted = a.near(b, margin=0.3, sorted=True), a.near(b, margin=0.3, reference=True)
    assert len(found) and all(numpy.array_equal(getattr(found, c), getattr(wanted, c)) for c in ("array", "kind", "vertices", "weights", "distance"))


def test_kinds_of_features(sheet):
    kinds = numpy.asarray(sheet.near(margin=0.4).kind)
    edges, faces = sheet.near(margin=0.4, vertex_face=False), sheet.near(margin=0.4, edge_edge=False)
    assert 0 < len(edges) == (kinds == pliant.EDGE_EDGE).sum() and (numpy.asarray(edges.kind) == pliant.EDGE_EDGE).all()
    assert 0 < len(faces) == (kinds != pliant.EDGE_EDGE).sum() and (numpy.asarray(faces.kind) != pliant.EDGE_EDGE).all()


def test_nothing_is_kept(sheet):
    counts = lambda: [sys.getrefcount(x) for x in (sheet, sheet.context)]
    sheet.near_triangles(margin=0.3)
    before = counts()
    for _ in range(10):
        sheet.near_triangles(margin=0.3).array, sheet.near(margin=0.3).kind, sheet.nearest()
        with pytest.raises(ValueError):
            sheet.near_triangles(margin=-1)
    gc.collect()
    assert counts() == before


@pytest.mark.parametrize("rings", [0, 1, 3])
def test_members_of_a_scene_with_themselves(context, sheet, rings):
    """rings 0: the member is not asked about itself."""
    other = context.free(*folded())
    scene = context.scene()
    scene.add(sheet, self_contacts=rings > 0)
    scene.add(other, mask=0)
    beyond = {"rings": max(rings, 1)}
    for found, wanted in ((scene.near_triangles(margin=0.31, sorted=True, **beyond), scene.near_triangles(margin=0.31, reference=True, **beyond)),
                          (scene.near(margin=0.31, sorted=True, **beyond),
                           scene.near(margin=0.31, reference=True, **beyond))):
        assert len(found) == len(wanted) and numpy.array_equal(found.array, wanted.array)
    alone = len(sheet.near_triangles(margin=0.31, rings=rings)) if rings else 0
    assert len(scene.near_triangles(margin=0.31, **beyond)) == alone and (alone > 0) == (rings > 0)
    with pytest.raises(ValueError):
        scene.near_triangles(margin=0.31, rings=0)


def test_what_is_kept_of_a_scene(context, two):
    scene = context.scene(two)
    assert scene.touching().kept_pairs == 0 and scene.touching().kept_pairs == 1
    assert scene.near_triangles(margin=0.1).kept_pairs == 0 and scene.near_triangles(margin=0.1).kept_pairs == 1
    two[0].set_positions(two[0].positions.astype(numpy.float32))
    assert scene.touching().kept_pairs == 0


def test_meshes(context):
    mesh = context.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [5, 5, 5]], [[0, 1, 2], [1, 3, 2], [0, 2, 1]])
    info = mesh.info()
    assert (info["vertices"], info["triangles"], info["edges"], info["isolated_vertices"], info["duplicate_triangles"]) == (5, 3, 5, 1, 1)
    assert info["box"].tolist() == [[0, 0, 0], [1, 1, 0]] and "3 triangles" in repr(mesh)
    assert mesh.vertex_triangles(1).tolist() == [0, 1, 2] and mesh.vertex_triangles(4).tolist() == []
    assert mesh.edge_triangles(0, 1).tolist() == [1, 2] and mesh.edge_triangles(1, 0).tolist() == []
    for call in (lambda: mesh.vertex_triangles(5), lambda: mesh.edge_triangles(0, 3), lambda: mesh.edge_triangles(3, 0), lambda: mesh.vertex_triangles(-1),
                 lambda: pliant.mesh([[0, 0, 0]], [[0, 0, 1]]), lambda: pliant.mesh([[0, 0, numpy.nan]], [[0, 0, 0]])):
        with pytest.raises(ValueError):
            call()
    held = sys.getrefcount(context)
    del mesh
    assert sys.getrefcount(context) == held - 1


def test_words_and_single_triangles():
    assert "hybrid" in pliant.words("strategy") and pliant.words("volume")[0] == "aabb" and pliant.words("ray") == ["closest", "any", "all"]
    with pytest.raises(ValueError, match="strategy"):
        pliant.words("colour")
    a, b = [[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[1, 1, -1], [1, 1, 1], [9, 1, 0]]
    ends = pliant.triangles_segment(a, b)
    assert sorted(ends.tolist()) == [[1, 1, 0], [3, 1, 0]]
    assert pliant.triangles_segment(a, [[9, 9, 9], [9, 9, 8], [9, 8, 9]]) is None


def test_inflation_and_soups_are_reported(context):
    points, triangles = folded()
    body = context.free(points, triangles, strategy="inflate")
    body.set_positions(points + 0.01)
    body.update()
    info = body.inflate_info()
    assert info["volumes"] > 0 and info["inflated"] + info["refitted"] > 0
    assert context.soup(points, triangles, method="keys").ray_method == "keys"
    context.end_thread()
    assert len(body.touching()) == len(body.touching(reference=True))
