"""Causal and undirected graphs: a function that draws them, and the graphs of the paper."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, ScaledTranslation

from permconf.plotting.style import INK

NODE_SIZE = 19  # points, height and least width of a node's frame
NODE_FONT = 10
LABEL_GAP = 3  # points, between an edge and its label
MARGIN = 0.25  # units of position, around the outermost nodes

ARROWS = {"arrow": "-|>", "line": "-", "both": "<|-|>"}
SIDES = {"left": 1, "right": -1}

C, X, Y, S, DOTS = "$C$", "$X$", "$Y$", "$S$", r"$\cdots$"
Y_RESTRICTED, Y_STANDARD = r"$Y^{\ast}$", r"$Y^{{\ast}{\ast}}$"
SQUARE, UNFRAMED = (S,), (DOTS,)  # the frames of all others are round


class Edge(NamedTuple):
    """A connection of two nodes: an arrow, a line, or an arrow at both ends.

    The label is to the left or right when going from source to target.
    """

    source: str
    target: str
    kind: str = "arrow"
    label: str = ""
    label_side: str = "left"


class Graph(NamedTuple):
    """Positions of nodes by their label, and the edges between them."""

    nodes: dict[str, tuple[float, float]]
    edges: tuple[Edge, ...]


def draw_graph(ax, graph):
    """Draw `graph` on `ax`; nodes and text have fixed sizes in points, positions scale with the axes."""
    frames = {label: _draw_node(ax, label, position) for label, position in graph.nodes.items()}
    for edge in graph.edges:
        _draw_edge(ax, edge, graph.nodes, frames)
    positions = np.array(list(graph.nodes.values()))
    low, high = positions.min(axis=0) - MARGIN, positions.max(axis=0) + MARGIN
    # equal scales, so that labels are offset at right angles to their edges
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()


def _draw_node(ax, label, position):
    """Draw frame and label of a node; returns the frame, where edges end."""
    in_points = Affine2D().scale(1 / 72) + ax.figure.dpi_scale_trans
    width = max(NODE_SIZE, TextPath((0, 0), label, size=NODE_FONT).get_extents().width + 8)
    box = "square,pad=0" if label in SQUARE + UNFRAMED else "round,pad=0,rounding_size=7"
    colours = {"edgecolor": "none" if label in UNFRAMED else INK, "facecolor": "none"}
    look: dict[str, Any] = {"boxstyle": box, "linewidth": 0.8, "clip_on": False} | colours
    look["transform"] = in_points + ScaledTranslation(position[0], position[1], ax.transData)
    frame = FancyBboxPatch((-width / 2, -NODE_SIZE / 2), width, NODE_SIZE, **look)
    ax.add_artist(frame)
    ax.text(*position, label, ha="center", va="center_baseline", fontsize=NODE_FONT, color=INK)
    return frame


def _draw_edge(ax, edge, positions, frames):
    look: dict[str, Any] = {"arrowstyle": ARROWS[edge.kind], "mutation_scale": 9, "linewidth": 0.9, "color": INK}
    look |= {"patchA": frames[edge.source], "patchB": frames[edge.target], "shrinkA": 1.5, "shrinkB": 1.5}
    line = FancyArrowPatch(positions[edge.source], positions[edge.target], clip_on=False, **look)
    line.set_in_layout(False)  # an edge lies between its nodes, and clipping it at their frames is slow
    ax.add_artist(line)
    if edge.label:
        _draw_label(ax, edge, np.array(positions[edge.source]), np.array(positions[edge.target]))


def _draw_label(ax, edge, start, end):
    """Draw the label of an edge; the gap is measured to the nearest corner or side of the text."""
    along = (end - start) / np.linalg.norm(end - start)
    aside = SIDES[edge.label_side] * np.array([-along[1], along[0]])
    across, up = np.sign(np.where(np.abs(aside) < 0.2, 0, aside)).astype(int)
    look: dict[str, Any] = {"ha": ("center", "left", "right")[across], "va": ("center", "bottom", "top")[up]}
    look |= {"xytext": tuple(LABEL_GAP * aside), "textcoords": "offset points", "annotation_clip": False}
    ax.annotate(edge.label, start + 0.5 * (end - start), **look, fontsize=NODE_FONT, color=INK)


_TRIANGLE = {C: (1.0, 1.0), X: (0.0, 0.0), Y: (2.0, 0.0)}

# Fig. 1: causal diagram, the same with selection into the study, and the undirected graph of both (also Fig. 2a).
CONFOUNDED = Graph(_TRIANGLE, (Edge(C, X), Edge(C, Y), Edge(Y, X)))
SELECTED = Graph(_TRIANGLE | {S: (2, 1)}, (*CONFOUNDED.edges, Edge(C, S), Edge(Y, S)))
ASSOCIATED = Graph(_TRIANGLE, (Edge(C, X, "line"), Edge(C, Y, "line"), Edge(Y, X, "line")))

# Fig. 2b-c: the associations that remain after restricted and after standard permutation of the response.
RESTRICTED = Graph({C: (1, 1), X: (0, 0), Y_RESTRICTED: (2, 0)}, (Edge(C, X, "line"), Edge(C, Y_RESTRICTED, "line")))
STANDARD = Graph({C: (1, 1), X: (0, 0), Y_STANDARD: (2, 0)}, (Edge(C, X, "line"),))

# Fig. 3a: the simulation model of Section 3.1.
CLASSIFICATION = Graph(
    {C: (0.4, 1.6), Y: (2.6, 1.6), "$X_1$": (0, 0), "$X_2$": (1, 0), DOTS: (2, 0), "$X_{10}$": (3, 0)},
    (
        Edge(C, Y, "both"),
        Edge(C, "$X_1$", label=r"$\theta$", label_side="right"),
        Edge(C, "$X_2$"),
        Edge(C, "$X_{10}$"),
        Edge(Y, "$X_1$"),
        Edge(Y, "$X_2$"),
        Edge(Y, "$X_{10}$", label=r"$\beta$"),
    ),
)

# Appendix: the model behind the correlation illustrations.
CORRELATION_MODEL = Graph(
    _TRIANGLE,
    (
        Edge(C, X, label=r"$\beta_{xc}$", label_side="right"),
        Edge(C, Y, label=r"$\beta_{yc}$"),
        Edge(Y, X, label=r"$\beta_{xy}$"),
    ),
)
