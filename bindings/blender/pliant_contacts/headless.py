"""The gate for CI: a table on stdout, JSON and caches on request, and the exit codes of `pliant check`."""

import json as json_format
import sys

import bpy

from .meshes import Problem
from .rules import parse_length, show_length
from .run import Order, Run, choose, export


def gate(objects=None, *, start=None, end=None, step=1, fail_on="new", depth=0, between=False, within=True, reference="first",
         ignore=(), json=None, cache=None, leave=True):
    """Check the animation of the open file, print a table and leave Blender with a code: 0 nothing fails, 1 something does, 2 an
    error, with one line on stderr.

    objects    names or patterns; None: all visible objects with faces
    start, end frames; None: those of the scene
    fail_on    "new", "growing", "any" or "none": compared with the reference pose
    reference  "first": the first frame; "rest": the rest pose of the armatures
    depth      only what is so deep fails: "2mm", or a number of Blender's units
    between    also different objects; within=False: only those
    ignore     "A,B": intersections of A with B, each the name of an object, bone or material; patterns are allowed
    json       a file for the findings
    cache      a folder for NAME.obj and NAME.pc2 of every object, which the command pliant reads
    leave      False: return the code instead
    """
    try:
        code = report(bpy.context, order_of(objects, start, end, step, fail_on, depth, between, within, reference, ignore), json, cache)
    except (Problem, OSError, ValueError) as problem:
        print(f"pliant: {problem}", file=sys.stderr)
        code = 2
    if leave:
        sys.stdout.flush()
        sys.exit(code)
    return code


def order_of(objects, start, end, step, fail_on, depth, between, within, reference, ignore):
    scene = bpy.context.scene
    if fail_on.upper() not in ("NEW", "GROWING", "ANY", "NONE"):
        raise Problem(f"fail_on is new, growing, any or none, not {fail_on}")
    if reference.upper() not in ("FIRST", "REST"):
        raise Problem(f"reference is first or rest, not {reference}")
    patterns = [objects] if isinstance(objects, str) else objects
    return Order(choose(bpy.context, "VISIBLE", patterns=patterns), scene.frame_start if start is None else start,
                 scene.frame_end if end is None else end, step, within=within, between=between, reference=reference.upper(),
                 fail_on=fail_on.upper(), depth=parse_length(depth, scene.unit_settings.scale_length),
                 ignore=[ignore] if isinstance(ignore, str) else ignore)


def report(context, order, json, cache):
    run = Run(context, order)
    for _ in run.steps():
        pass
    findings, scale = run.finish(), context.scene.unit_settings.scale_length
    print_table(context, run, findings, scale)
    if json:
        with open(json, "w", encoding="utf-8") as file:
            json_format.dump(result_of(run, findings, scale), file, indent=1)
            file.write("\n")
    if cache:
        for _ in export(context, order, cache):
            pass
    return 1 if any(f.fails for f in findings) else 0


def print_table(context, run, findings, scale):
    name = bpy.path.basename(context.blend_data.filepath) or "unsaved"
    failing = sum(f.fails for f in findings)
    print(f"{name}: {len(run.order.objects)} objects, {run.frames_done} frames, {len(findings)} findings, {failing} fail")
    for f in findings:
        frames = f"frame {f.first}" if f.first == f.last else f"frames {f.first} to {f.last}, worst in frame {f.worst}"
        print(f"  {'FAIL ' if f.fails else '     '}{f.kind:8} {f.name}, {show_length(f.depth, scale)} deep, {frames}")


def result_of(run, findings, scale):
    """What the file of `json` holds."""
    frames = {frame: {"regions": len(at.ids), "pairs": sum(at.counts), "depth": max(at.depths, default=0)}
              for frame, at in run.follower.frames.items()}
    for frame, at in run.follower.frames.items():
        frames[frame]["objects"] = {o.name: sum(n for n, m in zip(at.counts, at.members) if m == [i, i])
                                    for i, o in enumerate(run.order.objects)}
    rows = [{"name": f.name, "kind": f.kind, "fails": f.fails, "first": f.first, "last": f.last, "worst": f.worst, "depth": f.depth,
             "metres": f.depth * scale, "area": f.area, "at": [float(x) for x in f.at], "sides": f.sides} for f in findings]
    return {"objects": [o.name for o in run.order.objects], "frames": frames, "findings": rows}
