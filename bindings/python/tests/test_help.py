"""What people read: help(), docstrings, signatures, and stubs that fit the module."""

import ast
import inspect
import os
import pydoc
import re

import pytest

import pliant
from pliant import _pliant

TYPES = ("Array", "Body", "Contacts", "Context", "Counters", "Distance", "FeaturePairs", "Gltf", "Hits", "Impacts", "NearPairs", "Pairs", "Points", "Scene", "SceneTriangles", "Triangles", "Segments", "Penetrations", "Regions", "Volumes", "Touches", "PointTouches",
         "Candidates", "Certificate", "FreeStep", "KineticImage", "Mesh", "Separation", "Windows", "Tracker", "Tracks")
TUPLES = ("Candidates", "Counters", "Distance", "FreeStep")


def public(of):
    return {n for n in dir(of) if not n.startswith("_")}


def test_everything_is_documented():
    for name in TYPES:
        kind = getattr(_pliant, name)
        assert kind.__doc__, name
        for member in public(kind) - {"count", "index"} - ({"n_fields"} if name in TUPLES else set()):
            if name in TUPLES and member.startswith("n_") and member not in ("n_v", "n_p", "n_u"):
                continue
            assert getattr(kind, member).__doc__, f"{name}.{member}"
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        assert isinstance(thing, int) or thing.__doc__, name


def test_help_teaches():
    text = pydoc.plain(pydoc.render_doc(pliant))
    for word in ("pliant.load(", "set_positions", "touching(ball)", "borrow=True", "ValueError", "Context(threads=1)"):
        assert word in text
    assert "budget_ms" in pydoc.plain(pydoc.render_doc(pliant.Body))
    assert "positions  (n, 3)" in pydoc.plain(pydoc.render_doc(pliant.free))


def test_signatures():
    assert "budget_tests" in inspect.signature(pliant.Body.touching).parameters
    for kind in (pliant.Body, pliant.Scene, pliant.Context, pliant.Separation, pliant.KineticImage, pliant.Mesh):
        for name in public(kind):
            member = getattr(kind, name)
            if callable(member):
                assert inspect.signature(member), name


def test_stubs_fit_the_module():
    """Every public name of the compiled part stands in the stub with the same parameters, and none that is not there."""
    with open(os.path.join(os.path.dirname(pliant.__file__), "_pliant.pyi"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    functions = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert functions == {n for n in public(_pliant) if inspect.isbuiltin(getattr(_pliant, n))}
    assert set(classes) - {"_Result"} == set(TYPES)
    common = {n.name for n in classes["_Result"].body}
    for name in TYPES:
        members = {n.name for n in classes[name].body if isinstance(n, ast.FunctionDef)}
        fields = {n.target.id for n in classes[name].body if isinstance(n, ast.AnnAssign)}
        if any(isinstance(b, ast.Name) and b.id == "_Result" for b in classes[name].bases):
            members |= common
        members = {m for m in members if not m.startswith("_")}
        there = public(getattr(_pliant, name))
        if name in TUPLES:
            there = {n for n in there if n not in ("count", "index", "n_fields", "n_sequence_fields", "n_unnamed_fields")}
        extra = fields if name in ("Hits", "Impacts", "Contacts", "NearPairs", "FeaturePairs", "Regions", "Segments", "Volumes", "Touches", "Triangles") else set()
        assert members | (fields - extra) == there, name
        for node in classes[name].body:
            member = getattr(getattr(_pliant, name), getattr(node, "name", "_"), None)
            if isinstance(node, ast.FunctionDef) and callable(member) and not node.name.startswith("_"):
                given = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
                real = [p.name for p in inspect.signature(member).parameters.values() if p.kind != p.VAR_KEYWORD]
                assert given == real, f"{name}.{node.name}"


# What Python has in another way: definitions are arguments, words are strings, workers and positions come by themselves.
PLUMBING = re.compile(r"pl_\w+_(init|default|sized|parse|text|words)|pl_positions_\w+|pl_transform_identity|pl_ray_from|pl_body_def_print|pl_context_run")
OTHERWISE = {"pl_two", "pl_self", "pl_one", "pl_all", "pl_holder_create", "pl_holder_destroy", "pl_mesh_check", "pl_scene_body_count", "pl_scene_member_body", "pl_triangle_meets"}
# What Python does not have yet.
MISSING = {"pl_distance_displacement"}


def test_every_function_of_the_library_is_there():
    """Each public function is called by the module, or stands in a list above."""
    here = os.path.dirname(os.path.abspath(__file__))
    headers, sources = os.path.join(here, "..", "..", "..", "include", "pliant"), os.path.join(here, "..", "src")
    if not os.path.isdir(headers):
        pytest.skip("only in a checkout")

    def names(folder, ending):
        text = "".join(open(os.path.join(folder, f), encoding="utf-8").read() for f in sorted(os.listdir(folder)) if f.endswith(ending))
        return set(re.findall(r"\bpl_[a-z0-9_]+", re.sub(r"/\*.*?\*/", "", text, flags=re.S))), text

    declared = {n for n in re.findall(r"\b(pl_[a-z0-9_]+)\(", re.sub(r"/\*.*?\*/", "", names(headers, ".h")[1], flags=re.S))}
    used = names(sources, ".c")[0]
    assert len(declared) > 100
    assert {n for n in declared - used if not PLUMBING.fullmatch(n)} - OTHERWISE - MISSING == set()
