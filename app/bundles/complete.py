"""Completeness of a study: what it was asked for, held against the questions, answers and judgements that are there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePath

from drr.agents.registry import BUILT_IN, PAPER
from drr.app.bundles.verified import Verified
from drr.app.sets import place_of_set, read_set
from drr.env.given import agent_of
from drr.env.json_object import JsonObject
from drr.env.query import Query, read_queries
from drr.eval.evidence.answers import questions
from drr.querygen.files import line_of
from drr.study.study import Study

NOT_BEGUN = "not_begun"
"""The fact of a bundle that says how many answers its study never began."""
_IN_SET = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.-]{0,60}-v\d+)/(?P<part>[\w-]{1,60}) (?P<hash>[0-9a-f]{16})( .*)?"
)
_IN_FILE = re.compile(r"[\w-]+\.py:\w+")
_IMPORTED = ("id", "query", "user_id")
"""The parts of a question that an import keeps."""


def _places_wanted(study: Study) -> set[tuple[str, int]]:
    """List question and trial of every answer that is asked of each variant."""
    trials = study.config.get("run", {}).get("trials", 1)
    return {(query, trial) for query in questions(study) for trial in range(trials)}


def not_begun(study: Study) -> int:
    """Count the answers that were asked for and never begun, as by `--only`."""
    here = Counter[str]()
    for unit, current in study.ledger.units.known():
        if unit.kind == "answer" and current and not unit.key_fields.get("imported"):
            here[str(unit.spec["variant"])] += 1
    return len(here) * len(_places_wanted(study)) - here.total()


def questions_of(study: Study, found: Verified) -> Sequence[Query]:
    """Read the questions of the set that a study names, if it came with this program. They have their truth where the set's hash proves it."""
    label = str(study.config.get("run", {}).get("set") or "")
    if not label:
        return ()
    if known := _IN_SET.fullmatch(label):
        folder = place_of_set(Path(known["name"]))
        file = folder / known["part"] / "queries.jsonl"
        if file.is_file() and (frozen := read_set(folder)).content_hash.startswith(known["hash"]):
            asked, own = read_queries(file), questions(study)
            whole = [own[query.id] for query in asked if query.id in own]
            proved = sha256("".join(f"{line_of(query)}\n" for query in whole).encode()).hexdigest()
            return whole if proved in {part.questions for part in frozen.parts} else asked
    what = f"that its questions are those of {label[:80]}, which did not come with this program"
    found.skip("set", "", what)
    return ()


def check_set(asked: Sequence[Query], study: Study, found: Verified) -> None:
    """Hold the questions of a study against those of the set that was named."""
    wanted = {query.id: query.model_dump(mode="json") for query in asked}
    own = {query.id: query.model_dump(mode="json") for query in questions(study).values()}
    ran = {str(one.spec["query_id"]) for one in study.records("answer", None) if not one.made_elsewhere}
    for name in sorted(own.keys() | wanted.keys()) if asked else ():
        how = "left out" if name not in own else "not in it" if name not in wanted else "another there"
        one, other = own.get(name, {}), wanted.get(name, {})
        if any(one.get(part) != other.get(part) for part in ({*one, *other} if name in ran else _IMPORTED)):
            found.fail("set", name, f"of the set that was named, this question is {how}")


def check_complete(study: Study, found: Verified) -> None:
    """Name every answer that was asked for and is not there. A gap that the bundle admits is no contradiction."""
    here: dict[str, set[tuple[str, int]]] = {}
    pending = Counter[str]()
    for unit, current in study.ledger.units.known():
        if unit.kind == "answer" and current and not unit.key_fields.get("imported"):
            variant = str(unit.spec["variant"])
            place = str(unit.spec["query_id"]), int(unit.spec["trial"])
            if place in here.setdefault(variant, set()):
                found.fail("complete", unit.label, "two answers of one question, variant and trial count")
            here[variant].add(place)
            pending[variant] += study.record(unit.key) is None
    for name in sorted(_asked_for(study.config.get("run", {})) - {agent_of(variant) for variant in here}):
        found.fail("complete", name, "was asked for, and none of its answers is there")
    wanted, left = _places_wanted(study), list[str]()
    for variant, places in sorted(here.items()):
        left += [f"{query}/{variant}/{trial}" for query, trial in sorted(wanted - places)]
        for query, trial in sorted(places - wanted):
            found.fail("complete", f"{query}/{variant}/{trial}", "was not asked for")
        if pending[variant]:
            found.lack("complete", variant, f"{pending[variant]:,} of {len(places):,} answers have no ending")
    is_admitted = study.ledger.meta(NOT_BEGUN) == str(len(left))
    for label in left:
        what = "was asked for, and not begun" if is_admitted else "was asked for, and is left out"
        (found.lack if is_admitted else found.fail)("complete", label, what)


def _asked_for(run: JsonObject) -> set[str]:
    """The variants of the configuration, but for commands, whose names are made otherwise."""
    words = str(run.get("variants") or "").split(",")
    asked = (name for word in words for name in (PAPER if word == "all" else [word]))
    names = {agent_of(PurePath(name).name) for name in asked}
    known = {one.name for one in BUILT_IN}
    return {name for name in names if name.partition("+")[0] in known or _IN_FILE.fullmatch(name)}
