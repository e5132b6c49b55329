"""Table 1: the parameter ranges of the experiments, from the scenarios that ran."""

from matplotlib.figure import Figure

from permconf.plotting.style import PAGE, styled

SYMBOLS = {"n": "$n$", "beta": r"$\beta$", "theta": r"$\theta$", "rho": r"$\rho$"}


def parameter_text(spec):
    """A parameter as the paper prints it: {200, ..., 600}, [0.40, 0.45], 1 - p11 - p00 - p10, 0."""
    if not isinstance(spec, dict):
        return f"{spec:g}"
    ((kind, value),) = spec.items()
    if kind in ("range", "uniform"):
        return f"[{value[0]:.3g}, {value[1]:.3g}]"
    if kind == "integers":
        return f"{{{value[0]}, ..., {value[1]}}}"
    if kind == "values":
        return f"{{{', '.join(f'{v:g}' for v in value)}}}"
    if kind == "equal":
        return str(value)
    joined = {"sum": " + ", "product": " * ", "one_minus": " - "}[kind].join(map(str, value))
    return f"1 - {joined}" if kind == "one_minus" else joined


def parameter_columns(scenarios):
    """Columns of the table: parameter, then one per experiment; the first row gives the true hypotheses."""
    names = list(dict.fromkeys(name for s in scenarios for name in s["data"]["parameters"]))
    columns = {"parameter": ["hypotheses", "data sets", *names, "renormalised"]}
    for scenario in scenarios:
        parameters = scenario["data"]["parameters"]
        truth = scenario["truth"]
        hypotheses = f"H{int(truth['response'])}*, H{int(truth['confounding'])}c"
        ranges = [parameter_text(parameters[name]) if name in parameters else "" for name in names]
        renormalised = ", ".join(scenario["data"].get("renormalise", [])) or "no"
        columns[scenario["name"]] = [hypotheses, f"{scenario['datasets']}", *ranges, renormalised]
    return columns


@styled
def figure(columns):
    """The typeset table, with the symbols of the paper."""
    rows = list(zip(*columns.values(), strict=True))
    fig = Figure(figsize=(PAGE, 0.25 * (len(rows) + 2)))
    ax = fig.subplots()
    ax.set_axis_off()
    header = ["parameter", *(f"experiment {k + 1}" for k in range(len(columns) - 1))]
    cells = [[_typeset(cell) for cell in row] for row in rows]
    table = ax.table(cells, colLabels=header, loc="center", cellLoc="center", edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    table.scale(1, 1.35)
    for (row, column), cell in table.get_celld().items():
        cell.set_linewidth(0.8 if row <= 1 or row == len(rows) else 0.2)
        if row == 0 or column == 0:
            cell.set_text_props(fontweight="bold")
    return fig


def _typeset(text):
    for name, symbol in SYMBOLS.items():
        text = symbol if text == name else text
    for name in ("p11", "p00", "p10", "p01"):
        text = text.replace(name, f"$p_{{{name[1:]}}}$")
    text = text.replace("H1*", "$H_1^*$").replace("H0*", "$H_0^*$").replace("H1c", "$H_1^c$").replace("H0c", "$H_0^c$")
    return text.replace(" - ", " \u2212 ")
