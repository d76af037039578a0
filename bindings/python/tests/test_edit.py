"""Edits of meshes: every list, what new vertices come with, and what is refused."""
import numpy as np
import pliant
import pytest

GRID = 6
QUADS = [(j * GRID + i, j * GRID + i + 1, (j + 1) * GRID + i) for j in range(GRID - 1) for i in range(GRID - 1)]
TRIANGLES = np.array([t for a, b, c in QUADS for t in ((a, c, b), (b, c, c + 1))], dtype=np.uint32)
FLAT = np.array([(i % GRID, 0, i // GRID) for i in range(GRID * GRID)], dtype=float)


def body(kind="free", **more):
    context = pliant.Context()
    if kind == "skin":
        return context.skin(FLAT, TRIANGLES, governors=np.zeros((len(FLAT), 1), int), weights=np.ones((len(FLAT), 1)), **more)
    if kind == "flight":
        return context.flight([FLAT, FLAT + [0, 1, 0]], TRIANGLES, times=[0, 1])
    return getattr(context, kind)(FLAT, TRIANGLES, **more)


def test_every_list():
    b = body()
    around = [t for t, corners in enumerate(TRIANGLES) if 7 in corners]
    b.edit(vertices=[[0, 5, 0], [1, 5, 0], [0, 5, 1]], split=[(7, around[:3])], removed_triangles=[40, 41], removed_vertices=[35],
           changed_triangles=[30], changed_corners=[[20, 21, 28]], added=[[36, 37, 38]], merged=[[2, 3]])
    assert b.vertex_count == 40
    triangles = np.asarray(b.triangles)
    assert (triangles[40:42] == 0xFFFFFFFF).all() and (triangles[30] == [20, 21, 28]).all()
    assert (triangles[-1] == [36, 37, 38]).all()
    assert not (triangles == 2).any() and not (triangles == 35).any()
    assert sorted(np.argwhere(triangles == 39)[:, 0]) == around[:3]
    assert np.allclose(np.asarray(b.positions)[39], FLAT[7])
    hit = b.cast([[0.2, 9, 0.2]], [[0, -1, 0]])
    assert hit.triangle[0] == len(triangles) - 1
    b.edit(added=[[0, 1, 7]], added_indices=[41], vertices=[[9, 9, 9]], vertex_indices=[35])
    assert (np.asarray(b.triangles)[41] == [0, 1, 7]).all() and b.vertex_count == 40
    assert np.allclose(np.asarray(b.positions)[35], 9)
    b.validate()


def test_vertices_with_controls():
    skin = body("skin")
    skin.edit(vertices=[[0, 3, 0]], governors=[[0]], weights=[[1.0]], added=[[0, 1, 36]])
    lift = np.eye(4)
    lift[1, 3] = 2
    skin.set_bones([lift])
    assert np.allclose(np.asarray(skin.positions)[36], [0, 5, 0])
    flight = body("flight")
    flight.set_time(0.5)
    flight.edit(vertices=[[0, 3, 0], [1, 3, 0]], poses=[[[0, 5, 0], [1, 5, 0]]], added=[[36, 37, 1]])
    flight.set_time(1)
    assert np.allclose(np.asarray(flight.positions)[36:], [[0, 5, 0], [1, 5, 0]])
    match = body("match")
    match.edit(vertices=[[0, 3, 0]], clusters=[0], added=[[0, 1, 36]])
    assert match.vertex_count == 37


def test_refused():
    b = body()
    for wrong, part in (({"changed_triangles": [1]}, "changed_corners"), ({"split": [7]}, "pairs"), ({"added_indices": [3]}, "added_indices"),
                        ({"governors": [[0]]}, "weights"), ({"removed_triangles": [9999]}, "does not have")):
        with pytest.raises((ValueError, TypeError), match=part):
            b.edit(**wrong)
    with pytest.raises(TypeError):
        b.edit(nothing=1)
    b.validate()
