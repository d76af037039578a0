from collections.abc import Iterable, Sequence
from typing import Any

from ._pliant import EDGE_EDGE as EDGE_EDGE
from ._pliant import EDGE_VERTEX as EDGE_VERTEX
from ._pliant import FACE_VERTEX as FACE_VERTEX
from ._pliant import INSIDE as INSIDE
from ._pliant import NONE as NONE
from ._pliant import ON as ON
from ._pliant import OUTSIDE as OUTSIDE
from ._pliant import VERTEX_EDGE as VERTEX_EDGE
from ._pliant import VERTEX_FACE as VERTEX_FACE
from ._pliant import VERTEX_VERTEX as VERTEX_VERTEX
from ._pliant import Array as Array
from ._pliant import Body as Body
from ._pliant import Candidates as Candidates
from ._pliant import Certificate as Certificate
from ._pliant import Contacts as Contacts
from ._pliant import Context as Context
from ._pliant import Counters as Counters
from ._pliant import Distance as Distance
from ._pliant import FeaturePairs as FeaturePairs
from ._pliant import Hits as Hits
from ._pliant import Impacts as Impacts
from ._pliant import KineticImage as KineticImage
from ._pliant import Mesh as Mesh
from ._pliant import NearPairs as NearPairs
from ._pliant import Numbers as Numbers
from ._pliant import Pairs as Pairs
from ._pliant import Penetrations as Penetrations
from ._pliant import PointTouches as PointTouches
from ._pliant import Points as Points
from ._pliant import Regions as Regions
from ._pliant import Scene as Scene
from ._pliant import SceneTriangles as SceneTriangles
from ._pliant import Segments as Segments
from ._pliant import Separation as Separation
from ._pliant import Touches as Touches
from ._pliant import Tracker as Tracker
from ._pliant import Tracks as Tracks
from ._pliant import Triangles as Triangles
from ._pliant import Volumes as Volumes
from ._pliant import Windows as Windows
from ._pliant import default_context as default_context
from ._pliant import edge_edge_distance as edge_edge_distance
from ._pliant import edge_edge_time as edge_edge_time
from ._pliant import triangles_segment as triangles_segment
from ._pliant import triangles_touch as triangles_touch
from ._pliant import vertex_edge_distance as vertex_edge_distance
from ._pliant import vertex_face_distance as vertex_face_distance
from ._pliant import vertex_face_time as vertex_face_time
from ._pliant import vertex_vertex_distance as vertex_vertex_distance
from ._pliant import words as words
from .files import Film as Film
from .files import load as load
from .files import read as read
from .show import plot as plot

__version__: str

def free(positions: Numbers, triangles: Numbers, *, context: Context | None = None, name: str = "", borrow: bool = False,
         settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def rigid(positions: Numbers, triangles: Numbers, *, context: Context | None = None, name: str = "",
          settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def morph(references: Sequence[Numbers] | Numbers, triangles: Numbers, *, context: Context | None = None, kind: str = "convex",
          weight_low: float = 0, weight_high: float = 1, build_reference: int = -1, inbetweens: int = 0,
          inbetween_parameters: Numbers | None = None, inbetween_pairs: Numbers | None = None, name: str = "",
          settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def soup(positions: Numbers, triangles: Numbers, *, context: Context | None = None, key_poses: Sequence[Numbers] | None = None,
         method: str = "auto", name: str = "", settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def skin(positions: Numbers, triangles: Numbers, *, context: Context | None = None, governors: Numbers, weights: Numbers, bone_count: int | None = None,
          first: Numbers | None = None, normalise: bool = False, name: str = "",
          settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def embed(controls: Numbers, triangles: Numbers, *, context: Context | None = None, governors: Numbers, weights: Numbers, first: Numbers | None = None,
              normalise: bool = False, name: str = "", settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def subdivide(positions: Numbers, triangles: Numbers, *, context: Context | None = None, levels: int = 2, name: str = "",
               settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def points(positions: Numbers, triangles: Numbers, *, context: Context | None = None, particles: Numbers, radius: float = 0, name: str = "",
            settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def match(positions: Numbers, triangles: Numbers | None, *, context: Context | None = None, kind: str = "linear", masses: Numbers | None = None,
          clusters: int = 1, cluster_overlap: float = 0.5, leaf_points: int = 4, name: str = "",
          settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def flight(poses: Sequence[Numbers] | Numbers, triangles: Numbers, *, context: Context | None = None, times: Numbers, path: str = "linear",
           name: str = "", settings: str | dict[str, Any] | None = None, **more: Any) -> Body: ...
def scene(bodies: Iterable[Body] = (), *, broad: str = "auto", context: Context | None = None) -> Scene: ...
def mesh(positions: Numbers, triangles: Numbers, *, context: Context | None = None) -> Mesh: ...
def weld(positions: Numbers, triangles: Numbers, *, context: Context | None = None, poses: Sequence[Numbers] | None = None,
         governors: Numbers | None = None, weights: Numbers | None = None, first: Numbers | None = None, labels: Numbers | None = None,
         return_map: bool = False) -> Any: ...
