"""Welding: seams are no contacts, in arrays and in files, and what stays together is decided exactly."""

import numpy
import pytest
from conftest import data
from test_files import write_obj

import pliant

SEAM = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, -0.0], [0, 1, 0], [1, 1, 0]], numpy.float32)
PAIR = numpy.array([[0, 1, 2], [3, 5, 4]])


def test_seam(context):
    assert len(context.free(SEAM, PAIR).touching()) == 1
    welded, same = context.weld(SEAM, PAIR, return_map=True)
    assert welded.tolist() == [[0, 1, 2], [1, 5, 2]] and same.tolist() == [0, 1, 2, 1, 2, 5] and welded.dtype == numpy.uint32
    assert len(context.free(SEAM, welded).touching()) == 0
    assert (pliant.weld(SEAM.astype(float), PAIR) == welded).all()
    assert (pliant.weld(SEAM + 1e-7 * numpy.arange(6)[:, None], PAIR) == PAIR).all()  # there is no tolerance


def test_what_must_be_equal(context):
    other = SEAM.copy()
    other[4, 2] = 1
    assert context.weld(SEAM, PAIR, poses=[SEAM, other]).tolist() == [[0, 1, 2], [1, 5, 4]]
    assert context.weld(SEAM, PAIR, labels=[0, 1, 2, 1, 3, 5]).tolist() == [[0, 1, 2], [1, 5, 4]]
    governors = [[0, 1], [0, 1], [0, 1], [0, 1], [0, 2], [0, 1]]
    weights = numpy.full((6, 2), 0.5)
    assert context.weld(SEAM, PAIR, governors=governors, weights=weights).tolist() == [[0, 1, 2], [1, 5, 4]]
    weights[:, 0], weights[:, 1] = 1, 0  # the governor of a weight of 0 does not count
    assert context.weld(SEAM, PAIR, governors=governors, weights=weights).tolist() == [[0, 1, 2], [1, 5, 2]]
    for wrong, words in ((dict(poses=[SEAM[:5]]), "pose 0 has 5 vertices"), (dict(labels=[1]), "labels has 1"),
                         (dict(weights=weights), "both governors and weights"), (dict(poses=[SEAM * numpy.nan]), "nan")):
        with pytest.raises(ValueError, match=words):
            context.weld(SEAM, PAIR, **wrong)
    with pytest.raises(TypeError, match="it has: poses, governors, weights, first, labels, return_map"):
        context.weld(SEAM, PAIR, tolerance=1)


def test_files_are_welded(tmp_path):
    write_obj(tmp_path / "seam.obj", SEAM, PAIR)
    assert pliant.read(tmp_path / "seam.obj")[1].tolist() == [[0, 1, 2], [1, 5, 2]]
    assert pliant.read(tmp_path / "seam.obj", weld=False)[1].tolist() == PAIR.tolist()
    assert len(pliant.load(tmp_path / "seam.obj")[0].touching()) == 0
    assert len(pliant.load(tmp_path / "seam.obj", weld=False)[0].touching()) == 1


def test_vertices_that_part_in_a_later_frame_are_two(tmp_path):
    moved = SEAM.copy()
    moved[4] += 1
    for i, frame in enumerate((SEAM, SEAM * 2, moved)):
        write_obj(tmp_path / f"s_{i}.obj", frame, PAIR)
    film = pliant.load(tmp_path)
    assert film[0].triangles.tolist() == [[0, 1, 2], [1, 5, 4]]
    for time in (2, 0, 1):
        film.seek(time)
        assert (film[0].positions == (SEAM, SEAM * 2, moved)[time]).all()


def test_a_character_has_no_contacts_at_seams():
    path = data("gltf", "Fox", "Fox.glb")
    film, plain = pliant.load(path), pliant.load(path, weld=False)
    film.seek(1.1), plain.seek(1.1)
    assert (film[0].positions == plain[0].positions).all()
    few, many = film[0].touching(sorted=True), plain[0].touching(sorted=True)
    assert len(few) < len(many) and set(map(tuple, few.array.tolist())) <= set(map(tuple, many.array.tolist()))
