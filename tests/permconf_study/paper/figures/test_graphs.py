"""The description of graphs, the paper's graphs, and that a drawing shows all of a description."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from permconf.plotting import style
from permconf_study.paper.figures import fig01, figA1, graphs
from permconf_study.paper.figures.graphs import Edge, Graph, Node, draw_graph

ALL = {name: value for name, value in vars(graphs).items() if isinstance(value, Graph)}


def drawn(graph, size=(2.0, 1.5)):
    with style.context():
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        draw_graph(ax, graph)
        figure.canvas.draw()
    return ax


def artists(ax, kind):
    return [artist for artist in ax.get_children() if type(artist) is kind]


def connections(graph):
    return {(edge.source, edge.target, edge.kind) for edge in graph.edges}


def undirected(graph):
    return {frozenset((edge.source, edge.target)) for edge in graph.edges if edge.kind == "line"}


@pytest.mark.parametrize("name", ALL)
def test_a_drawing_has_every_node_edge_and_label(name):
    graph = ALL[name]
    ax = drawn(graph)
    labels = [node.label for node in graph.nodes] + [edge.label for edge in graph.edges if edge.label]
    assert sorted(text.get_text() for text in ax.texts) == sorted(labels)
    assert len(artists(ax, FancyArrowPatch)) == len(graph.edges)
    assert len(artists(ax, FancyBboxPatch)) == len(graph.nodes)


@pytest.mark.parametrize("name", ALL)
def test_edges_end_outside_the_frames_of_their_nodes(name):
    graph = ALL[name]
    ax = drawn(graph)
    frames = {node.name: frame for node, frame in zip(graph.nodes, artists(ax, FancyBboxPatch), strict=True)}
    for edge, line in zip(graph.edges, artists(ax, FancyArrowPatch), strict=True):
        ends = line._get_path_in_displaycoord()[0][0].vertices[[0, -1]]
        for end, frame in zip(ends, (frames[edge.source], frames[edge.target]), strict=True):
            assert not frame.get_path().contains_point(end, frame.get_transform())


@pytest.mark.parametrize("name", ALL)
def test_labels_of_nodes_fit_into_their_frames(name):
    ax = drawn(ALL[name])
    extents = {text.get_text(): text.get_window_extent() for text in ax.texts}
    for node, frame in zip(ALL[name].nodes, artists(ax, FancyBboxPatch), strict=True):
        inner, outer = extents[node.label], frame.get_window_extent()
        assert outer.x0 < inner.x0 < inner.x1 < outer.x1
        assert outer.y0 < inner.y0 < inner.y1 < outer.y1


@pytest.mark.parametrize("name", ALL)
def test_no_text_covers_another(name):
    boxes = [text.get_window_extent() for text in drawn(ALL[name]).texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_fig_1_graphs_are_those_of_the_paper():
    confounded = {("C", "X", "arrow"), ("C", "Y", "arrow"), ("Y", "X", "arrow")}
    assert connections(graphs.CONFOUNDED) == confounded
    assert connections(graphs.SELECTED) == confounded | {("C", "S", "arrow"), ("Y", "S", "arrow")}
    assert {node.name: node.frame for node in graphs.SELECTED.nodes}["S"] == "square"
    assert undirected(graphs.ASSOCIATED) == {frozenset(pair) for pair in ("CX", "CY", "XY")}


def test_fig_2_graphs_lose_the_edges_that_permutation_destroys():
    assert undirected(graphs.RESTRICTED) == {frozenset(("C", "X")), frozenset(("C", "Y*"))}
    assert undirected(graphs.STANDARD) == {frozenset(("C", "X"))}
    assert "Y**" in {node.name for node in graphs.STANDARD.nodes}


def test_fig_3a_joins_c_and_y_and_points_from_both_to_every_feature():
    edges = connections(graphs.CLASSIFICATION)
    assert ("C", "Y", "both") in edges
    assert edges - {("C", "Y", "both")} == {(s, t, "arrow") for s in "CY" for t in ("X1", "X2", "X10")}
    assert {edge.label for edge in graphs.CLASSIFICATION.edges} == {"", r"$\theta$", r"$\beta$"}


def test_the_appendix_graph_names_its_coefficients():
    labels = {(edge.source, edge.target): edge.label for edge in graphs.CORRELATION_MODEL.edges}
    assert labels == {("C", "X"): r"$\beta_{xc}$", ("C", "Y"): r"$\beta_{yc}$", ("Y", "X"): r"$\beta_{xy}$"}


def test_labels_are_on_the_given_side():
    nodes = (Node("A", (0, 0), "A"), Node("B", (2, 0), "B"))
    for side, sign in (("left", 1), ("right", -1)):
        ax = drawn(Graph(nodes, (Edge("A", "B", label="e", label_side=side),)))
        label = ax.texts[-1].get_window_extent()
        middle = ax.transData.transform((1, 0))[1]
        assert np.sign(label.y0 + label.y1 - 2 * middle) == sign
        assert not label.y0 < middle < label.y1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Graph((Node("A", (0, 0), "A"),), (Edge("A", "B"),)),
            "target of edge 'A' to 'B' must be one of A, got 'B'",
        ),
        (lambda: Graph((Node("A", (0, 0), "A"),) * 2, ()), r"node names must differ, repeated: \['A'\]"),
        (lambda: Graph((Node("A", (0, 0), "A", frame="oval"),), ()), "frame of node 'A' must be one of .* got 'oval'"),
        (lambda: Graph((Node("A", (0, 0), "A"),), (Edge("A", "A", "dotted"),)), "kind of edge .* got 'dotted'"),
        (
            lambda: Graph((Node("A", (0, 0), "A"),), (Edge("A", "A", label_side="above"),)),
            "label_side of edge .* got 'above'",
        ),
    ],
)
def test_a_wrong_description_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_fig_1_has_three_lettered_panels_and_the_appendix_figure_one():
    assert [ax.get_title(loc="left") for ax in fig01.figure({}).axes] == ["a", "b", "c"]
    assert len(figA1.figure({}).axes) == 1
