"""Meshes for the tests. They need numpy; test_plain.py runs without."""

import math
import os

import numpy
import pytest

import pliant

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "shared", "data")


def sphere(rows=8, columns=12, centre=(0, 0, 0), radius=1.0, type=numpy.float32):
    """A closed sphere of triangles that face outwards."""
    points = [(0, 0, 1)]
    for i in range(1, rows):
        for k in range(columns):
            a, b = math.pi * i / rows, 2 * math.pi * k / columns
            points.append((math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)))
    points.append((0, 0, -1))
    last = len(points) - 1
    faces = []
    for k in range(columns):
        n = (k + 1) % columns
        faces.append((0, 1 + k, 1 + n))
        faces.append((last, last - columns + n, last - columns + k))
        for i in range(rows - 2):
            p, q = 1 + i * columns, 1 + (i + 1) * columns
            faces += [(p + k, q + k, q + n), (p + k, q + n, p + n)]
    positions = (numpy.array(points) * radius + numpy.array(centre)).astype(type)
    return positions, numpy.array(faces, numpy.uint32)


@pytest.fixture
def context():
    return pliant.Context(threads=1)


@pytest.fixture
def two(context):
    """Two spheres that touch."""
    a, triangles = sphere()
    b, _ = sphere(centre=(1.5, 0.1, 0.2))
    return context.free(a, triangles, name="a"), context.free(b, triangles, name="b")


def data(*parts):
    path = os.path.join(DATA, *parts)
    if not os.path.exists(path):
        pytest.skip(f"{os.path.join(*parts)} is not here")
    return path
