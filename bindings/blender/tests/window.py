"""blender SCENE.blend --python window.py -- PICTURE.png, in a window: opens the tab, runs the modal check to its end, clicks a row,
cancels a second run with Esc, and takes a picture."""

import sys

import bpy
from pliant_contacts import state

PICTURE = sys.argv[sys.argv.index("--") + 1]


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    return window, area


def events(window, *what):
    for kind, value, x, y in what:
        window.event_simulate(type=kind, value=value, x=x, y=y)


def click(window, x, y):
    events(window, ("MOUSEMOVE", "NOTHING", x, y), ("LEFTMOUSE", "PRESS", x, y), ("LEFTMOUSE", "RELEASE", x, y))


def open_tab():
    window, area = view()
    area.spaces.active.show_region_ui = True
    area.spaces.active.shading.type = "SOLID"
    for other in window.screen.areas:
        if other.type == "DOPESHEET_EDITOR":
            other.ui_type = "TIMELINE"
    return 1.0


def click_tab():
    window, area = view()
    side = next(r for r in area.regions if r.type == "UI")
    click(window, side.x + side.width - 14, area.y + area.height - 214)
    return 1.0


def check():
    window, area = view()
    bpy.context.scene.pliant.what = "VISIBLE"
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        assert bpy.ops.pliant.check("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    return 1.0


def wait():
    """Until the modal operator has ended."""
    return 0.5 if bpy.context.scene.pliant.progress >= 0 else None


def found():
    s = bpy.context.scene.pliant
    assert len(s.findings) > 3 and "cancelled" not in s.summary and s.findings[0].fails, s.summary
    s.index = next(i for i, r in enumerate(s.findings) if r.name == "Arm in Leg")  # as a click on the row does
    assert bpy.context.scene.frame_current == s.findings[s.index].worst
    return 1.5


def picture():
    window, area = view()
    with bpy.context.temp_override(window=window, area=area):
        bpy.ops.screen.screenshot(filepath=PICTURE)
    return 0.5


def cancel():
    window, area = view()
    assert bpy.context.scene.pliant.progress >= 0
    events(window, ("ESC", "PRESS", area.x + 200, area.y + 200), ("ESC", "RELEASE", area.x + 200, area.y + 200))
    return 1.0


def cancelled():
    s = bpy.context.scene.pliant
    assert s.progress < 0 and "cancelled" in s.summary, (s.progress, s.summary)
    assert state.of(bpy.context.scene).follower.frames.keys() < set(range(1, 401))


def longer():
    bpy.context.scene.frame_end = 400
    return check() and 0.05


STEPS = [open_tab, click_tab, check, wait, found, picture, longer, cancel, cancelled]


def step():
    try:
        pause = STEPS[0]()
        if STEPS[0] is not wait or pause is None:
            del STEPS[0]
    except Exception:
        import traceback
        traceback.print_exc()
        STEPS.clear()
        pause = None
        print("window: failed")
    else:
        if not STEPS:
            print("window: done")
    sys.stdout.flush()
    if not STEPS:
        bpy.ops.wm.quit_blender()
        return None
    return pause or 0.3


bpy.app.timers.register(step, first_interval=2.0)
