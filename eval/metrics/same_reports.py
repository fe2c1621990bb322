"""The test whether an agent wrote the same whatever it was given of the person. A setting that changes no
byte of a report measures nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from drr.env.given import RECORDS, Setting, parts_of
from drr.eval.evidence.answers import Answer

_RANKS = ("task", "context", "memory", "persona", "records", "records+persona")
Place = tuple[str, int]
"""A question and a trial of it."""


class SameReports(NamedTuple):
    """An agent's settings under which all reports of its shared questions are equal, byte for byte."""

    agent: str
    settings: tuple[str, ...]
    reports: int
    rule_written: bool
    """Rules, which do not read what is told of a person, wrote every one of them."""


def rank_of(setting: Setting) -> tuple[int, str, int]:
    """The settings that tell less of the person stand first; a memory that keeps everything before those that choose."""
    memory = "" if setting.memory == "none" else setting.memory or ""
    return _RANKS.index(setting.kind), memory, setting.tokens or 0


def by_agent(systems: Iterable[str]) -> dict[str, list[str]]:
    """The systems of each agent, the least told first; nothing where no system's name says a setting."""
    named = {system: parts_of(system) for system in systems}
    if all(one.setting == RECORDS for one in named.values()):
        return {}
    found: dict[str, list[str]] = {}
    for system in sorted(named, key=lambda name: (named[name].agent, *rank_of(named[name].setting))):
        found.setdefault(named[system].agent, []).append(system)
    return found


def same_reports(answers: Sequence[Answer]) -> list[SameReports]:
    """The largest groups there are, of two settings at least."""
    texts = texts_of(answers)
    written: dict[str, bool] = {}
    for answer in answers:
        written[answer.variant] = written.get(answer.variant, True) and answer.rule_written
    found = []
    for agent, systems in by_agent(texts).items():
        shared = sorted(set.intersection(*(set(texts[system]) for system in systems)))
        groups: dict[tuple[str | None, ...], list[str]] = {}
        for system in systems if shared else ():
            groups.setdefault(tuple(texts[system][place] for place in shared), []).append(system)
        found += [
            SameReports(
                agent,
                tuple(parts_of(system).setting.name for system in group),
                len(shared),
                all(written[system] for system in group),
            )
            for group_texts, group in groups.items()
            if len(group) > 1 and None not in group_texts
        ]
    return found


def texts_of(answers: Iterable[Answer]) -> dict[str, dict[Place, str | None]]:
    """Map by system and place the content hash of the report; `None` where it left none."""
    found: dict[str, dict[Place, str | None]] = {}
    for answer in answers:
        found.setdefault(answer.variant, {})[answer.query_id, answer.trial] = answer.record.blobs.get(
            "report"
        )
    return found


def equal_reports(a: Mapping[Place, str | None], b: Mapping[Place, str | None]) -> tuple[int, int]:
    """Count the reports that are equal byte for byte, and those that both have."""
    shared = [(a[place], b[place]) for place in a if place in b]
    return sum(one == other and one is not None for one, other in shared), len(shared)


def same_reports_text(same: Iterable[SameReports]) -> list[str]:
    """A sentence for each set of settings, with all agents whose reports are the same under it."""
    groups: dict[tuple[tuple[str, ...], int, bool], list[str]] = {}
    for one in same:
        groups.setdefault((one.settings, one.reports, one.rule_written), []).append(one.agent)
    return [
        f"{', '.join(agents)}: the same reports, byte for byte, under {_listed(settings)} ({reports} each); "
        + (
            "rules that play an agent make nothing of what they are told of the person, so these settings cannot be told apart here."
            if by_rules
            else "the agent made nothing of what it was told of the person."
        )
        for (settings, reports, by_rules), agents in groups.items()
    ]


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
