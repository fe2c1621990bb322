"""The table of commands: the words of each, its group in `drr --help`, its module and its former name.

A plug-in adds its own rows with `add_commands`; no other place lists the commands.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from drr.env.plugins import papers

GROUPS = ("start", "shop", "agents", "judging", "papers and judges")
MOST_HEADS = 18
"""Most commands of one word: a person cannot remember more."""


class CommandModule(Protocol):
    """The parser and the work of a command: a module, or a `CommandForm` where a module has several commands."""

    @property
    def build(self) -> Callable[[ArgumentParser], None]: ...
    @property
    def run(self) -> Callable[[Namespace], int]: ...


class CommandRow(NamedTuple):
    """A row of the table of commands."""

    name: str
    """Name of the command: one word (`ask`), or a head and its part (`study status`)."""
    module: str | Callable[[], CommandModule]
    """Place of the `CommandModule`, seen from this package where it begins with a dot, or a function that imports it, as a paper gives it; empty
    for a head that has parts alone."""
    line: str
    group: str = ""
    """Group in `drr --help`; for a head alone."""
    old: str = ""
    """Former name of one word, which stays for good as scripts and settings of clients hold it, and is listed nowhere."""
    summaries: Sequence[str] = ()
    """Parts whose result is files, so that `--quiet` omits their printed summary; `""` is the command itself."""

    @property
    def head(self) -> str:
        return self.name.partition(" ")[0]


class CommandForm(NamedTuple):
    """A command in a module that has several commands."""

    build: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]


class FoundCommand(NamedTuple):
    """The command that a command line names, and the words left for it."""

    command: CommandRow
    rest: list[str]
    old: str = ""
    """Former name, where the user typed it."""


_ROWS = (
    CommandRow("ask", ".ask", "one question, one cited report", "start"),
    CommandRow("run", ".run", "create or continue a study", "start"),
    CommandRow(
        "demo",
        ".demo",
        "a recorded study, its figures made again, and an agent whose lies are caught",
        "start",
    ),
    CommandRow("env", "", "this installation: doctor, settings, completion", "start"),
    CommandRow(
        "env doctor",
        ".env:DOCTOR",
        "what is installed, which keys are there; with --model what a model can do",
        old="doctor",
    ),
    CommandRow("env settings", ".env:SETTINGS", "each setting and where it came from"),
    CommandRow(
        "env completion",
        ".env:COMPLETION",
        "what a shell completes: bash, zsh, fish",
        old="completion",  # it stands in files that a shell reads when it starts
    ),
    CommandRow("data", ".data", "raw Amazon-2023 files into a shop: get, sample, ingest", "shop"),
    CommandRow("data sample", ".data:SAMPLE", "write raw files in the official Amazon-2023 form"),
    CommandRow("data ingest", ".ingest", "make a shop from a catalogue's files"),
    CommandRow("shop", ".shop", "look into a shop: info, users, search, show, check, copy, ...", "shop"),
    CommandRow("shop make", ".shop_make", "make a fresh shop, its web and its questions from a seed"),
    CommandRow("shop profile", ".profile", "what query writers and judges are told of a user"),
    CommandRow("shop servers", ".servers", "make the password of a shop's servers"),
    CommandRow("tools", ".tools", "the nine tools: list, schema, call, docs, mcp", "shop"),
    CommandRow(
        "tools mcp",
        ".mcp",
        "serve the tools to an MCP client",
        old="mcp",  # it stands in the configuration of clients
    ),
    CommandRow("web", ".web", "the web as the tools see it: search, read, build, record, replay", "shop"),
    CommandRow(
        "queries", ".queries", "generate, check, review and publish queries", "agents", summaries=("dataset",)
    ),
    CommandRow("queries freeze", ".frozen:FREEZE", "freeze a fresh shop's questions under a name and a hash"),
    CommandRow("queries reveal", ".frozen:REVEAL", "prove that a seed belongs to a sealed set"),
    CommandRow("variants", ".variants", "the agents that can be run", "agents"),
    CommandRow(
        "study",
        ".study",
        "a study's answers: status, trace, compare, gate, export, import, ...",
        "agents",
        summaries=("edit",),
    ),
    CommandRow("study status", ".studies:STATUS", "what of a study is done, failed, pending", old="status"),
    CommandRow("study trace", ".studies:TRACE", "one unit of a study as a timeline"),
    CommandRow("study compare", ".compare", "two variants of a study, paired", old="compare"),
    CommandRow("study gate", ".gate", "whether a study is good enough for a build to pass"),
    CommandRow("study stress", ".stress", "its answers once more, under one change each"),
    CommandRow(
        "study export", ".studies:EXPORT", "a study as JSONL and Parquet", old="export", summaries=("",)
    ),
    CommandRow("study import", ".import_", "take in reports written by other systems", old="import"),
    CommandRow("judge", ".judge", "judge the reports of a study", "judging"),
    CommandRow("report", ".report", "every table and figure of a study", "judging", summaries=("",)),
    CommandRow("bundle", "", "a study as one file that anybody can verify: make, verify, ...", "judging"),
    CommandRow(
        "bundle make", ".bundle:MAKE", "write a study, all that it rests on, as one file", summaries=("",)
    ),
    CommandRow(
        "bundle verify", ".bundle:VERIFY", "every figure and unit of a bundle, checked without a call"
    ),
    CommandRow("bundle sign", ".bundle:SIGN", "verify a bundle, and sign that nothing in it fails"),
    CommandRow(
        "bundle reproduce", ".bundle:REPRODUCE", "run a drawn part of it again, and test the difference"
    ),
    CommandRow(
        "bundle regrade", ".bundle:REGRADE", "judge its answers by another judge, figures side by side"
    ),
    CommandRow("bundle key", ".bundle:KEY", "make a key that signs bundles", summaries=("new",)),
    CommandRow(
        "board", ".board", "a page that ranks the systems of many bundles", "judging", summaries=("",)
    ),
    CommandRow("view", ".view", "browse reports, claims and evidence", "judging"),
    CommandRow(
        "judges",
        "",
        "who judges, and how well: check, annotate, agreement, calibrate, ...",
        "papers and judges",
    ),
    CommandRow("judges check", ".check", "citations and rule checks of one report; no model", old="check"),
    CommandRow("judges annotate", ".annotate", "blind A/B page for people", old="annotate"),
    CommandRow(
        "judges agreement", ".agreement", "people against judges, judge against judge", old="agreement"
    ),
    CommandRow("judges calibrate", ".calibrate", "a judge against labelled data", old="calibrate"),
    CommandRow(
        "judges scorecard", ".scorecard", "how good a judge is, by labels of ours or of others, and its cost"
    ),
    CommandRow("judges canaries", ".canaries", "a judge against reports that cheat and planted errors"),
    CommandRow("judges rewards", ".rewards", "rewards by code against an oracle, silence and tricks"),
    CommandRow("judges regrade", ".regrade", "kept episodes paid again, without a run"),
    CommandRow("judges plan", ".plan", "how many labels, questions and trials an interval takes"),
    CommandRow(
        "papers", "", "what one paper alone needs: reproduce, persons, tasks, ...", "papers and judges"
    ),
)
_PAPERS = (
    CommandRow("papers reproduce", ".reproduce", "queries, agents, judging, report in one go"),
    CommandRow(
        "papers tasks",
        ".tasks",
        "wishes, and tasks with files: build, drawer, check, show, review",
        summaries=("build", "import", "export"),
    ),
    CommandRow(
        "papers aggregate", ".aggregate", "the sums of a protocol over raw scores of anybody", old="aggregate"
    ),
)
_table: dict[str, CommandRow] = {}


def add_commands(*rows: CommandRow) -> None:
    """Add rows to the table: heads with their group, or parts of a head that is in the table already.

    Raise `ValueError` where a name is taken, a head has no place left, or a part has no head.
    """
    for row in rows:
        names = {row.name, row.old} - {""}
        taken = names & {*_table, *(one.old for one in _table.values())}
        if taken:
            raise ValueError(f"the command {sorted(taken)[0]!r} is there already")
        if row.name == row.head and (row.group not in GROUPS or len(top_level_words()) == MOST_HEADS):
            raise ValueError(
                f"the command {row.name!r}: a head needs one of the groups {', '.join(GROUPS)}, of {MOST_HEADS} heads"
            )
        if row.head != row.name and row.head not in _table:
            raise ValueError(f"the command {row.name!r}: no head {row.head!r}; {', '.join(_heads())} are")
        _table[row.name] = row


@cache
def add_papers() -> None:
    """Add the commands of the papers to the table, once."""
    for paper in papers():
        add_commands(*paper.commands.rows())


def _heads() -> list[str]:
    return [row.name for row in top_level_words()]


def commands() -> list[CommandRow]:
    """Return every row, in the order in which rows were added."""
    add_papers()
    return list(_table.values())


def top_level_words() -> list[CommandRow]:
    return [row for row in _table.values() if row.name == row.head]


def subcommand_rows(head: str) -> list[CommandRow]:
    """Return the commands below a head that have a module of their own."""
    add_papers()
    return [row for row in _table.values() if row.head == head != row.name]


def first_words() -> dict[str, str]:
    """Map every possible first word of a command line to the name of its command."""
    add_papers()
    found: dict[str, str] = {}
    for row in _table.values():
        word = row.name.split()[-1]
        found[word] = f"{found[word]} or {row.name}" if word in found else row.name
    return found | {name: name for name in _heads()}


def command_of(name: str) -> CommandRow:
    """Return the row of a present or former name; raise `KeyError` where there is none."""
    found = find_command(name.split())
    if found is None or found.rest:
        raise KeyError(name)
    return found.command


def find_command(words: Sequence[str]) -> FoundCommand | None:
    """Return the command that the words name, with the words left for it; `None` where they name none."""
    two = " ".join(words[:2])
    if two not in _table:
        add_papers()
    if row := _table.get(two):
        return FoundCommand(row, list(words[len(row.name.split()) :]))
    if not words:
        return None
    if row := _table.get(words[0]):
        return FoundCommand(row, list(words[1:]))
    old = next((row for row in _table.values() if row.old == words[0]), None)
    return None if old is None else FoundCommand(old, list(words[1:]), words[0])


add_commands(*_ROWS, *_PAPERS)
