"""The question of a case, in 50 to 100 words: it names the files, asks for every part, and says no figure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from drr.filetasks.case import TaskCase

FEWEST, MOST = 50, 100
_DRAWS, _EASY = 300, 60
"""After so many draws the shorter of several sentences is taken."""
_START = re.compile(r"(^|[.?!]\s+)([a-z][\w.-]*)")


class _Choosing(NamedTuple):
    rng: Random
    tight: bool

    def choice(self, options: Sequence[str]) -> str:
        if not self.tight:
            return self.rng.choice(options)
        return min(self.rng.sample(options, min(3, len(options))), key=lambda one: len(one.split()))


def written_question(case: TaskCase, attempt: int = 0) -> str:
    """Another attempt says the same in other words."""
    rng = Random(f"{case.seed}/{case.task_id}/{case.user_id}/question/{attempt}")
    best, best_miss = "", MOST
    for draw in range(_DRAWS):
        text = _drawn(case, _Choosing(rng, tight=draw >= _EASY))
        count = len(text.split())
        miss = max(FEWEST - count, count - MOST, 0)
        if miss < best_miss:
            best, best_miss = text, miss
        if not miss:
            break
    return best


def _drawn(case: TaskCase, pick: _Choosing) -> str:
    moulds = _moulds()
    words = _words(case)
    intent = moulds[case.intent]
    opening = _filled(pick.choice(intent["openings"]), words)
    clauses = [_filled(pick.choice(intent[part.key]), words) for part in case.couplings]
    asked = _asked(clauses, moulds["frames"], pick)
    files = _files(case, moulds, pick)
    closing = pick.choice(
        moulds["closings"]["short" if pick.tight else pick.rng.choice(("short", "long", "long"))]
    )
    order = pick.rng.choice(
        ((opening, files, asked, closing), (opening, asked, files, closing), (files, opening, asked, closing))
    )
    return _START.sub(_begun, " ".join(order))


def _begun(match: re.Match[str]) -> str:
    """A sentence begins with a capital, a file's name stays as it is."""
    word = match[2]
    return match[1] + (word if "." in word.rstrip(".") else word[0].upper() + word[1:])


def _files(case: TaskCase, moulds: Mapping[str, Any], pick: _Choosing) -> str:
    """Each by its name and by what it is."""
    said = [pick.choice(moulds["files"][file.form]).format(f=file.name) for file in case.files]
    pick.rng.shuffle(said)
    listed = _listed(said)
    frames = moulds["frames"]["files_one" if len(said) == 1 else "files"]
    frame = pick.choice([one for one in frames if "; " not in listed or one.endswith("{list}.")])
    text: str = frame.format(list=listed)
    return text


def _asked(clauses: Sequence[str], frames: Mapping[str, list[str]], pick: _Choosing) -> str:
    if len(clauses) == 1:
        return pick.choice(frames["asks_one"]).format(a=clauses[0])
    if len(clauses) == 2:
        return pick.choice(frames["asks_two"]).format(a=clauses[0], b=clauses[1])
    return pick.choice(frames["asks_many"]).format(a=clauses[0], rest="; ".join(clauses[1:-1]), z=clauses[-1])


def _listed(parts: Sequence[str]) -> str:
    """With semicolons where a part has a comma of its own."""
    said = [part.rstrip(",") for part in parts]
    if len(said) == 1:
        return said[0]
    if any("," in part for part in said):
        return f"{'; '.join(said[:-1])}; and {said[-1]}"
    return f"{', '.join(said[:-1])}{',' * (len(said) > 2)} and {said[-1]}"


def _words(case: TaskCase) -> dict[str, str]:
    many = case.thing.plural
    return {
        "name": case.thing.name,
        "noun": case.thing.noun,
        "brand": case.thing.brand,
        "rival": case.rival.name if case.rival else "",
        "seller": case.seller,
        "state": case.state or "",
        "live": f"; I live in {case.state}" if case.state else "",
        "piece": _piece(case),
        "is": "are" if many else "is",
        "has": "have" if many else "has",
        "does": "do" if many else "does",
        "it": "they" if many else "it",
    }


def _piece(case: TaskCase) -> str:
    """Which part broke: its number is in the drawer, its name is in the question."""
    said = (fact.attribute.partition("part number of the ")[2] for fact in case.facts)
    return next((piece for piece in said if piece), "")


def _filled(mould: str, words: Mapping[str, str]) -> str:
    said = mould.format_map(words)
    if words["it"] == "they":
        for one in (words["name"], words["noun"]):
            said = said.replace(f" a {one}", f" {one}")
        said = re.sub(r"\b(about|trust|send) they\b", r"\1 them", said)
    said = re.sub(r"\b([Aa]) (?=[aeiouAEIOU](?!ne\b|ni|se))", r"\1n ", said)
    if not said.endswith("?") or ";" not in said:
        return said
    asked, _, rest = said.partition(";")
    return f"{asked}?{rest[:-1]}."


@cache
def _moulds() -> Mapping[str, Any]:
    with (Path(__file__).parent / "moulds.toml").open("rb") as file:
        return tomllib.load(file)
