"""Causal and undirected graphs: their description, a function that draws them, and the graphs of the paper."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D, ScaledTranslation

from permconf.plotting.style import INK

NODE_SIZE = 19  # points, height and least width of a node's frame
NODE_FONT = 10
LABEL_GAP = 3  # points, between an edge and its label
MARGIN = 0.25  # units of position, around the outermost nodes

FRAMES = {"round": "round,pad=0,rounding_size=7", "square": "square,pad=0", "none": "square,pad=0"}
ARROWS = {"arrow": "-|>", "line": "-", "both": "<|-|>"}
SIDES = {"left": 1, "right": -1}


@dataclass(frozen=True)
class Node:
    """A variable: name, position, label (mathtext) and frame (round, square, none)."""

    name: str
    position: tuple[float, float]
    label: str
    frame: str = "round"


@dataclass(frozen=True)
class Edge:
    """A connection of two nodes by name: an arrow, a line, or an arrow at both ends.

    The label is to the left or right when going from source to target, at the fraction `label_at` of the way.
    """

    source: str
    target: str
    kind: str = "arrow"
    label: str = ""
    label_side: str = "left"
    label_at: float = 0.5


@dataclass(frozen=True)
class Graph:
    """Nodes and edges, validated on creation."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def __post_init__(self):
        names = [node.name for node in self.nodes]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise ValueError(f"node names must differ, repeated: {sorted(repeated)}")
        for node in self.nodes:
            _check(node.frame, FRAMES, f"frame of node {node.name!r}")
        for edge in self.edges:
            where = f"edge {edge.source!r} to {edge.target!r}"
            _check(edge.source, names, f"source of {where}")
            _check(edge.target, names, f"target of {where}")
            _check(edge.kind, ARROWS, f"kind of {where}")
            _check(edge.label_side, SIDES, f"label_side of {where}")


def _check(value, allowed, what):
    if value not in allowed:
        raise ValueError(f"{what} must be one of {', '.join(allowed)}, got {value!r}")


def draw_graph(ax, graph):
    """Draw `graph` on `ax`; nodes and text have fixed sizes in points, positions scale with the axes."""
    frames = {node.name: _draw_node(ax, node) for node in graph.nodes}
    positions = {node.name: node.position for node in graph.nodes}
    for edge in graph.edges:
        _draw_edge(ax, edge, positions, frames)
    _fit(ax, np.array(list(positions.values())))
    ax.set_axis_off()


def _fit(ax, positions):
    """Limits around all positions, with equal scales so that labels are offset at right angles to their edges."""
    low, high = positions.min(axis=0) - MARGIN, positions.max(axis=0) + MARGIN
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")


def _draw_node(ax, node):
    """Draw frame and label of a node; returns the frame, where edges end."""
    in_points = Affine2D().scale(1 / 72) + ax.figure.dpi_scale_trans
    width = max(NODE_SIZE, TextPath((0, 0), node.label, size=NODE_FONT).get_extents().width + 8)
    edge = "none" if node.frame == "none" else INK
    look: dict[str, Any] = {"boxstyle": FRAMES[node.frame], "edgecolor": edge, "linewidth": 0.8}
    place = in_points + ScaledTranslation(node.position[0], node.position[1], ax.transData)
    corner = (-width / 2, -NODE_SIZE / 2)
    frame = FancyBboxPatch(corner, width, NODE_SIZE, **look, facecolor="none", transform=place, clip_on=False)
    ax.add_artist(frame)
    ax.text(*node.position, node.label, ha="center", va="center_baseline", fontsize=NODE_FONT, color=INK)
    return frame


def _draw_edge(ax, edge, positions, frames):
    start, end = positions[edge.source], positions[edge.target]
    ends: dict[str, Any] = {
        "patchA": frames[edge.source],
        "patchB": frames[edge.target],
        "shrinkA": 1.5,
        "shrinkB": 1.5,
    }
    look: dict[str, Any] = {"arrowstyle": ARROWS[edge.kind], "mutation_scale": 9, "linewidth": 0.9, "color": INK}
    line = FancyArrowPatch(start, end, **ends, **look, clip_on=False)
    line.set_in_layout(False)  # an edge lies between its nodes, and clipping it at their frames is slow
    ax.add_artist(line)
    if edge.label:
        _draw_label(ax, edge, np.array(start), np.array(end))


def _draw_label(ax, edge, start, end):
    """Draw the label of an edge; the gap is measured to the nearest corner or side of the text."""
    along = (end - start) / np.linalg.norm(end - start)
    aside = SIDES[edge.label_side] * np.array([-along[1], along[0]])
    across, up = np.sign(np.where(np.abs(aside) < 0.2, 0, aside)).astype(int)
    place: dict[str, Any] = {
        "xytext": tuple(LABEL_GAP * aside),
        "textcoords": "offset points",
        "annotation_clip": False,
    }
    align: dict[str, Any] = {"ha": ("center", "left", "right")[across], "va": ("center", "bottom", "top")[up]}
    ax.annotate(edge.label, start + edge.label_at * (end - start), **place, **align, fontsize=9, color=INK)


# --- The paper's graphs ---

_C = Node("C", (1, 1), "$C$")
_X = Node("X", (0, 0), "$X$")
_Y = Node("Y", (2, 0), "$Y$")
_S = Node("S", (2, 1), "$S$", frame="square")
_Y_RESTRICTED = Node("Y*", (2, 0), r"$Y^{\ast}$")
_Y_STANDARD = Node("Y**", (2, 0), r"$Y^{{\ast}{\ast}}$")

# Fig. 1: causal diagram, the same with selection into the study, and the undirected graph of both (also Fig. 2a).
CONFOUNDED = Graph((_C, _X, _Y), (Edge("C", "X"), Edge("C", "Y"), Edge("Y", "X")))
SELECTED = Graph((_C, _X, _Y, _S), (*CONFOUNDED.edges, Edge("C", "S"), Edge("Y", "S")))
ASSOCIATED = Graph((_C, _X, _Y), (Edge("C", "X", "line"), Edge("C", "Y", "line"), Edge("Y", "X", "line")))

# Fig. 2b-c: the associations that remain after restricted and after standard permutation of the response.
RESTRICTED = Graph((_C, _X, _Y_RESTRICTED), (Edge("C", "X", "line"), Edge("C", "Y*", "line")))
STANDARD = Graph((_C, _X, _Y_STANDARD), (Edge("C", "X", "line"),))

# Fig. 3a: the simulation model of Section 3.1.
CLASSIFICATION = Graph(
    (
        Node("C", (0.4, 1.6), "$C$"),
        Node("Y", (2.6, 1.6), "$Y$"),
        Node("X1", (0, 0), "$X_1$"),
        Node("X2", (1, 0), "$X_2$"),
        Node("dots", (2, 0), r"$\cdots$", frame="none"),
        Node("X10", (3, 0), "$X_{10}$"),
    ),
    (
        Edge("C", "Y", "both"),
        Edge("C", "X1", label=r"$\theta$", label_side="right"),
        Edge("C", "X2"),
        Edge("C", "X10"),
        Edge("Y", "X1"),
        Edge("Y", "X2"),
        Edge("Y", "X10", label=r"$\beta$"),
    ),
)

# Appendix: the model behind the correlation illustrations.
CORRELATION_MODEL = Graph(
    (_C, _X, _Y),
    (
        Edge("C", "X", label=r"$\beta_{xc}$", label_side="right"),
        Edge("C", "Y", label=r"$\beta_{yc}$"),
        Edge("Y", "X", label=r"$\beta_{xy}$"),
    ),
)
