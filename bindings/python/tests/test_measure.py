"""Features that stay between the iterations of a solver, and distances of single features."""

import numpy as np
import pytest

import pliant


def sheets(shift=0.0):
    """Two sheets above each other, of 2 x 5 x 5 triangles each."""
    x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    flat = np.stack([x, y, 0.1 * np.sin(x + 2 * y)], axis=-1).reshape(-1, 3)
    cell = np.array([[j * 6 + i for i in range(5)] for j in range(5)]).reshape(-1)
    triangles = np.concatenate([np.stack([cell, cell + 1, cell + 7], 1), np.stack([cell, cell + 7, cell + 6], 1)])
    return flat, flat * 1.01 + [0.2, 0.1, 0.3 + shift], triangles


def test_kept_features_follow_the_bodies():
    low, high, triangles = sheets()
    a, b = pliant.free(low, triangles), pliant.free(high, triangles)
    kept = a.near(b, margin=0.5, sorted=True)
    high += [0.0, 0.0, 0.05]
    b.set_positions(high)
    plain = a.measure(kept, merged=False)
    assert len(plain) == len(kept)
    points = [np.einsum("nk,nkd->nd", plain.weights[:, s], p[plain.vertices[:, s]]) for s, p in enumerate((low, high))]
    assert np.allclose(points[0] - points[1], plain.distance[:, None] * plain.normal, atol=1e-12)
    merged = a.measure(kept)
    assert 0 < len(merged) < len(plain)
    assert merged.multiplicity.sum() == len(plain)
    assert set(merged.kind) <= {pliant.VERTEX_FACE, pliant.FACE_VERTEX, pliant.EDGE_EDGE, pliant.VERTEX_EDGE,
                                pliant.EDGE_VERTEX, pliant.VERTEX_VERTEX}
    assert len(a.measure(kept, margin=0.3)) == (merged.distance <= 0.3).sum()
    exact = a.measure(kept, merged=False, reference=True)
    assert np.allclose(exact.distance, plain.distance, rtol=1e-15, atol=0)
    with pytest.raises(ValueError, match="this body"):
        b.measure(kept)
    with pytest.raises(TypeError, match="FeaturePairs"):
        a.measure(a.near_triangles(b, margin=0.5))


def test_kept_features_of_a_scene():
    low, high, triangles = sheets()
    a, b = pliant.free(low, triangles), pliant.free(high, triangles)
    scene = pliant.scene()
    scene.add(a)
    scene.add(b)
    kept = scene.near(margin=0.5, sorted=True)
    b.set_positions(high + [0.0, 0.0, 0.05])
    alone = a.measure(a.near(b, margin=0.55, sorted=True), margin=0.4)
    both = scene.measure(kept, margin=0.4)
    assert np.array_equal(both.distance, alone.distance)
    assert both.groups[0][:2] == (a, b)
    with pytest.raises(ValueError, match="a scene"):
        scene.measure(alone)


def test_gradients_of_single_features():
    distance, gradient = pliant.vertex_face_distance([[0.2, 0.3, 2], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert distance == 2
    assert np.allclose(gradient, [[0, 0, 1], [0, 0, -0.5], [0, 0, -0.2], [0, 0, -0.3]])
    distance, gradient = pliant.edge_edge_distance([[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 3, 0]])
    assert distance == 1
    assert np.allclose(gradient[:, 2], [0.5, 0.5, -0.75, -0.25])
    assert pliant.vertex_edge_distance([[3, 4, 0], [0, 0, 0], [-1, 0, 0]])[0] == 5
    assert pliant.vertex_vertex_distance([[3, 4, 0], [0, 0, 0]])[1].tolist() == [[0.6, 0.8, 0], [-0.6, -0.8, 0]]
    with pytest.raises(ValueError, match="points"):
        pliant.edge_edge_distance([[0, 0, 0]])


def test_certificates_are_spent_by_moves():
    low, high, triangles = sheets()
    a, b = pliant.free(low, triangles), pliant.free(high, triangles)
    sure = a.certificate(0.6, other=b)
    assert not sure.spend()["holds"]
    kept = sure.renew()
    assert len(kept) > 0
    radii = sure.radii(b)
    assert radii.shape == (36,)
    assert abs(2 * radii.min() - kept.distance.min()) < 1e-9
    assert abs(sure.displacement() - radii.min()) < 1e-12
    b.set_positions(high - 0.9 * radii[:, None] * [0.0, 0.0, 1.0])
    state = sure.spend()
    assert state["holds"]
    assert abs(state["spent"] - 0.9) < 1e-9
    assert len(a.touching(b)) == 0
    b.set_positions(high - 1.1 * radii[:, None] * [0.0, 0.0, 1.0])
    state = sure.spend()
    assert not state["holds"]
    assert state["body"] == 1
    assert state["beyond"] == 36
    b.set_positions(high)
    with pytest.raises(Exception, match="flight plan"):
        sure.until()
