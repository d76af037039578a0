"""Without numpy and without pytest: python3 test_plain.py, with any Python from 3.11 on. pytest runs it in a process where numpy
cannot be imported."""

import array
import os
import subprocess
import sys


def test_without_numpy():
    script = "import sys; sys.modules['numpy'] = None; import runpy; runpy.run_path(sys.argv[1], run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", script, os.path.abspath(__file__)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "without numpy" in done.stdout


def main():
    import pliant

    points = array.array("f", [0, 0, 0, 1, 0, 0, 0, 1, 0])
    a = pliant.free(points, array.array("I", [0, 1, 2]))
    b = pliant.free(memoryview(array.array("d", [0.2, 0.2, -1, 0.2, 0.2, 1, 1, 1, 0])).cast("B").cast("d", (3, 3)), [[0, 1, 2]])
    found = a.touching(b)
    kind = type(found.array).__module__
    assert found.array.tolist() == [[0, 0]] and len(found) == 1 and [tuple(p) for p in found] == [(0, 0)]
    assert memoryview(found).shape == (1, 2) and memoryview(found.array).tolist() == [[0, 0]]
    if kind == "pliant":
        assert found.array.shape == (1, 2) and found.array.format == "I" and found.array[-1] == [0, 0] and "Array" in repr(found.array)
        try:
            found.array[5]
            raise AssertionError("an index beyond the end")
        except IndexError:
            pass
        assert found.array[0:1] == [[0, 0]]
    for i in range(3):
        points[3 * i + 2] = 9
    a.set_positions(points)
    empty = a.touching(b)
    assert len(empty) == 0 and memoryview(empty).shape == (0, 2) and empty.array.tolist() == []
    distance = a.nearest(b)
    assert distance.distance == 8 and distance.point_b.tolist() == [distance.point_a[0], distance.point_a[1], 1]
    hits = a.cast([[0.1, 0.1, 0], [5, 5, 0]], [0, 0, 1])
    assert hits.t.tolist() == [9, float("inf")] and hits.triangle[1] == pliant.NONE
    assert a.closest([[0, 0, 5]]).distance.tolist() == [4]
    contacts = pliant.scene([a, b]).touching()
    assert contacts.groups == [] and contacts.members.tolist() == []
    assert "<table>" in a.near_triangles(b, margin=20)._repr_html_() and a.box[0][2] <= 9
    try:
        a.set_positions(points[:6])
        raise AssertionError("two of three positions")
    except ValueError as error:
        assert "\n" not in str(error)
    print(f"{sys.version.split()[0]}: fine,", "without numpy" if kind == "pliant" else "with numpy")


if __name__ == "__main__":
    main()
