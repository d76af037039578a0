"""Results for people: tables in notebooks, and small plots where matplotlib is installed."""

import base64
import html as _html
import io

ROWS = 8  # of a table in a notebook


def _figure(columns, size):
    """A figure and its axes without pyplot, so that nothing of the caller's changes; None without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None, None
    figure = Figure(figsize=size, layout="tight")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns)


def _png(figure):
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=80)
    return base64.b64encode(data.getvalue()).decode("ascii")


def _columns(result):
    """Names of the columns of a result that are arrays with one entry per row, 'array' last."""
    names = [n for n in dir(type(result)) if not n.startswith("_")]
    names = [n for n in names if n not in ("bodies", "counters", "level", "partial")]
    names.sort(key=lambda n: (n == "array", n))
    return [(n, getattr(result, n)) for n in names]


def _text(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list):
        return "(" + ", ".join(_text(v) for v in value) + ")"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def html(result):
    """Return a result as HTML: its first rows, what it cost, and a small plot where there is something to see."""
    columns = _columns(result)
    kind = type(result).__name__
    counters = result.counters
    names = ", ".join(b.name or repr(b) for b in result.bodies)
    parts = [f"<p><b>{kind}</b>: {len(result)} rows{', partial' if result.partial else ''}"]
    parts.append(f"; {_html.escape(names)}<br>" if names else "<br>")
    parts.append(f"n_v {counters.n_v}, n_p {counters.n_p}, n_u {counters.n_u}, ")
    parts.append(f"{counters.ms_update + counters.ms_query:.3f} ms</p>")
    if len(result):
        heads = "".join(f"<th>{_html.escape(n)}</th>" for n, _ in columns)
        parts.append(f"<table><tr><th></th>{heads}</tr>")
        for i in range(min(ROWS, len(result))):
            cells = "".join(f"<td>{_html.escape(_text(c[i]))}</td>" for _, c in columns)
            parts.append(f"<tr><td>{i}</td>{cells}</tr>")
        parts.append("</table>")
        if len(result) > ROWS:
            parts.append(f"<p>... and {len(result) - ROWS} more</p>")
        parts.append(_histogram(result))
    return "".join(parts)


def _histogram(result):
    """Distances, or t of rays, as a histogram; '' for results that have neither."""
    name = "distance" if hasattr(type(result), "distance") else "t" if hasattr(type(result), "t") else None
    if name is None:
        return ""
    values = [v for v in getattr(result, name).tolist() if v - v == 0]
    figure, axes = _figure(1, (4, 2)) if values else (None, None)
    if figure is None:
        return ""
    axes.hist(values, bins=min(40, len(values)), color="#4a7ebb")
    axes.set_xlabel(name)
    axes.set_ylabel("rows")
    return f'<img alt="histogram of {name}" src="data:image/png;base64,{_png(figure)}">'


def plot(positions, triangles, marked=(), *, axes=None, colour="#b8c4d0", marked_colour="#c62828"):
    """Draw a mesh with matplotlib, the marked triangles in red, and return the axes.

    positions  (n, 3)
    triangles  (m, 3) integers
    marked     indices of triangles, such as cloth.touching(ball).a
    axes       three-dimensional axes to draw into; None: those of a new figure
    """
    try:
        import numpy
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    except ImportError:
        raise ImportError("plot() needs numpy and matplotlib; install python3-numpy and python3-matplotlib") from None
    positions = numpy.asarray(positions, dtype=float).reshape(-1, 3)
    triangles = numpy.asarray(triangles).reshape(-1, 3)
    colours = numpy.full(len(triangles), colour, dtype=object)
    colours[numpy.asarray(marked, dtype=int)] = marked_colour
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.figure().add_subplot(projection="3d")
    axes.add_collection3d(Poly3DCollection(positions[triangles], facecolors=list(colours), edgecolors="#00000020", linewidths=0.2))
    lower, upper = positions.min(axis=0), positions.max(axis=0)
    middle, half = (lower + upper) / 2, max((upper - lower).max() / 2, 1e-9)
    for set_limits, centre in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle):
        set_limits(centre - half, centre + half)
    return axes
