"""Audits as files: a page, JSON, CSV or a figure, by suffix."""

from pathlib import Path


def save(audit, path) -> None:
    """Write an audit to `path`, in the format of its suffix."""
    path = Path(path)
    write = FORMATS.get(path.suffix)
    if write is None:
        raise ValueError(f"an audit is saved as {', '.join(FORMATS)}, not as {path.name!r}")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {str(path.parent)!r} for {path.name}")
    write(audit, path)


def _page(audit, path):
    from permconf.auditing.page import page

    path.write_text(page(audit), encoding="utf-8")


def _json(audit, path):
    path.write_text(audit.to_json() + "\n", encoding="utf-8")


def _csv(audit, path):
    audit.to_frame().to_csv(path, index=False)


def _figure(audit, path):
    from permconf.plotting.style import save as save_figure

    save_figure(audit.plot(), path)


FORMATS = {".html": _page, ".json": _json, ".csv": _csv, ".png": _figure, ".pdf": _figure}
