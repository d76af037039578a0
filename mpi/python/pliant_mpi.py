"""pliant on several machines, from Python: one scene whose bodies belong to the ranks of an MPI job.

    from mpi4py import MPI
    import pliant_mpi
    scene = pliant_mpi.Scene(MPI.COMM_WORLD)
    root = MPI.COMM_WORLD.rank == 0
    cloth = scene.add_whole(positions if root else None, triangles if root else None, self_contact=True)
    for frame in range(frames):
        scene.set_positions(cloth, pose(frame, scene.vertices(cloth)))   # of this rank's vertices
        pairs = scene.touching()                                         # this rank's rows; root=0 gathers them

Every call but vertices(), triangles() and counters is collective: all ranks call it in the same order. Bad input or a lack of
memory on one rank raises the same exception on all ranks, and its message names the rank. Rows are numpy arrays with named columns,
as the structs of pliant_mpi.h; they own their data.

The library is found by PLIANT_MPI_LIBRARY, beside this file, or by the system: libpliant_mpi.so, built for the MPI of mpi4py (OpenMPI in
Debian)."""
import ctypes
import os

import numpy
from mpi4py import MPI

__all__ = ["Scene"]

_size, _u64, _f64, _at = ctypes.c_size_t, ctypes.c_uint64, ctypes.c_double, ctypes.c_void_p
_Comm = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
_SELF_METHODS = {"auto": 0, "cones": 1, "boxes": 2}
_F32, _F64 = 0, 1
_ERRORS = {5: NotImplementedError, 6: MemoryError}  # of pl_status; all others are ValueError


class _Positions(ctypes.Structure):
    _fields_ = [("data", _at), ("count", _size), ("stride", _size), ("type", ctypes.c_int)]


class _Mesh(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("positions", _Positions), ("triangles", _at), ("triangle_count", _size)]


class _Def(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("context", _at), ("patches", ctypes.c_int), ("self_method", ctypes.c_int)]


class _Part(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("positions", _Positions), ("vertices", _at), ("triangles", _at), ("triangle_ids", _at),
                ("triangle_count", _size), ("self", ctypes.c_bool)]


class _Question(ctypes.Structure):
    _fields_ = [("struct_size", _size), ("margin", _f64), ("root", ctypes.c_int)]


_COUNTERS = ("bytes_boxes", "bytes_sent", "bytes_received", "patches_sent", "patches_received", "ranks", "bytes_gathered", "n_v", "n_p",
             "n_u")


class _Counters(ctypes.Structure):
    _fields_ = [(name, _u64) for name in _COUNTERS]


class _Rows(ctypes.Structure):
    _fields_ = [("rows", _at), ("count", _size), ("counters", _Counters)]


class _Impacts(ctypes.Structure):
    _fields_ = [("rows", _at), ("count", _size), ("time", _f64), ("safe_step", _f64), ("counters", _Counters)]


_SIDES = [("body_a", "u8"), ("body_b", "u8")]
_PAIR = numpy.dtype(_SIDES + [("triangle_a", "u8"), ("triangle_b", "u8")])
_NEAR = numpy.dtype(_PAIR.descr + [("distance", "f8"), ("point_a", "f8", 3), ("point_b", "f8", 3)])
_FEATURE = numpy.dtype(_PAIR.descr + [("kind", "u8"), ("vertex_a", "u8", 3), ("vertex_b", "u8", 3), ("distance", "f8"),
                                      ("weight_a", "f8", 3), ("weight_b", "f8", 3), ("normal", "f8", 3)])
_IMPACT = numpy.dtype(_SIDES + [("time", "f8"), ("kind", "u8"), ("feature_a", "u8", 2), ("feature_b", "u8", 2), ("normal", "f8", 3),
                                ("point", "f8", 3)])
_HIT = numpy.dtype([("t", "f8"), ("u", "f8"), ("v", "f8"), ("normal", "f8", 3), ("body", "u8"), ("triangle", "u8")])


class _Nearest(ctypes.Structure):
    _fields_ = [("row", ctypes.c_uint64 * (_NEAR.itemsize // 8)), ("counters", _Counters)]


def _load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpliant_mpi.so")
    named = os.environ.get("PLIANT_MPI_LIBRARY")
    path = named or (beside if os.path.exists(beside) else "libpliant_mpi.so")
    try:
        library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as problem:
        raise ImportError(f"{path} cannot be loaded: build it with ./dev mpi, or with cmake -DPLIANT_MPI=ON ({problem})") from None
    library.pl_dist_create.argtypes = [_Comm, _at, _at]
    library.pl_dist_add_part.argtypes = [_at, _at, _at]
    library.pl_dist_add_whole.argtypes = [_at, ctypes.c_int, _at, ctypes.c_bool, _at]
    library.pl_dist_set_positions.argtypes = [_at, _u64, _Positions]
    library.pl_dist_scatter_positions.argtypes = [_at, _u64, ctypes.c_int, _Positions]
    library.pl_dist_rebalance.argtypes = [_at, _f64, _at]
    library.pl_dist_cast.argtypes = [_at, _at, _size, _at]
    library.pl_dist_destroy.argtypes = library.pl_dist_keep_poses.argtypes = library.pl_dist_message.argtypes = [_at]
    library.pl_dist_destroy.restype = None
    library.pl_dist_message.restype = library.pl_status_text.restype = ctypes.c_char_p
    for name in ("vertices", "triangles"):
        function = getattr(library, "pl_dist_" + name)
        function.argtypes, function.restype = [_at, _u64, _at], _size
    for name in ("touching", "near_triangles", "near", "nearest", "impacts"):
        getattr(library, "pl_dist_" + name).argtypes = [_at, _at, _at]
    return library


_library = _load()


def _positions(array):
    """The array (kept by the caller while C reads it) and its struct."""
    if array is None:
        return None, _Positions(None, 0, 24, _F64)
    array = numpy.ascontiguousarray(array)
    if array.dtype != numpy.float32:
        array = numpy.ascontiguousarray(array, dtype=numpy.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"positions have the shape {array.shape}; (n, 3) is wanted")
    kind = _F32 if array.dtype == numpy.float32 else _F64
    return array, _Positions(array.ctypes.data, len(array), array.strides[0] if len(array) else 3 * array.itemsize, kind)


def _ids(array, dtype, shape=None):
    return numpy.ascontiguousarray(array, dtype=dtype).reshape(shape or (-1,))


def _copy(address, count, dtype):
    if not count:
        return numpy.empty(0, dtype)
    return numpy.frombuffer(ctypes.string_at(address, count * dtype.itemsize), dtype).copy()


def _whole(positions, triangles):
    """A struct and the arrays that it points into."""
    if positions is None:
        return None
    xyz, positions = _positions(positions)
    triangles = _ids(triangles, numpy.uint32, (-1, 3))
    return _Mesh(ctypes.sizeof(_Mesh), positions, triangles.ctypes.data, len(triangles)), xyz, triangles


def _part(positions, triangles, vertices, triangle_ids, self_contact):
    if triangles is None or not len(triangles):
        return None
    xyz, positions = _positions(positions)
    triangles = _ids(triangles, numpy.uint32, (-1, 3))
    vertices, triangle_ids = _ids(vertices, numpy.uint64), _ids(triangle_ids, numpy.uint64)
    if len(vertices) != len(xyz) or len(triangle_ids) != len(triangles):
        raise ValueError("as many ids of vertices and triangles are wanted as there are")
    part = _Part(ctypes.sizeof(_Part), positions, vertices.ctypes.data, triangles.ctypes.data, triangle_ids.ctypes.data, len(triangles),
                 self_contact)
    return part, xyz, triangles, vertices, triangle_ids


def _rays(origins, directions):
    origins, directions = (numpy.asarray(a, dtype=numpy.float64).reshape(-1, 3) for a in (origins, directions))
    if len(origins) != len(directions):
        raise ValueError(f"{len(origins)} origins and {len(directions)} directions")
    limits = numpy.broadcast_to([0.0, numpy.inf], (len(origins), 2))
    return numpy.ascontiguousarray(numpy.hstack([origins, directions, limits]))


class Scene:
    """A distributed scene over a communicator of mpi4py, which is duplicated.

    patches      of each rank, 1 to 4096
    self_method  "auto", "cones" or "boxes": how a part is tested against itself; boxes need less memory
    """

    def __init__(self, comm, patches=128, self_method="auto"):
        definition = _Def(ctypes.sizeof(_Def), None, patches, _SELF_METHODS[self_method])
        handle = _at()
        comm_value = _Comm.from_address(MPI._addressof(comm))
        self.counters = dict.fromkeys(_COUNTERS, 0)
        self._dist = None
        status = _library.pl_dist_create(comm_value, ctypes.byref(definition), ctypes.byref(handle))
        if status:
            raise _ERRORS.get(status, ValueError)(_library.pl_status_text(status).decode())
        self._dist, self._comm = handle, comm.Dup()

    def close(self):
        """Destroys the scene. Collective, as all calls: a scene is not destroyed when Python forgets it."""
        if self._dist:
            _library.pl_dist_destroy(self._dist)
            self._comm.Free()
        self._dist = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _check(self, status):
        if status:
            raise _ERRORS.get(status, ValueError)(_library.pl_dist_message(self._dist).decode())

    def _agree(self, prepare):
        """What prepare() returns; if it fails on any rank, all raise what the lowest of them says."""
        result = problem = None
        try:
            result = prepare()
        except (TypeError, ValueError) as wrong:
            problem = str(wrong)
        for rank, text in enumerate(self._comm.allgather(problem)):
            if text is not None:
                raise ValueError(f"rank {rank}: {text}")
        return result

    def add_whole(self, positions, triangles, root=0, self_contact=False):
        """Adds a body that rank `root` has as a whole; None on all others. It is cut into parts. Returns its number."""
        mesh, number = self._agree(lambda: _whole(positions, triangles)), _u64()
        self._check(_library.pl_dist_add_whole(self._dist, root, mesh and ctypes.byref(mesh[0]), self_contact, ctypes.byref(number)))
        return number.value

    def add_part(self, positions, triangles, vertices, triangle_ids, self_contact=False):
        """Adds a body of which this rank brings a part (None: it has none). Ids ascend. Returns the body's number."""
        part, number = self._agree(lambda: _part(positions, triangles, vertices, triangle_ids, self_contact)), _u64()
        self._check(_library.pl_dist_add_part(self._dist, part and ctypes.byref(part[0]), ctypes.byref(number)))
        return number.value

    def vertices(self, body):
        """The ids of this rank's vertices of a body, ascending."""
        return self._list("vertices", body)

    def triangles(self, body):
        """The ids of this rank's triangles of a body, ascending."""
        return self._list("triangles", body)

    def _list(self, what, body):
        address = _at()
        count = getattr(_library, "pl_dist_" + what)(self._dist, body, ctypes.byref(address))
        return _copy(address.value, count, numpy.dtype("u8"))

    def set_positions(self, body, positions):
        """Sets the positions of this rank's part, in the order of vertices()."""
        _kept, positions = self._agree(lambda: _positions(positions))
        self._check(_library.pl_dist_set_positions(self._dist, body, positions))

    def scatter_positions(self, body, positions, root=0):
        """Sets the positions of a whole body from one rank; None on all others."""
        _kept, positions = self._agree(lambda: _positions(positions))
        self._check(_library.pl_dist_scatter_positions(self._dist, body, root, positions))

    def keep_poses(self):
        """Keeps the present poses as the start of a step, for impacts()."""
        self._check(_library.pl_dist_keep_poses(self._dist))

    def rebalance(self, most=1.2):
        """Moves triangles between ranks if the busiest had more than `most` times the mean work. Returns whether any moved."""
        moved = ctypes.c_bool()
        self._check(_library.pl_dist_rebalance(self._dist, most, ctypes.byref(moved)))
        return moved.value

    def _ask(self, name, dtype, margin=0.0, root=-1, result=None):
        question = _Question(ctypes.sizeof(_Question), margin, root)
        result = result or _Rows()
        self._check(getattr(_library, "pl_dist_" + name)(self._dist, ctypes.byref(question), ctypes.byref(result)))
        self.counters = {field: getattr(result.counters, field) for field in _COUNTERS}
        return _copy(result.rows, result.count, dtype) if dtype else result

    def touching(self, root=-1):
        """Pairs of triangles that have a point in common. root: the rank that gets all rows; -1: each has its own."""
        return self._ask("touching", _PAIR, root=root)

    def near_triangles(self, margin, root=-1):
        """Pairs of triangles at most `margin` apart, with their nearest points."""
        return self._ask("near_triangles", _NEAR, margin, root)

    def near(self, margin, root=-1):
        """Vertices and faces, and edges, at most `margin` apart, each once."""
        return self._ask("near", _FEATURE, margin, root)

    def nearest(self, margin=numpy.inf):
        """The least distance between different bodies: one row, equal on all ranks; None if there is none within the margin."""
        if margin == 0:
            margin = numpy.nextafter(0, 1)  # 0 is infinite in C
        result = self._ask("nearest", None, 0.0 if margin == numpy.inf else margin, result=_Nearest())
        row = _copy(ctypes.addressof(result), 1, _NEAR)[0]
        return None if row["distance"] == numpy.inf else row

    def impacts(self, margin=0.0, root=-1):
        """(rows, time, safe_step): features that meet between the kept poses and the present ones, by time."""
        result = self._ask("impacts", None, margin, root, _Impacts())
        return _copy(result.rows, result.count, _IMPACT), result.time, result.safe_step

    def cast(self, origins, directions):
        """The closest hit of each ray, equal on all ranks; t is infinite where nothing was hit."""
        rays = self._agree(lambda: _rays(origins, directions))
        result = _Rows()
        self._check(_library.pl_dist_cast(self._dist, rays.ctypes.data, len(rays), ctypes.byref(result)))
        self.counters = {field: getattr(result.counters, field) for field in _COUNTERS}
        return _copy(result.rows, result.count, _HIT)
