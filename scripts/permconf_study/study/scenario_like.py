"""Scenarios that take over others: `like` and `data` are replaced by what they stand for."""

from permconf.errors import ConfigError, nearest
from permconf_study.study.broken_scenarios import collected
from permconf_study.study.schema import check_schema

OWN = ("title", "description", "group", "figure")  # what `like` never takes over
NAMED = ("split", "adjustment", "learner")  # a name, or a mapping with a name and options


def written_out(drafts, faults=None):
    """Random stream and settings of every scenario, by name, checked against the schema (`faults` as in `collected`).

    The result refers to no other scenario.
    """
    done: dict = {}
    for name, draft in drafts.items():
        with collected(faults, draft.path, name, draft.family):
            _write_out(name, drafts, done, (), faults or {})
    return {name: done[name] for name in drafts if name in done}


def _write_out(name, drafts, done, chain, faults):
    """Stream and settings of one scenario; `chain` are the scenarios that led to it."""
    draft = drafts[name]
    if name in chain:
        raise ConfigError(f"{draft.where}: like and data lead back to it: {', '.join((*chain, name))}")
    if name in done:
        return done[name]

    def other(key, reference):
        if isinstance(reference, str) and reference in faults:
            raise faults[reference].error
        if not isinstance(reference, str) or reference not in drafts:
            raise ConfigError(f"{draft.where}: {key} names no scenario: {reference!r}{nearest(reference, drafts)}")
        return _write_out(reference, drafts, done, (*chain, name), faults)

    stream, settings = _merged_layers(draft, other)
    check_schema(settings, "scenario", draft.where)
    data = {key: value for key, value in settings["data"].items() if key != "stream"}
    done[name] = settings["data"].get("stream", stream), settings | {"data": data}
    return done[name]


def _merged_layers(draft, other):
    """Stream and settings of a scenario; `other` looks up those of another one.

    The data sets are those of the other scenario unless `data` changes them. Then its `truth` need no longer hold.
    """
    stream, settings, base = draft.stream, {}, {}
    for reference in [layer["like"] for layer in draft.layers if "like" in layer][-1:]:
        stream, base = other("like", reference)
        own = OWN if all("data" not in layer for layer in draft.layers) else (*OWN, "truth")
        settings = {key: value for key, value in base.items() if key not in own}
    for layer in draft.layers:
        changes = {key: value for key, value in layer.items() if key != "like"}
        if base and isinstance(layer.get("title"), str):
            changes["title"] = layer["title"].replace("{title}", base["title"])
        data = layer.get("data")
        if isinstance(data, str):
            stream, shared = other("data", data)
            changes["data"] = shared["data"]
            settings.pop("data", None)
        elif "data" in layer:
            stream = draft.stream
            if isinstance(data, dict) and "like" in data:
                settings["data"] = other("data.like", data["like"])[1]["data"]
                changes["data"] = {key: value for key, value in data.items() if key != "like"}
            _check_hidden(draft.where, settings.get("data"), changes["data"])
        settings = merged(settings, changes)
    return stream, settings


def _check_hidden(where, before, changes):
    """Raise ConfigError if a parameter is changed that rows given before set."""
    if not (isinstance(before, dict) and isinstance(before.get("rows"), list) and isinstance(changes, dict)):
        return
    parameters = changes.get("parameters")
    if "rows" not in changes and isinstance(parameters, dict):
        for hidden in [name for row in before["rows"] if isinstance(row, dict) for name in row if name in parameters]:
            raise ConfigError(f"{where}: data.parameters changes {hidden!r}, but data.rows sets it")


def merged(base, changes, inside=None):
    """Settings with changes: mappings are merged key by key, other values replaced; null removes a key.

    Alternatives are replaced as a whole: a parameter, the bins of a confounder, a split, adjustment or learner whose
    name is given. `inside` is the key under which both stand.
    """
    result = dict(base)
    for key, new in changes.items():
        if new is None:
            result.pop(key, None)
            continue
        old = result.get(key)
        if key in NAMED and isinstance(old, str):
            old = {"name": old}
        if isinstance(new, dict) and not (
            inside == "parameters" or key == "confounder" or (key in NAMED and "name" in new)
        ):
            new = merged(old if isinstance(old, dict) else {}, new, key)
        result[key] = new
    return result
