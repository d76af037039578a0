"""What the buttons of the panel do."""

import time

import bpy
import numpy

from . import draw, meshes, state
from .run import Order, Run, choose, export

SLICE = 0.05  # seconds that a cancellable operator works at a time


def order_of(context):
    s = context.scene.pliant
    start, end = (s.start, s.end) if s.use_range else (context.scene.frame_start, context.scene.frame_end)
    return Order(choose(context, s.what, s.collection), start, end, s.step, within=s.within, between=s.between,
                 reference=s.reference, fail_on=s.fail_on, depth=s.depth, ignore=[p for p in s.ignore.split(";") if p.strip()])


class Played:
    """An operator that plays frames: blocking without a window, otherwise a piece at a time until it is done or Esc is pressed."""

    def execute(self, context):
        try:
            for _ in self.begin(context):
                pass
            return self.end(context, True)
        except (meshes.Problem, ValueError, OSError) as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.steps = self.begin(context)
        except (meshes.Problem, ValueError, OSError) as problem:
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        window = context.window_manager
        self.timer = window.event_timer_add(0.01, window=context.window)
        window.modal_handler_add(self)
        window.progress_begin(0, 100)
        context.scene.pliant.progress = 0
        context.workspace.status_text_set("Looking for contacts; Esc cancels")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" or context.scene.pliant.cancel:
            self.leave(context)
            return self.end(context, False)
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in ("MIDDLEMOUSE", "MOUSEMOVE", "WHEELUPMOUSE", "WHEELDOWNMOUSE") or \
                self.over_panel(context, event) else {"RUNNING_MODAL"}
        try:
            until = time.monotonic() + SLICE
            while time.monotonic() < until:
                part = next(self.steps, None)
                if part is None:
                    self.leave(context)
                    return self.end(context, True)
                context.scene.pliant.progress = part
            context.window_manager.progress_update(int(100 * part))
        except (meshes.Problem, ValueError, OSError) as problem:
            self.leave(context)
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        draw.redraw(context)
        return {"RUNNING_MODAL"}

    @staticmethod
    def over_panel(context, event):
        """Whether the mouse is over the sidebar, whose button cancels."""
        for area in context.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.type == "UI" and 0 <= event.mouse_x - region.x < region.width and 0 <= event.mouse_y - region.y < region.height:
                    return True
        return False

    def leave(self, context):
        """Ends what shows progress, and the generator, which puts the frame back."""
        self.steps.close()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        context.scene.pliant.progress = -1
        context.scene.pliant.cancel = False
        draw.redraw(context)


class PLIANT_OT_check(Played, bpy.types.Operator):
    """Play the frames and list the places where surfaces intersect. Esc cancels and keeps what was found until then"""
    bl_idname = "pliant.check"
    bl_label = "Find Contacts"
    bl_options = {"REGISTER", "UNDO"}

    def begin(self, context):
        self.run = Run(context, order_of(context))
        return self.run.steps()

    def end(self, context, done):
        scene = context.scene
        if not self.run.follower:
            return {"CANCELLED"}
        self.run.finish()
        state.put(scene, self.run)
        scene.pliant.fill(self.run)
        failing = sum(f.fails for f in self.run.findings)
        text = f"{len(self.run.findings)} contacts, {failing} fail"
        scene.pliant.summary = text if done else text + " (cancelled)"
        self.report({"INFO"}, scene.pliant.summary)
        draw.redraw(context)
        return {"FINISHED"}


class PLIANT_OT_export(Played, bpy.types.Operator):
    """Write NAME.obj and NAME.pc2 of every object into a folder, for the command pliant and other programs"""
    bl_idname = "pliant.export_cache"
    bl_label = "Export Cache"
    bl_options = {"REGISTER"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, event):
        if not self.directory:
            context.window_manager.fileselect_add(self)
            return {"RUNNING_MODAL"}
        return super().invoke(context, event)

    def begin(self, context):
        if not self.directory:
            raise meshes.Problem("choose a folder for the cache")
        order = order_of(context)
        self.count = len(order.objects)
        return export(context, order, bpy.path.abspath(self.directory))

    def end(self, context, done):
        if done:
            self.report({"INFO"}, f"{self.count} caches in {self.directory}")
        return {"FINISHED"} if done else {"CANCELLED"}


class PLIANT_OT_cancel(bpy.types.Operator):
    """End the run and keep what was found until now"""
    bl_idname = "pliant.cancel"
    bl_label = "Cancel"
    bl_options = {"INTERNAL"}

    def execute(self, context):
        context.scene.pliant.cancel = True
        return {"FINISHED"}


class WithResult:
    @classmethod
    def poll(cls, context):
        results = state.of(context.scene)
        return results is not None and results.active(context.scene.pliant) is not None


class PLIANT_OT_go(WithResult, bpy.types.Operator):
    """Show a contact: its worst frame, and the place in the view"""
    bl_idname = "pliant.go"
    bl_label = "Go to Contact"
    bl_options = {"REGISTER", "UNDO"}

    where: bpy.props.EnumProperty(items=(("WORST", "Worst", "The first one of the list"), ("NEXT", "Next", "The next one of the list"),
                                         ("PREVIOUS", "Previous", "The one before"), ("HERE", "Here", "The active one")), default="HERE")

    def execute(self, context):
        s = context.scene.pliant
        step = {"WORST": -s.index, "NEXT": 1, "PREVIOUS": -1, "HERE": 0}[self.where]
        s.index = (s.index + step) % len(s.findings)  # which shows it
        return {"FINISHED"}


def show(context, finding):
    """Goes to the worst frame of a finding and turns all 3D views to it."""
    context.scene.frame_set(finding.worst)
    size = float(numpy.linalg.norm(finding.box[1] - finding.box[0]))
    for area in context.screen.areas if context.screen else ():
        if area.type != "VIEW_3D":
            continue
        view = area.spaces.active.region_3d
        if view.view_perspective == "CAMERA":
            view.view_perspective = "PERSP"
        view.view_location = [float(x) for x in finding.at]
        view.view_distance = max(4 * size, 8 * finding.depth, 10 * area.spaces.active.clip_start)
    draw.redraw(context)


class PLIANT_OT_select(WithResult, bpy.types.Operator):
    """Select the faces of the active contact that touch in this frame, in Edit Mode"""
    bl_idname = "pliant.select_faces"
    bl_label = "Select Faces"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        results = state.of(context.scene)
        active = results.active(context.scene.pliant)
        sides = results.triangles(active.id, context.scene.frame_current)
        if not sides:
            self.report({"WARNING"}, "The contact is not there in this frame")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        faces, unknown = self.faces(context, results, sides)
        if unknown or not faces:
            self.report({"WARNING"}, f"Faces of {', '.join(unknown)} cannot be selected: a modifier or simulation makes them")
            return {"CANCELLED"}
        for o in context.selected_objects:
            o.select_set(False)
        for obj, chosen in faces.items():
            self.select(obj, chosen)
            obj.select_set(True)
            context.view_layer.objects.active = obj
        context.tool_settings.mesh_select_mode = (False, False, True)
        bpy.ops.object.mode_set(mode="EDIT")
        self.report({"INFO"}, f"{sum(map(len, faces.values()))} faces selected")
        return {"FINISHED"}

    def faces(self, context, results, sides):
        found, unknown = {}, []
        for number, triangles in sides:
            obj = context.scene.objects.get(results.names[number])
            chosen = obj and meshes.faces_of(obj, results.follower.bodies[number].source, triangles, context)
            if chosen is None:
                unknown.append(results.names[number])
            else:
                found[obj] = numpy.union1d(found.get(obj, chosen), chosen)
        return found, unknown

    @staticmethod
    def select(obj, faces):
        mesh = obj.data
        mesh.vertices.foreach_set("select", numpy.zeros(len(mesh.vertices), bool))
        mesh.edges.foreach_set("select", numpy.zeros(len(mesh.edges), bool))
        chosen = numpy.zeros(len(mesh.polygons), bool)
        chosen[faces] = True
        mesh.polygons.foreach_set("select", chosen)
        mesh.update()


class PLIANT_OT_clear(bpy.types.Operator):
    """Forget the contacts"""
    bl_idname = "pliant.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        state.forget(context.scene)
        context.scene.pliant.findings.clear()
        context.scene.pliant.summary = ""
        draw.redraw(context)
        return {"FINISHED"}


classes = (PLIANT_OT_check, PLIANT_OT_export, PLIANT_OT_cancel, PLIANT_OT_go, PLIANT_OT_select, PLIANT_OT_clear)


def register():
    for c in classes:
        bpy.utils.register_class(c)


def unregister():
    for c in reversed(classes):
        bpy.utils.unregister_class(c)
