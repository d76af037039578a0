"""The examples run, and show what they say."""

import importlib.util
import os

import numpy
import pytest
from conftest import data

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")


def example(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(EXAMPLES, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plot_option(path, name="--plot"):
    try:
        import matplotlib

        matplotlib.use("Agg")
    except ImportError:
        return []
    return [name, str(path)]


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 1000


def test_cloth_on_ball(tmp_path, capsys):
    option = plot_option(tmp_path / "cloth.png")
    history = example("cloth_on_ball").main(["--steps", "60", "--size", "20", *option])
    assert history[0][1] == 0 and history[0][2] > 0.15  # it starts above the ball
    assert history[-1][1] > 20 and history[-1][2] < 0.04  # and comes to lie on it
    assert "near" in capsys.readouterr().out
    assert not option or is_picture(tmp_path / "cloth.png")


def test_character(tmp_path, capsys):
    option = plot_option(tmp_path / "contacts.png")
    times, counts, parts = example("character").main(["--fps", "15", *option])
    assert counts[0] == 0 and max(counts) > 20 and counts[-1] >= 0
    assert parts == {("left arm", "right arm"): sum(c > 0 for c in counts)}
    assert "left arm touches right arm" in capsys.readouterr().out
    assert not option or is_picture(tmp_path / "contacts.png")


def test_character_of_a_file():
    _, counts, parts = example("character").main([data("gltf", "CesiumMilkTruck", "CesiumMilkTruck.glb"), "--fps", "5"])
    assert min(counts) > 0 and parts


def test_depth_image(tmp_path, capsys):
    option = plot_option(tmp_path / "depth.png", "--out")
    depth = example("depth_image").main(["--width", "80", *option])
    assert depth.shape == (60, 80)
    assert 0.1 < numpy.isfinite(depth).mean() < 0.9 and not numpy.isfinite(depth[0, 0])
    assert depth[30, 40] == depth[numpy.isfinite(depth)].min() or depth[30, 40] < depth[numpy.isfinite(depth)].mean()
    assert "4800 rays" in capsys.readouterr().out
    assert not option or is_picture(tmp_path / "depth.png")


def test_notebook(two):
    pytest.importorskip("matplotlib")
    a, b = two
    for result in (a.touching(b), a.near_triangles(b, margin=0.1), a.cast([[0, 0, -5]], [0, 0, 1]), a.closest([[0, 0, 3.0]])):
        html = result._repr_html_()
        assert "<table>" in html and type(result).__name__ in html and "n_v" in html
    assert "data:image/png" in a.near_triangles(b, margin=0.1)._repr_html_()
    a.name = "<b>"
    assert "<b>;" not in a.touching(b)._repr_html_() and "&lt;b&gt;" in a.touching(b)._repr_html_()


def test_readme_prints_what_it_shows(capsys):
    readme = os.path.join(EXAMPLES, "..", "..", "..", "README.md")
    if not os.path.exists(readme):
        pytest.skip("not in a checkout")
    with open(readme, encoding="utf-8") as file:
        blocks = file.read().split("\n```")
    at = next(i for i, block in enumerate(blocks) if block.startswith("python\n"))
    exec(compile(blocks[at].removeprefix("python\n"), "README.md", "exec"), {})
    assert blocks[at + 2].strip() == capsys.readouterr().out.strip()
