"""Steps of solvers: positions that are free of contact, gaps that are kept, certificates of scenes."""

import numpy as np
import pytest

import pliant

FACE = [[-1, 0, -1], [1, 0, -1], [0, 0, 1]]
ABOVE = [[0, 0.5, 0], [0.1, 1, 0], [-0.1, 1, 0]]
ONE = [[0, 1, 2]]


def falling(dtype, by=1.0, gap=0.5):
    """A face that lies still, and a triangle above it that wants to fall through."""
    face = pliant.free(np.array(FACE, dtype), ONE)
    start = (np.array(ABOVE) + [0, gap - 0.5, 0]).astype(dtype)
    body = pliant.free(start, ONE)
    body.keep_pose()
    target = (start - np.array([0, by, 0])).astype(dtype)
    body.set_positions(target)
    return face, body, start, target


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_step_ends_before_the_contact(dtype):
    face, body, start, target = falling(dtype)
    step = body.free_step(face)
    assert step.time == pytest.approx(0.5, abs=1e-6)
    assert 0.49 < step.safe_step <= step.time
    assert step.bodies == (body,)
    assert step.positions[0].dtype == dtype
    part = start.dtype.type(step.safe_step)
    assert np.array_equal(step.positions[0], start + part * (target - start))
    assert np.array_equal(body.positions, step.positions[0])
    assert len(body.touching(face)) == 0
    assert step.tries >= 1 and step.counters.n_p > 0


def test_gaps_are_kept():
    face, body, start, target = falling("float64")
    step = face.free_step(body, margin=0.4, kept_gap=0.2)
    assert step.positions[0][0, 1] == pytest.approx(0.1, abs=1e-3)
    # what starts within the margin and goes away is free with a kept gap, and stuck without one
    face, body, start, target = falling("float64", by=-1.0, gap=0.0005)
    assert body.impacts(face, margin=0.001).safe_step == 0
    assert body.impacts(face, margin=0.001, kept_gap=0.9).safe_step == 1
    assert body.free_step(face, margin=0.001, kept_gap=0.9).safe_step == 1
    assert np.array_equal(body.positions, target)


def test_steps_of_scenes_and_of_one_body():
    face, body, start, target = falling("float32")
    scene = pliant.scene([face, body])
    assert len(scene.impacts(margin=0.4, kept_gap=0.2)) == 1
    step = scene.free_step(margin=0.4, kept_gap=0.2)
    assert step.bodies == (body,)
    assert 0.3 < step.safe_step < 0.5
    assert len(scene.touching()) == 0
    # both in one body
    both = pliant.free(np.array(FACE + ABOVE), [[0, 1, 2], [3, 4, 5]])
    both.keep_pose()
    both.set_positions(np.concatenate([np.array(FACE, float), np.array(ABOVE) - [0, 1, 0]]))
    step = both.free_step()
    assert 0.49 < step.safe_step <= 0.5
    assert len(both.touching()) == 0


def test_steps_are_refused_whole():
    face, body, start, target = falling("float64")
    with pytest.raises(ValueError, match="no body steps"):
        face.free_step()
    with pytest.raises(TypeError, match="pliant.Body"):
        body.free_step(face, stepping=[1])
    with pytest.raises(ValueError, match="no kept pose"):
        body.free_step(face, stepping=[face])
    with pytest.raises(ValueError, match="kept_gap|fraction|gap"):
        body.free_step(face, margin=1, kept_gap=1)
    assert np.array_equal(body.positions, target)
    borrowed = pliant.free(np.array(ABOVE), ONE, borrow=True)
    borrowed.keep_pose()
    with pytest.raises(ValueError, match="borrows"):
        borrowed.free_step(face)
    other = pliant.free(np.array(ABOVE) + [0, 3, 0], ONE)
    other.keep_pose()
    with pytest.raises(ValueError, match="not asked"):
        body.free_step(face, stepping=[body, other])


def test_certificates_of_scenes():
    face, body, start, target = falling("float64")
    body.set_positions(start)
    scene = pliant.scene([face, body])
    sure = scene.certificate(0.8)
    assert not sure.spend()["holds"]
    kept = sure.renew()
    assert kept.groups[0][:2] == (face, body)
    assert sure.radii(body)[0] == pytest.approx(0.25, abs=1e-9)
    assert sure.displacement(face, body) == pytest.approx(0.25, abs=1e-9)
    body.set_positions(start - [0, 0.2, 0])
    state = sure.spend()
    assert state["holds"] and state["spent"] == pytest.approx(0.8) and sure.bodies[state["body"]] is body
    assert scene.measure(kept).distance.min() == pytest.approx(0.3)
    body.set_positions(start - [0, 0.3, 0])
    assert not sure.spend()["holds"]
    with pytest.raises(TypeError):
        sure.displacement()
