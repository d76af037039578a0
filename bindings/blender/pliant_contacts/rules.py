"""Which findings fail: the rules of `pliant check`."""

import fnmatch
import re

from .meshes import Problem

FAIL_ON = (("NEW", "New", "What the reference pose does not have"),
           ("GROWING", "New or growing", "Also what is deeper than in the reference pose by more than a tenth"),
           ("ANY", "Any", "Everything that intersects"),
           ("NONE", "None", "Only list what there is"))
METRES = {"m": 1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}


def parse_length(text, scale):
    """A length in Blender's units: a number of them, or with a unit ("2mm") and the metres of a unit."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[-+]?\d+)?)\s*([a-z]*)\s*", str(text))
    if not match or (match[2] and match[2] not in METRES):
        raise Problem(f"{text} is no length; write 2mm, 0.5cm, or a number of Blender's units")
    return float(match[1]) * (METRES[match[2]] / scale if match[2] else 1)


def show_length(length, scale):
    metres = length * scale
    return f"{metres:.4g} m" if metres >= 1 else f"{1000 * metres:.4g} mm"


def show_short(length, scale):
    """For a narrow column."""
    metres = length * scale
    return f"{metres:.1f} m" if metres >= 1 else f"{1000 * metres:.0f} mm" if metres >= 0.01 else f"{1000 * metres:.1f} mm"


def matches(pattern, side):
    return any(side[k] and fnmatch.fnmatchcase(side[k], pattern) for k in ("object", "bone", "material"))


def is_ignored(patterns, sides):
    """Patterns are "A,B", in either order."""
    for both in patterns:
        first, comma, second = both.partition(",")
        if comma and any(matches(first.strip(), sides[i]) and matches(second.strip(), sides[1 - i]) for i in (0, 1)):
            return True
    return False


def judge(findings, fail_on, depth, ignore):
    for f in findings:
        f.ignored = is_ignored(ignore, f.sides)
        wanted = {"ANY": True, "NONE": False, "NEW": not f.known, "GROWING": not f.known or f.grows}[fail_on]
        f.fails = wanted and not f.ignored and f.depth >= depth
    return sorted(findings, key=lambda f: (not f.fails, f.ignored, -f.depth, f.first))
