"""What is passed in: layouts, types, and what is refused with which sentence."""

import array

import numpy
import pytest
from conftest import sphere

import pliant


def pairs(a, b):
    return numpy.asarray(a.touching(b, sorted=True)).tolist()


def layouts(positions):
    """The same numbers in other layouts."""
    n = len(positions)
    wide = numpy.zeros((n, 5), positions.dtype)
    wide[:, 1:4] = positions
    yield wide[:, 1:4]
    yield numpy.asfortranarray(positions)
    yield numpy.repeat(positions, 2, axis=0)[::2]
    yield positions[::-1].copy()[::-1]
    yield positions.ravel()
    yield memoryview(positions)
    yield array.array(positions.dtype.char, positions.ravel().tolist())
    record = numpy.zeros(n, [("pad", "u1"), ("xyz", positions.dtype, 3)])
    record["xyz"] = positions
    yield record["xyz"]  # not aligned
    read_only = positions.copy()
    read_only.flags.writeable = False
    yield read_only
    yield [tuple(p) for p in positions.tolist()]


@pytest.mark.parametrize("type", [numpy.float32, numpy.float64])
def test_layouts(context, type):
    positions, triangles = sphere(rows=5, columns=6, type=type)
    b = context.free(positions + type(0.5), triangles)
    truth = pairs(context.free(positions, triangles), b)
    assert truth
    for k, layout in enumerate(layouts(positions)):
        body = context.free(layout, triangles)
        assert pairs(body, b) == truth, k
        body.set_positions(positions * type(3))
        assert pairs(body, b) != truth
        body.set_positions(layout)
        assert pairs(body, b) == truth, k


def test_triangle_types(context):
    positions, triangles = sphere(rows=4, columns=5)
    truth = context.free(positions, triangles).vertex_order().tolist()
    for type in "bBhHiIlLqQ":
        assert context.free(positions, triangles.astype(type)).vertex_order().tolist() == truth
    for layout in (triangles.tolist(), triangles.ravel(), numpy.asfortranarray(triangles), numpy.repeat(triangles, 2, 1)[:, ::2]):
        assert context.free(positions, layout).vertex_order().tolist() == truth


def test_values_are_copied(context):
    positions, triangles = sphere()
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(0.5), triangles)
    truth = pairs(a, b)
    positions += 10
    triangles[:] = 0
    assert pairs(a, b) == truth


def test_borrowed(context):
    positions, triangles = sphere()
    a, b = context.free(positions, triangles, borrow=True), context.free(positions + numpy.float32(0.5), triangles)
    assert a.borrows and not b.borrows
    truth = pairs(a, b)
    positions += 10
    a.set_positions(positions)
    assert pairs(a, b) == []
    positions -= 10
    a.set_vertices(numpy.arange(len(positions)))
    assert len(pairs(a, b)) == pytest.approx(len(truth), rel=0.1)  # the numbers were rounded meanwhile
    with pytest.raises(ValueError, match="borrow"):
        a.set_positions(numpy.asfortranarray(positions))
    with pytest.raises(ValueError, match="borrow"):
        context.free(positions.tolist(), triangles, borrow=True)


def test_results_are_owned(two):
    a, b = two
    first = a.touching(b)
    column = first.array
    before = column.tolist()
    b.set_positions(numpy.zeros((b.vertex_count, 3), numpy.float32))
    a.touching(b), a.near_triangles(b, margin=1), b.cast([0, 0, -5], [0, 0, 1])
    assert column.tolist() == before and first.array is column
    view = memoryview(first)
    del first, column
    assert view.tolist() == before and view.shape == (len(before), 2)
    assert numpy.asarray(a.touching(b)).shape[1] == 2


WRONG = [
    (dict(positions=[[0, 0], [1, 1]]), ValueError, r"\(n, 3\)"),
    (dict(positions=numpy.zeros((3, 3), numpy.int32)), TypeError, "float32 or float64"),
    (dict(positions=numpy.zeros((3, 3), numpy.float16)), TypeError, "float32 or float64"),
    (dict(positions=numpy.zeros((3, 3), ">f8")), TypeError, "float32 or float64"),
    (dict(positions=numpy.zeros((3, 3), complex)), TypeError, "float32 or float64"),
    (dict(positions=numpy.zeros((2, 2, 3))), ValueError, r"\(n, 3\)"),
    (dict(positions=numpy.zeros((1, 1, 1, 3))), ValueError, "dimensions"),
    (dict(positions=numpy.full((3, 3), numpy.nan)), ValueError, "vertex 0"),
    (dict(positions=numpy.array([[0, 0, 0], [1, 0, 0], [0, numpy.inf, 0]])), ValueError, "vertex 2"),
    (dict(positions="xyz"), TypeError, "positions"),
    (dict(positions=None), TypeError, "positions"),
    (dict(positions=[["a", "b", "c"]]), TypeError, "positions"),
    (dict(positions=[[0, 0, 0], [1, 1]]), ValueError, "rows"),
    (dict(positions=[[0, 0, 0], 1]), ValueError, "rows"),
    (dict(triangles=[[0, 1, 3]]), ValueError, "vertex 3"),
    (dict(triangles=[[0, 1, -1]]), ValueError, r"triangles\[0, 2\] is -1"),
    (dict(triangles=numpy.array([[0, 1, 2**40]])), ValueError, "4294967295"),
    (dict(triangles=numpy.array([[0, 1, 2**64 - 1]], numpy.uint64)), ValueError, "4294967295"),
    (dict(triangles=[[0.0, 1.0, 2.0]]), TypeError, "integers"),
    (dict(triangles=[[0, 1]]), ValueError, r"\(n, 3\)"),
    (dict(triangles=[]), ValueError, "triangle"),
    (dict(triangles=numpy.zeros((0, 3), int)), ValueError, "triangle"),
    (dict(triangles=[[True, False, None]]), TypeError, "triangles"),
    (dict(name=3), TypeError, "name"),
    (dict(no_such=1), ValueError, "no_such"),
]


@pytest.mark.parametrize("change, error, words", WRONG)
def test_refused(context, change, error, words):
    arguments = dict(positions=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles=[[0, 1, 2]])
    arguments.update(change)
    with pytest.raises(error, match=words) as caught:
        context.free(**arguments)
    assert "\n" not in str(caught.value)


def test_state_stands_after_refusal(two):
    a, b = two
    truth = pairs(a, b)
    n = a.vertex_count
    for wrong in (numpy.full((n, 3), numpy.nan), numpy.zeros((n - 1, 3)), numpy.zeros((n, 2)), numpy.zeros((n, 3), int), None):
        with pytest.raises((ValueError, TypeError)):
            a.set_positions(wrong)
        assert pairs(a, b) == truth
    for vertices, positions in (([0], [[numpy.nan, 0, 0]]), ([n], [[0, 0, 0]]), ([-1], [[0, 0, 0]]), ([0, 1], [[0, 0, 0]]),
                                ([0.5], [[0, 0, 0]]), ([0], None)):
        with pytest.raises((ValueError, TypeError)):
            a.set_vertices(vertices, positions)
        assert pairs(a, b) == truth


def test_wrong_calls(two):
    a, b = two
    for call in (lambda: a.touching(b, b), lambda: a.touching(b, colour=1), lambda: a.touching(3),
                 lambda: a.touching(b, other=b), lambda: a.near(b, 1), lambda: a.near_triangles(b, margin="x"), lambda: a.touching(b, budget_tests="x"),
                 lambda: pliant.Body(), lambda: pliant.Pairs(), lambda: pliant.Context("x"), lambda: a.cast([0, 0, 0])):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: a.near_triangles(b, margin=-1), lambda: a.near(b, margin=float("nan")), lambda: a.touching(b, budget_tests=-1),
                 lambda: a.touching(pliant.free([[0, 0, 0]], [[0, 0, 0]])), lambda: pliant.Context(threads=1000),
                 lambda: pliant.Context(simd="best"), lambda: a.set_weights([1.0]), lambda: a.set_key_pose(0),
                 lambda: a.nearest(b, margin=-1), lambda: a.closest([[float("nan"), 0, 0]]), lambda: a.inside([[0, 0, 0]], margin=1)):
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) and "\n" not in str(caught.value)


def test_morph_arguments(context):
    positions, triangles = sphere(rows=4, columns=5)
    for wrong in (dict(references=[]), dict(references=3), dict(references=[positions, positions[:-1]]), dict(kind="linear"),
                  dict(inbetweens=2, inbetween_parameters=[0.5]), dict(inbetweens=1, inbetween_pairs=[[0, 7]]),
                  dict(build_reference=9)):
        with pytest.raises((ValueError, TypeError)):
            context.morph(**{**dict(references=[positions, positions * 2], triangles=triangles), **wrong})
    body = context.morph([positions, positions * 2], triangles, inbetweens=2, inbetween_parameters=[0.25, 0.75],
                         inbetween_pairs=[[0, 1]], name="blob")
    assert body.motion == "morph" and body.name == "blob" and "blob" in repr(body)
    for wrong in ([0.5, 0.6], [1.0], [numpy.nan, 1], "x"):
        with pytest.raises((ValueError, TypeError)):
            body.set_weights(wrong)
    body.set_weights(numpy.array([0.5, 0.5], numpy.float32))
    assert body.box[1] == pytest.approx(positions.max(0) * 1.5, rel=1e-5)


def test_soup_arguments(context):
    positions, triangles = sphere(rows=4, columns=5)
    body = context.soup(positions, triangles, key_poses=[positions, positions * 3], method="keys")
    assert body.key_pose == 0
    body.set_positions(positions * 3)
    assert body.key_pose == 1
    body.set_key_pose(0)
    assert body.key_pose == 0
    with pytest.raises(ValueError):
        context.soup(positions, triangles, method="tree")
    with pytest.raises(ValueError):
        context.soup(positions, triangles, key_poses=[positions[:-1]])


def test_segments_and_points(context):
    xyz = numpy.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 3, 0]], dtype=numpy.float32)
    cable = context.free(xyz, segments=[[0, 1], [1, 2]], points=[3])
    assert cable.triangle_count == 3
    assert cable.triangles.tolist() == [[0, 1, 1], [1, 2, 2], [3, 3, 3]]
    assert len(cable.touching()) == 0
    grain = context.rigid([[1.5, 0.25, 0], [0, 0, 0], [1, 1, 0]], numpy.zeros((0, 3), dtype=int), points=numpy.array([0]))
    assert cable.nearest(grain).distance == 0.25 and cable.nearest(grain).triangle_a == 1
    mixed = context.free(xyz, [[0, 1, 3]], segments=numpy.array([[1, 2]], dtype=numpy.uint8))
    assert mixed.triangles.tolist() == [[0, 1, 3], [1, 2, 2]]
    info = context.mesh(xyz, None, segments=[[0, 1]], points=[3]).info()
    assert (info["triangles"], info["segments"], info["points"], info["components"]) == (0, 1, 1, 2)
    with pytest.raises(TypeError, match="needs the argument 'triangles'"):
        context.free(xyz)
    with pytest.raises(ValueError, match="segments must have the shape"):
        context.free(xyz, segments=[[0, 1, 2]])
    with pytest.raises(ValueError, match="segment 0 names vertex 9 of 4"):
        context.free(xyz, segments=[[0, 9]])
