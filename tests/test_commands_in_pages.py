"""Every command on every page exists: its program, its options, and the files, scenarios and claims that it names.

Python examples on pages are run by tests/pages. The changelog is left out: it names commands that no longer exist.
"""

import os
import re
import shlex
from functools import cache
from pathlib import Path

import pytest
import yaml

from permconf.__main__ import parser
from permconf_study.study.scenario_files import read_drafts

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for pattern in ("*.md", "docs/*.md", "[!d]*/README.md", "workflow/published/*.md")
    for path in sorted(ROOT.glob(pattern))
    if path.name != "CHANGELOG.md"
]
CHECKED = ("permconf", "make", "snakemake")  # arguments are checked too
ELSEWHERE = (
    "git",
    "cd",
    "docker",
    "pip",
    "source",
    "$EDITOR",
    "tmux",
    "squeue",
    "srun",
    "scontrol",
    "sed",
    "pre-commit",
)
PLACEHOLDERS = {"<scenario>": "exp1", "ID": "fig8a-power-exp1", "N": "20", "DIR": "results", "KEY=VALUE": "seed=1"}
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def program(command):
    """The program of a command, without settings before it and without the folder of the environment."""
    return (command.split() or [""])[0].removeprefix(".venv/bin/")


def known(command):
    name = program(command)
    return name in (*CHECKED, *ELSEWHERE) or (name.startswith("tests/") and name.endswith(".sh"))


def commands(text):
    """The commands of a page: lines of blocks without a language, or after a prompt, and spans of code."""
    for _, language, block in BLOCK.findall(text):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        prompts = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        if not language and (prompts or (lines and all(map(known, parts(lines[0]))))):
            yield from prompts or lines
    yield from filter(known, SPAN.findall(BLOCK.sub("", text)))


@cache
def listed(name):
    """The names in a file of the workflow."""
    return set(yaml.load((ROOT / "workflow" / name).read_text(), yaml.CSafeLoader))


def claim_ids():
    """All claims; an entry of the file may stand for several."""
    from permconf_study.paper.claims.catalogue import load_claims
    from permconf_study.paper.claims.command import CLAIMS

    return {claim["id"] for claim in load_claims(CLAIMS)}


def parts(line):
    """The single commands of a line, without comments; a command that is run by a script follows its script."""
    for command in re.split(r" && | with ", line.partition(" #")[0].strip()):
        yield re.sub(r"^([A-Z]+=\S+|nice) ", "", command.strip())


def checked_permconf(words):
    """Parse; a command may be named without its arguments."""
    choices = parser()._subparsers._group_actions[0].choices
    if not words or words in (["--help"], ["--version"]):
        return
    assert words[0] in choices, f"there is no command permconf {words[0]}"
    if len(words) > 1:
        options = parser().parse_args([PLACEHOLDERS.get(word, word) for word in words if word != "..."])
        checked_names(vars(options))


@cache
def new_scenarios():
    """Scenarios that a page tells the reader to write."""
    return {name for page in PAGES for name in re.findall(r"permconf new (\w+)", page.read_text())}


def checked_names(options):
    drafts = read_drafts(ROOT / "workflow/scenarios")
    scenarios = {*drafts, *(draft.path.stem for draft in drafts.values()), *new_scenarios()}
    for name in (*options.get("scenarios", ()), *filter(None, [options.get("scenario")])):
        assert name in scenarios, f"there is no scenario {name}"
    for name in options.get("ids", ()):
        assert name in claim_ids(), f"there is no claim {name}"
    for target in options.get("targets", ()):
        name = re.sub(r"<\w+>|\{[\d,]+\}", "1", target)
        folder, stem = Path(name).parent.name, Path(name).stem
        groups = re.findall(r"^rule (\w+):", (ROOT / "Snakefile").read_text(), re.MULTILINE)
        made = name in groups or stem in listed("figures.yaml") or stem in scenarios or folder in scenarios
        assert made or "<" in target, f"nothing makes {target}"
    if profile := options.get("profile"):
        assert (ROOT / profile / "config.yaml").exists()


def checked_make(words):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert all(word in targets for word in words), f"the Makefile has no target {' '.join(words)}"


def checked_snakemake(words):
    from snakemake.cli import get_argument_parser

    options = get_argument_parser().parse_args(words)
    profile = getattr(options, "workflow_profile", None)
    assert not profile or (ROOT / profile / "config.yaml").exists()


def checked(command):
    """Raise if a command cannot be run."""
    assert known(command), f"unknown program in {command!r}"
    name, arguments = program(command), shlex.split(command)[1:]
    if name in CHECKED:
        {"permconf": checked_permconf, "make": checked_make, "snakemake": checked_snakemake}[name](arguments)
    elif name.startswith("tests/"):
        assert os.access(ROOT / name, os.X_OK), f"{name} cannot be run"
    for word in arguments:
        if re.match(r"(workflow|envs|tests|scripts)/[\w/.]+$", word) and "my_study" not in word:
            assert (ROOT / word).exists(), f"{word} does not exist"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_exist(page):
    wrong = []
    for line in commands(page.read_text()):
        for command in parts(line):
            try:
                checked(command)
            except (AssertionError, SystemExit, ValueError) as error:
                wrong.append(f"{command}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "command",
    [
        "make bench",
        "permconf verfy",
        "permconf run nothing",
        "permconf plan exp99 exp1",
        "permconf claims fig99",
        "permconf clean --every",
        "snakemake --no-such-option",
        "snakemake --workflow-profile workflow/profiles/slrum",
        "tests/nothing.sh",
        "docker build -f envs/Nothing .",
    ],
)
def test_a_command_that_does_not_exist_is_found(command):
    with pytest.raises((AssertionError, SystemExit)):
        checked(command)


def test_commands_are_found_on_a_page():
    page = "`make`, `permconf.audit`\n\n```\nmake smoke   # small\ntests/a.sh with X=1 permconf run && cd a\n```\n"
    found = [part for line in commands(page) for part in parts(line)]
    assert found == ["make smoke", "tests/a.sh", "permconf run", "cd a", "make"]


def test_the_index_lists_every_page():
    index = (ROOT / "docs/README.md").read_text()
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"]({name})" not in index} == set()
    for reader in ("Reproduce the paper", "Run on a cluster", "Extend", "Audit your own data"):
        assert len(re.findall(rf"^- \*\*{reader}\*\*: .*$", index, re.MULTILINE)) == 1


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([\w./-]+\.(?:md|cff|yml|json))(#[\w-]+)?\)", page.read_text()):
            linked = page.parent / target
            assert linked.exists(), f"{page.name} links to {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
                anchors = ["#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
                assert anchor in anchors, f"{page.name} links to {target}{anchor}"


def test_the_settings_are_documented_key_by_key():
    page = (ROOT / "docs/CONFIGURATION.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())["properties"]
    values = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert [key for key, _, _ in rows] == list(schema) == list(values)
    for key, default, allowed in rows:
        assert yaml.safe_load(default) == values[key]
        assert allowed == schema[key]["description"]
