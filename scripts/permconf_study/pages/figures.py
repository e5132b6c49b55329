"""docs/FIGURES.md: every figure of the last run with its caption, as compact images in docs/images."""

from pathlib import Path

from permconf_study.markdown import update
from permconf_study.paper.figure_list import TABLE1, FigureList, figure_title
from permconf_study.study.configuration import read_settings, scenarios_of

WIDTH, COLOURS = 1050, 256  # fewer colours turn thin blue and red lines into others
COMMANDS = {
    "paper": "make",
    "forests": "make forests",
    "stress": "make stress",
    "arena": "make arena",
    "extension": "permconf run scenarios",
}


def write(results: Path, page: Path) -> list[str]:
    """Renew the images of the figures that exist next to `results`, and the gallery."""
    settings = read_settings()
    figures = FigureList.of(settings, scenarios_of(settings, engines=False))
    names = {name: entry["group"] for name, entry in figures.entries.items()} | {TABLE1: "paper"}
    images = page.parent / "images"
    for name in names:
        drawn = results.parent / "figures" / f"{name}.png"
        if drawn.exists():
            compact(drawn, images / drawn.name)
    captions = {name: figures.caption("table1" if name == TABLE1 else name) for name in names}
    return update(page, {"gallery": gallery(names, captions, images)})


def compact(drawn: Path, image: Path) -> None:
    """A smaller copy of an image, with few colours; files that are the same stay the same."""
    from PIL import Image

    with Image.open(drawn) as full:
        picture = full.convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    image.parent.mkdir(exist_ok=True)
    picture.resize((WIDTH, height), Image.Resampling.LANCZOS).quantize(COLOURS).save(image, optimize=True)


def gallery(names: dict[str, str], captions: dict[str, str], images: Path) -> str:
    """The figures under headings, in the order of the list; those without an image are named with their command."""
    parts = []
    for name, group in names.items():
        shown = f"![{figure_title(name)}](images/{name}.png)" if (images / f"{name}.png").exists() else "Not drawn yet."
        parts.append(f"## {figure_title(name)}\n\n{shown}\n\n{captions[name].strip()} Drawn by `{COMMANDS[group]}`.")
    return "\n\n".join(parts)
