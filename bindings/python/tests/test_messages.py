"""What people read when something is wrong: it says what to do, in words of Python."""

import os
import re
import subprocess
import sys
import warnings

import numpy
import pytest
from conftest import data, sphere
from test_files import write_gltf, write_obj

import pliant

CORNERS, TRIANGLE = numpy.eye(3), [[0, 1, 2]]


class Tensor:
    """As much of torch.Tensor as matters: it is a sequence of tensors, and no buffer."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.values

    def __array__(self, *_):
        return self.values

    def __len__(self):
        if not self.values.shape:
            raise TypeError("len() of a 0-d tensor")
        return len(self.values)

    def __getitem__(self, i):
        return Tensor(self.values[i])

    def __float__(self):
        return float(self.values)


def test_tensor(context):
    for call in (lambda t: context.free(t, TRIANGLE), lambda t: context.free(CORNERS, TRIANGLE).set_positions(t)):
        with pytest.raises(TypeError, match=r"positions is a Tensor.*pass positions\.detach\(\)\.cpu\(\)\.numpy\(\)"):
            call(Tensor(CORNERS))
    with pytest.raises(TypeError, match=r"triangles\.detach\(\)"):
        context.free(CORNERS, Tensor(numpy.array(TRIANGLE)))
    assert context.free(Tensor(CORNERS).detach().cpu().numpy(), TRIANGLE).triangle_count == 1

    class Foreign:
        def __array__(self, *_):
            return CORNERS

    with pytest.raises(TypeError, match=r"numpy\.asarray\(positions\)"):
        context.free(Foreign(), TRIANGLE)


def test_a_missing_file_is_not_found(tmp_path):
    for function in (pliant.load, pliant.read):
        for name in ("none.obj", "none.glb", "none.stl", "no/where/x.ply"):
            with pytest.raises(FileNotFoundError) as caught:
                function(tmp_path / name)
            assert caught.value.filename == str(tmp_path / name) and caught.value.errno and "no such file" in str(caught.value)
    for name in ("none_*.obj", "none_%04d.obj", "folder/"):
        with pytest.raises(FileNotFoundError, match="no "):
            pliant.load(os.path.join(tmp_path, name))
    write_obj(tmp_path / "a_1.obj", CORNERS, numpy.array(TRIANGLE))
    (tmp_path / "a_2.obj").write_text("v 0 0 zero\n")
    film = pliant.load(os.path.join(tmp_path, "a_*.obj"))
    with pytest.raises(ValueError, match="a_2.obj:1"):
        film.seek(1)


def test_read_gltf(tmp_path):
    write_gltf(tmp_path / "scene.gltf")
    positions, triangles = pliant.read(tmp_path / "scene.gltf")
    assert positions.shape == (9, 3) and triangles.shape == (3, 3)
    positions, triangles = pliant.read(data("gltf", "Fox", "Fox.glb"))
    assert len(triangles) == pliant.load(data("gltf", "Fox", "Fox.glb"))[0].triangle_count


def test_wrong_options_list_the_right_ones(context, tmp_path):
    body, other = context.free(CORNERS, TRIANGLE), context.free(CORNERS, TRIANGLE)
    with pytest.raises(TypeError, match="touching\\(\\) has no argument 'frist'; it has: other, first, sorted"):
        body.touching(other, frist=True)
    with pytest.raises(TypeError, match="it has: threads, simd"):
        pliant.Context(thread=1)
    with pytest.raises(ValueError, match='no setting "stratgy": there are builder, .*strategy, volume'):
        context.free(CORNERS, TRIANGLE, stratgy="auto")
    with pytest.raises(ValueError) as caught:
        context.free(CORNERS, TRIANGLE, strategy="quick")
    assert all(word in str(caught.value) for word in pliant.words("strategy"))
    with pytest.raises(TypeError, match="load\\(\\) has no argument 'animaton'; it has: path, scene, animation, weld, .*strategy"):
        pliant.load(tmp_path / "x.glb", animaton="Walk")


def test_messages_name_functions_of_python(context):
    body = context.free(CORNERS, TRIANGLE)
    assert len(body.touching(body)) == len(body.touching())
    with pytest.raises(ValueError, match=r"pliant\.soup\(\)"):
        body.set_key_pose(0)
    with pytest.raises(ValueError, match=r"pliant\.match\(\)"):
        body.sphere_contacts(context.free(CORNERS, TRIANGLE))


def test_every_function_that_the_library_names_has_a_name_here():
    """All sentences of the library that name a function in C, against the table that translates them."""
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(here, "..", "..", "..", "src")
    if not os.path.isdir(source):
        pytest.skip("only in a checkout")
    named = set()
    for folder, _, names in os.walk(source):
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
            named |= {m for string in re.findall(r'"(?:[^"\\]|\\.)*"', text) for m in re.findall(r"pl_\w+\(\)", string)}
    with open(os.path.join(here, "..", "src", "context.c"), encoding="utf-8") as file:
        translated = set(re.findall(r'\{"(pl_\w+\(\))", "', file.read()))
    assert named and named == translated


def test_seek_stays_within_the_film(tmp_path):
    write_gltf(tmp_path / "scene.gltf")
    film = pliant.load(tmp_path / "scene.gltf")
    for time, wanted in ((1e9, 2.0), (float("inf"), 2.0), (-3, 0.0), (1.5, 1.5)):
        film.seek(time)
        assert film.time == wanted


def test_impacts_warn_where_nothing_moves(context):
    assert "straight" in pliant.Body.impacts.__doc__ and "straight" in pliant.Scene.impacts.__doc__
    positions, triangles = sphere(rows=4, columns=5)
    a, b = context.free(positions, triangles), context.free(positions + numpy.float32(3), triangles)
    scene = context.scene([a, b])
    for ask in (lambda: a.impacts(b), lambda: a.impacts(a), scene.impacts):
        with pytest.warns(UserWarning, match=r"keep_pose\(\)"):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b.keep_pose()
        a.impacts(b), b.impacts(a), scene.impacts()
        b.drop_pose()
        with pytest.raises(UserWarning):
            a.impacts(b)


def test_memory_errors_have_text():
    if "libasan" in open("/proc/self/maps", encoding="ascii").read():
        pytest.skip("sanitizers reserve more memory than a limit allows")
    program = (
        "import resource, numpy, pliant\n"
        "context = pliant.Context(threads=1)\n"
        "triangles = numpy.zeros((2_000_000, 3), numpy.uint32)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 40_000_000, resource.RLIM_INFINITY))\n"
        "try:\n"
        "    context.free(numpy.eye(3), triangles)\n"
        "except MemoryError as error:\n"
        "    print('said:', error)\n")
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert re.match(r"said: \w.*memory", out.stdout), out
