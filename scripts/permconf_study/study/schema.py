"""User-written YAML files: reading, and validation against a schema with one-sentence errors."""

import math
import reprlib
from functools import cache
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, validators

from permconf.errors import ConfigError, nearest, one_line
from permconf_study.study.paths import HOME

DEEPEST = 30
SCHEMAS = HOME / "workflow" / "schemas"


class UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Rejects mappings with duplicate keys, of which YAML would silently drop one, and values such as 2020-13-45."""

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, LookupError, AttributeError) as error:
            where = f"{reprlib.repr(node.value)} in line {node.start_mark.line + 1}"
            raise yaml.YAMLError(f"{where} looks like a number or date but is none; put a text in quotes") from error

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key in keys:
            if keys.count(key) > 1 and key != "<<":
                raise yaml.YAMLError(f"key {key!r} is given twice in line {node.start_mark.line + 1} and below")
        return super().construct_mapping(node, deep)


def _loaded(text):
    """The content of YAML text of limited depth and without aliases: some lines of these can stand for gigabytes."""
    depth = 0
    for event in yaml.parse(text, UniqueKeyLoader):
        line = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError(f"{line} has an alias (*{event.anchor}); write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise yaml.YAMLError(f"{line} is nested more than {DEEPEST} levels deep")
    return yaml.load(text, UniqueKeyLoader)


def read_yaml(path):
    """The mapping in a YAML file."""
    if Path(path).exists() and not Path(path).is_file():
        raise ConfigError(f"{path} cannot be read: it is not a regular file")
    try:
        content = _loaded(Path(path).read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{Path(path).name} is not valid YAML: {one_line(error)}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{Path(path).name} must be a mapping of keys to values, not {content!r}")
    return content


def _is_whole(_, value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(_, value):
    return _is_whole(_, value) or (isinstance(value, float) and math.isfinite(value))


_TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_whole, "number": _is_finite})
_Validator = validators.extend(Draft202012Validator, type_checker=_TYPES)


@cache
def _validator(schema):
    return _Validator(yaml.load((SCHEMAS / f"{schema}.schema.yaml").read_text(), UniqueKeyLoader))


def known_keys(schema):
    """The keys that a schema allows at the top of a file."""
    return _validator(schema).schema["properties"].keys()


def check_schema(content, schema, file):
    """Raise ConfigError, naming `file` and key, if the content of a file does not match its schema."""
    errors = sorted(_validator(schema).iter_errors(content), key=lambda e: (len(e.absolute_path), str(e.path)))
    if errors:
        raise ConfigError(f"{file}: {_sentence(errors[0])}")


def _sentence(error):
    if error.validator == "anyOf":
        branches: dict = {}
        for deeper in error.context:
            branches.setdefault(deeper.schema_path[0], []).append(deeper)
        for errors in branches.values():  # report the error inside the alternative whose type matches
            if not any(e.validator == "type" and not e.path for e in errors):
                return _sentence(errors[0])
    where = ".".join(str(part) for part in error.absolute_path)
    inside = f" in {where}" if where else ""
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        unknown = next(key for key in error.instance if key not in known)
        return f"unknown key {unknown!r}{inside}{nearest(unknown, known)}"
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        choices = ", ".join(error.schema.get("properties", {}).get(missing, {}).get("enum", ()))
        return f"key {missing!r} is missing{inside}" + (f"; it is one of {choices}" if choices else "")
    if error.validator == "enum":
        return f"{where} is {error.instance!r}{nearest(error.instance, error.validator_value)}"
    if error.validator == "uniqueItems":
        return f"{where} names {next(one for one in error.instance if error.instance.count(one) > 1)!r} twice"
    expected = error.schema.get("description", error.message)
    return f"{where} must be {expected}, not {error.instance!r}"
