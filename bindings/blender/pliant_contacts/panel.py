"""The tab "Pliant" of the sidebar: settings, and the list of contacts."""

import bpy

from . import operators, rules, state


class PliantFinding(bpy.types.PropertyGroup):
    number: bpy.props.IntProperty()
    depth: bpy.props.FloatProperty(subtype="DISTANCE")
    first: bpy.props.IntProperty()
    last: bpy.props.IntProperty()
    worst: bpy.props.IntProperty()
    fails: bpy.props.BoolProperty()
    kind: bpy.props.StringProperty()


def show_active(settings, context):
    results = state.of(settings.id_data)
    finding = results and results.active(settings)
    if finding is not None and context.scene == settings.id_data:
        operators.show(context, finding)


def redraw(settings, context):
    operators.draw.redraw(context)


class PliantSettings(bpy.types.PropertyGroup):
    what: bpy.props.EnumProperty(name="Objects", items=(
        ("SELECTED", "Selected", "All selected objects that have faces"),
        ("VISIBLE", "Visible", "All visible objects that have faces"),
        ("COLLECTION", "Collection", "The objects of a collection")))
    collection: bpy.props.PointerProperty(type=bpy.types.Collection, name="Collection")
    within: bpy.props.BoolProperty(name="Itself", default=True, description="Intersections of an object with itself")
    between: bpy.props.BoolProperty(name="Others", description="Intersections of different objects")
    use_range: bpy.props.BoolProperty(name="Frame Range", description="Other frames than those of the scene")
    start: bpy.props.IntProperty(name="Start", default=1)
    end: bpy.props.IntProperty(name="End", default=250)
    step: bpy.props.IntProperty(name="Step", default=1, min=1)
    reference: bpy.props.EnumProperty(name="Known Are Those of", description="Contacts of this pose are meant to be there", items=(
        ("FIRST", "First Frame", "The first frame that is looked at"),
        ("REST", "Rest Pose", "The rest pose of the armatures")))
    fail_on: bpy.props.EnumProperty(name="Fails", items=rules.FAIL_ON)
    depth: bpy.props.FloatProperty(name="Depth", subtype="DISTANCE", min=0, precision=4,
                                   description="Only contacts that are at least so deep fail")
    ignore: bpy.props.StringProperty(name="Ignore", description="Pairs of objects, bones or materials that may meet: "
                                     "LeftHand,LeftUpLeg; several with semicolons, * and ? are allowed")
    show: bpy.props.BoolProperty(name="Contacts", default=True, update=redraw, description="Draw contacts over the model")
    xray: bpy.props.BoolProperty(name="X-Ray", default=True, update=redraw, description="Draw contacts through the model")
    only_failing: bpy.props.BoolProperty(name="Only Failing", description="List only contacts that fail")
    findings: bpy.props.CollectionProperty(type=PliantFinding)
    index: bpy.props.IntProperty(update=show_active, options=set())
    summary: bpy.props.StringProperty()
    progress: bpy.props.FloatProperty(name="Progress", subtype="FACTOR", min=-1, max=1, default=-1, options={"SKIP_SAVE"})
    cancel: bpy.props.BoolProperty(options={"SKIP_SAVE"})

    def fill(self, run):
        self.findings.clear()
        for f in run.findings:
            row = self.findings.add()
            row.name, row.number, row.depth, row.kind = f.name, f.id, f.depth, f.kind
            row.first, row.last, row.worst, row.fails = f.first, f.last, f.worst, f.fails
        self.index = 0  # which shows the worst


class PLIANT_UL_findings(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.split(factor=0.44, align=True)
        row.alert = item.fails  # an icon would take a third of the name's room
        row.label(text=item.name)
        right = row.split(factor=0.7, align=True)
        right.label(text=rules.show_short(item.depth, context.scene.unit_settings.scale_length))
        right.label(text=str(item.worst))

    def filter_items(self, context, data, name):
        items = getattr(data, name)
        flags = bpy.types.UI_UL_list.filter_items_by_name(self.filter_name, self.bitflag_filter_item, items, "name") \
            if self.filter_name else [self.bitflag_filter_item] * len(items)
        if data.only_failing:
            flags = [flag if item.fails else 0 for flag, item in zip(flags, items)]
        return flags, []


class Tab:
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Pliant"


class PLIANT_PT_main(Tab, bpy.types.Panel):
    bl_label = "Contacts"

    def draw(self, context):
        layout, s = self.layout, context.scene.pliant
        layout.use_property_split, layout.use_property_decorate = True, False
        if s.progress >= 0:
            row = layout.row(align=True)
            row.prop(s, "progress", text="", slider=True)
            row.operator("pliant.cancel", text="", icon="X")
            return
        layout.prop(s, "what")
        if s.what == "COLLECTION":
            layout.prop(s, "collection")
        column = layout.column(heading="Each with")
        column.prop(s, "within")
        column.prop(s, "between")
        column = layout.column(heading="Frames")
        column.prop(s, "use_range", text="")
        if s.use_range:
            column = layout.column(align=True)
            column.prop(s, "start")
            column.prop(s, "end")
        layout.prop(s, "step")
        layout.operator("pliant.check", icon="VIEWZOOM")
        if s.summary:
            layout.label(text=s.summary)


class PLIANT_PT_rule(Tab, bpy.types.Panel):
    bl_label, bl_parent_id, bl_options = "Rule", "PLIANT_PT_main", {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, s = self.layout, context.scene.pliant
        layout.use_property_split, layout.use_property_decorate = True, False
        for name in ("reference", "fail_on", "depth", "ignore"):
            layout.prop(s, name)


class PLIANT_PT_list(Tab, bpy.types.Panel):
    bl_label = "List"

    @classmethod
    def poll(cls, context):
        return len(context.scene.pliant.findings) > 0

    def draw(self, context):
        layout, s = self.layout, context.scene.pliant
        layout.template_list("PLIANT_UL_findings", "", s, "findings", s, "index", rows=6)
        row = layout.row(align=True)
        row.operator("pliant.go", text="Worst", icon="REW").where = "WORST"
        row.operator("pliant.go", text="", icon="TRIA_LEFT").where = "PREVIOUS"
        row.operator("pliant.go", text="", icon="TRIA_RIGHT").where = "NEXT"
        row.prop(s, "only_failing", text="", icon="FILTER")
        if 0 <= s.index < len(s.findings):
            self.draw_active(layout, s.findings[s.index])
        layout.operator("pliant.select_faces", icon="FACESEL")
        row = layout.row(align=True)
        row.prop(s, "show", toggle=True, icon="OVERLAY")
        row.prop(s, "xray", toggle=True, icon="XRAY")
        row = layout.row(align=True)
        row.operator("pliant.export_cache", icon="EXPORT")
        row.operator("pliant.clear", text="", icon="TRASH")
        if state.of(context.scene) is None:
            layout.label(text="Find contacts again to see them", icon="INFO")

    @staticmethod
    def draw_active(layout, item):
        box = layout.column(align=True)
        box.label(text=item.name)
        where = f"frame {item.first}" if item.first == item.last else f"frames {item.first} to {item.last}"
        box.label(text=f"{item.kind}, {where}")


classes = (PliantFinding, PliantSettings, PLIANT_UL_findings, PLIANT_PT_main, PLIANT_PT_rule, PLIANT_PT_list)


def register():
    for c in classes:
        bpy.utils.register_class(c)
    bpy.types.Scene.pliant = bpy.props.PointerProperty(type=PliantSettings)


def unregister():
    del bpy.types.Scene.pliant
    for c in reversed(classes):
        bpy.utils.unregister_class(c)
