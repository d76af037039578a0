"""Exact queries on deforming triangle meshes: which triangles touch, how far apart bodies are, what a ray hits.

Five lines, for an animated file:

    import pliant
    film = pliant.load("scene.glb")                 # or OBJ, PLY, STL, OFF, or a numbered sequence of them
    for time in film.play(fps=30):
        for a, b, range in film.scene.touching().groups:
            print(f"{time:.2f} s: {a.name} touches {b.name}")

A simulation, with numpy:

    cloth = pliant.free(positions, triangles)       # (n, 3) float32 or float64, (m, 3) integers
    ball = pliant.rigid(ball_positions, ball_triangles)
    for step in range(100):
        positions = simulate(positions)
        cloth.set_positions(positions)              # no update call: queries refit what they need
        for a, b in cloth.touching(ball):              # triangles that touch, decided exactly
            ...

Bodies   free(), rigid(), morph(), skin(), embed(), subdivide(), points(), soup(), match(), flight(), and
         whatever load() finds.
         Set what moves them: set_positions(), set_vertices(), set_transform(), set_weights(), set_bones(),
         set_controls(), set_goals(), set_time(). body.positions reads them back, whatever the motion.
Asked    Without `other`, the body itself is asked; scene(bodies) is asked about all of its bodies at once.
         body.touching(other)          triangles that touch                  -> Pairs
         body.near(other, margin=m)    vertex-face and edge-edge pairs       -> FeaturePairs
         body.near_triangles(other, margin=m)  triangles within a margin     -> NearPairs
         body.nearest(other)           least distance, its points            -> Distance
         body.impacts(other)           when they meet after keep_pose()      -> Impacts
         body.free_step(other)         a step to positions without contact   -> FreeStep
         body.certificate(margin)      how far vertices may go without one   -> Certificate
         body.candidates(other)        features to decide after keep_pose()  -> Candidates
         body.segments(other)          where touching triangles cross        -> Segments
         body.penetrations(other)      how deep bodies are in each other     -> Penetrations
         body.regions(other)           connected intersections               -> Regions
         body.regions(track=context.tracker())  and what continues what      -> Regions with Tracks
         body.sphere_contacts(other)   spheres of bodies of match()          -> Touches
         body.windows(other)           when triangles of flight() come near  -> Windows
Probes   body.cast(origins, directions)   what rays hit                      -> Hits
         body.closest(points)          closest points of the surface         -> Points
         body.inside(points)           inside, outside or on                 -> Points
         body.signed_distance(points)  both                                  -> Points
         body.overlap(box=(lower, upper))  also sphere=, planes=, camera=    -> Triangles
Further  body.separation(other)        contacts of flight() by events        -> Separation
         body.kinetic_image(origins, directions)  what rays see of flight()  -> KineticImage
         body.volumes(level)           the boxes of a tree, for viewers      -> Volumes
Scenes   scene(bodies): touching(), near(), near_triangles(), nearest(), impacts(), free_step(), certificate(), regions(),
         sphere_contacts(), and all probes; filters see both bodies, exclude(a, b) leaves a pair of bodies out.
Meshes   mesh(positions, triangles): what is unusual about it, and which triangles meet where.
         weld(positions, triangles): one vertex for those that are one point; load() and read() do it by themselves.

Results own their data. Their columns are numpy arrays where numpy is installed (hits.t, hits.triangle,
near.distance, ...), and a result is itself an array by the buffer protocol: numpy.asarray(pairs) is (n, 2).
Without numpy the columns are pliant.Array, which memoryview() reads. Every result has `counters` (what the
query cost) and `partial` (whether a budget ended it).

Positions are copied when they are set. free(..., borrow=True) reads your array in place instead; set it
again after every change, or queries read numbers that their volumes do not bound.

What is wrong (shapes, types, NaN, indices) raises ValueError or TypeError with one sentence that names the
place, a missing file FileNotFoundError; the state before the call still stands. Queries and updates release the interpreter's lock. Calls into
one Context wait for each other; for queries side by side give each thread a Context of its own:

    context = pliant.Context(threads=1)
    body = context.free(positions, triangles)
"""

from . import _pliant
from ._pliant import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    INSIDE,
    NONE,
    ON,
    OUTSIDE,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    Array,
    Body,
    Candidates,
    Certificate,
    Contacts,
    Context,
    Counters,
    Distance,
    FeaturePairs,
    FreeStep,
    Hits,
    Impacts,
    KineticImage,
    Mesh,
    NearPairs,
    Pairs,
    Penetrations,
    PointTouches,
    Points,
    Regions,
    Scene,
    SceneTriangles,
    Segments,
    Separation,
    Touches,
    Tracker,
    Tracks,
    Triangles,
    Volumes,
    Windows,
    default_context,
    edge_edge_distance,
    edge_edge_time,
    triangles_segment,
    triangles_touch,
    vertex_edge_distance,
    vertex_face_distance,
    vertex_face_time,
    vertex_vertex_distance,
    words,
)
from .files import Film, load, read
from .show import plot

__version__ = _pliant.version

__all__ = [
    "EDGE_EDGE", "EDGE_VERTEX", "FACE_VERTEX", "INSIDE", "NONE", "ON", "OUTSIDE", "VERTEX_EDGE", "VERTEX_FACE",
    "VERTEX_VERTEX", "Array", "Body", "Candidates", "Certificate", "Contacts", "Context",
    "Counters", "Distance", "FeaturePairs", "Film", "FreeStep", "Hits", "Impacts", "KineticImage", "Mesh", "NearPairs", "Pairs", "Penetrations",
    "PointTouches", "Points", "Regions", "Scene", "SceneTriangles", "Segments", "Separation", "Touches",
    "Tracker", "Tracks", "Triangles", "Volumes", "Windows",
    "default_context", "edge_edge_distance", "edge_edge_time", "embed", "flight", "free", "load", "match", "mesh", "morph", "plot", "points", "read", "rigid", "scene",
    "skin", "soup", "subdivide", "triangles_segment", "triangles_touch", "vertex_edge_distance",
    "vertex_face_distance", "vertex_face_time", "vertex_vertex_distance", "weld", "words",
]


def _in_context(name):
    """A function of the module that calls a method of a context."""
    method = getattr(Context, name)

    def function(*args, context=None, **options):
        return method(default_context() if context is None else context, *args, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (method.__doc__ or "") + "\n\ncontext    the Context to create it in; None: the default one"
    return function


free = _in_context("free")
rigid = _in_context("rigid")
morph = _in_context("morph")
soup = _in_context("soup")
skin = _in_context("skin")
embed = _in_context("embed")
subdivide = _in_context("subdivide")
points = _in_context("points")
match = _in_context("match")
flight = _in_context("flight")
mesh = _in_context("mesh")
weld = _in_context("weld")


def scene(bodies=(), *, broad="auto", context=None):
    """Return a Scene of these bodies, in the context of the first one, or in the given one."""
    bodies = tuple(bodies)
    if context is None:
        context = bodies[0].context if bodies and isinstance(bodies[0], Body) else default_context()
    return context.scene(bodies, broad=broad)
