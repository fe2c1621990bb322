"""Verifying a bundle of anybody, offline. What contradicts itself fails, and what nobody can tell is said."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePath
from typing import cast

from drr.agents.registry import BUILT_IN, PAPER
from drr.app.bundles.answers import check_answers
from drr.app.bundles.costs import check_costs
from drr.app.bundles.figures import differing, every_figure, opened
from drr.app.bundles.judged import RebuiltDesks, about_of, check_judgements
from drr.app.bundles.prompts import box_texts, given_to, person_texts
from drr.app.bundles.replayed import check_shop_is_theirs, check_tools, shop_as_stated
from drr.app.bundles.stated import NOT_BEGUN, check_stated, places_wanted
from drr.app.bundles.verified import Verified, cause_of
from drr.app.sets import place_of_set, read_set
from drr.app.studies import code_id, made_by
from drr.app.vouching import given_settings
from drr.env.errors import DrrError, Misuse
from drr.env.given import agent_of
from drr.env.json_object import JsonObject
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.shop_world import ShopRealm
from drr.eval.evidence.answers import questions
from drr.eval.stats.asked import grouped
from drr.eval.tasks.desk import profile_text, text_id
from drr.llm.names import OFFLINE
from drr.querygen.files import line_of
from drr.study.bundle.archive import MANIFEST, ROOT, pack
from drr.study.bundle.making import withheld_of
from drr.study.bundle.parcel import BundleManifest, Parcel, PromptLine, unpacked
from drr.study.bundle.rebuilding import BundleTexts
from drr.study.bundle.seal import public_id, sign, signatures
from drr.study.form import reading
from drr.study.kept import named
from drr.study.study import Study
from drr.study.unit import canonical_json

_IN_SET = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.-]{0,60}-v\d+)/(?P<part>[\w-]{1,60}) (?P<hash>[0-9a-f]{16})( .*)?"
)
_IN_FILE = re.compile(r"[\w-]+\.py:\w+")


@dataclass(frozen=True, kw_only=True)
class VerifyTerms:
    """All that bundles are held against."""

    shop: str | None = None
    """The shop that its tools are called on again."""
    questions: Path | None = None
    """The set of questions that it claims to answer."""
    keys: Sequence[Path] = ()
    """Public keys, one of which its maker must have signed with."""
    given: Mapping[str, object] = field(default_factory=dict)
    """Settings, by name."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> VerifyTerms:
        """The terms of a command line."""
        own, given = arguments, given_settings(arguments)
        return cls(shop=own.shop, questions=own.questions, keys=own.key, given=given)

    def rests_on(self) -> object:
        """All of it as plain data, with the state of every file that it names. `Misuse` where that is not known."""
        if self.shop is not None and not Path(self.shop).is_dir():
            raise Misuse(f"{self.shop}: is no folder")
        settings = resolve(self.given).settings.model_dump(mode="json")
        terms = [self.shop, self.questions and str(self.questions), [str(key) for key in self.keys], settings]
        return [terms, named(terms)]


def verify(file: Path, terms: VerifyTerms) -> Verified:
    """Check everything that can be checked. `Misuse` for a file that is not there; whatever is wrong with one is a finding."""
    found, check = Verified(), "archive"
    try:
        with unpacked(file) as parcel, reading("the bundle"):
            found.place, found.root, check = str(parcel.folder), parcel.root, "form"
            check_hashes(parcel, found)
            _check_signatures(terms.keys, parcel, found)
            if not found.failed:
                _check_contents(terms, parcel, found)
    except Misuse:
        raise
    except DrrError as error:
        found.fail(check, "", cause_of(error))
    return found


def check_hashes(parcel: Parcel, found: Verified) -> None:
    """Hold every line against the tree of hashes, and that against the root."""
    stated, files = parcel.manifest()["files"], parcel.files()
    if (parcel.folder / ROOT).read_bytes() != f"{parcel.root}\n".encode():
        found.fail("hashes", MANIFEST, "is not what the root of the bundle was made of")
    for name in sorted(stated.keys() | files.keys()):
        if stated.get(name) != files.get(name):
            found.fail("hashes", name[:80], "is not what the manifest was made of")
    found.checked["lines"] += sum(hashed["lines"] for hashed in files.values())


def _check_signatures(keys: Sequence[Path], parcel: Parcel, found: Verified) -> None:
    known = {public_id(path) for path in keys}
    with found.unless_broken("signatures", ""):
        for key, role in signatures(parcel):
            found.signed.append({"key": key, "role": role, "known": key in known})
    if known and not any(one["known"] and one["role"] == "maker" for one in found.signed):
        found.fail("signatures", "", "no key that was named is its maker's")
    if not found.signed:
        found.not_excluded.append("who made it: it is not signed")


def countersign(file: Path, terms: VerifyTerms, key: Path) -> Verified:
    """Verify a bundle, and add a signature where nothing fails. The file is replaced by the one that has it."""
    found = verify(file, terms)
    if found.failed:
        return found
    with unpacked(file) as parcel:
        if parcel.root != found.root:
            raise DrrError(f"{file}: was replaced meanwhile; verify it again")
        facts = {"made_by": made_by(), "checked": dict(found.checked), "with_shop": terms.shop is not None}
        name = sign(parcel, key, "verifier", facts)
        pack(parcel.folder, file)
    found.signed.append({"key": name, "role": "verifier", "known": True})
    return found


def _check_contents(terms: VerifyTerms, parcel: Parcel, found: Verified) -> None:
    manifest = parcel.manifest()
    with opened(parcel) as study, _shop_of(terms, study) as realm:
        asked = _questions_of(study, found) if terms.questions is None else read_queries(terms.questions)
        kept = cast(BundleTexts, study.blobs)
        kept.strict = True
        known = box_texts() | {line["sha256"]: line["text"] for line in _prompts(parcel, "agents")}
        steps: dict[str, Callable[[], None]] = {
            "manifest": lambda: _check_manifest(parcel, manifest, found),
            "texts": lambda: _check_texts(study, kept, manifest, found),
            "units": lambda: _check_references(study, found),
            "set": lambda: _check_set(asked, study, found),
            "complete": lambda: _check_complete(study, found),
            "settings": lambda: check_stated(study, found),
            "answers": lambda: check_answers(
                study, known | person_texts(study), redacted=manifest["redacted"], found=found
            ),
            "judgements": lambda: _check_with_shop(realm, study, parcel, found),
            "costs": lambda: check_costs(study, parcel.study(), found),
            "prompts": lambda: _check_prompts(study, parcel, found),
        }
        for check, step in steps.items():
            with found.unless_broken(check, ""):
                step()
        kept.strict = False
        with found.unless_broken("figures", ""):
            _check_figures(study, parcel, manifest, found)
        beside = any(parcel.lines("beside.jsonl"))
        _say_what_stays_open(study, manifest, found, asked=bool(asked), beside=beside)


def _check_with_shop(realm: ShopRealm | None, study: Study, parcel: Parcel, found: Verified) -> None:
    """Make judgements, rules and calls of tools again, as far as the shop is here."""
    profiles = {line["user"]: line["profile"] for line in parcel.rows("shoppers.jsonl", dict[str, str])}
    shown = {line["name"]: line["text"] for line in _prompts(parcel, "judges")}
    desks = RebuiltDesks(study, profiles, shown, None if realm is None else realm.shop)
    asyncio.run(check_judgements(desks, found))
    if realm is not None:
        check_tools(study, realm, found)
        for user, text in profiles.items():
            if text != profile_text(realm.shop, user):
                found.fail("shoppers", user, "is another shopper in the shop")
    elif any(record.result.get("tool_calls") for record in study.records("answer", None)):
        which = "which --shop makes again" if not desks.whole else "whose files are not here"
        found.skip("tools", "", f"calls of tools, {which}")


@contextmanager
def _shop_of(terms: VerifyTerms, study: Study) -> Iterator[ShopRealm | None]:
    if terms.shop is None:
        yield None
        return
    try:  # without what the bundle says of it
        with shop_as_stated({}, terms.shop, terms.given) as realm:
            check_shop_is_theirs(study, realm)
    except DrrError as error:
        raise Misuse(str(error)) from error
    with shop_as_stated(study.config.get("settings", {}), terms.shop, terms.given) as realm:
        yield realm


def _prompts(parcel: Parcel, of: str) -> list[PromptLine]:
    return [line for line in parcel.rows("prompts.jsonl", PromptLine) if line["of"] == of]


def _check_manifest(parcel: Parcel, manifest: BundleManifest, found: Verified) -> None:
    """Hold what the manifest says in short against the rows, and its maker against the packages."""
    facts = parcel.facts()
    found.checked["units"] += sum(sum(counts.values()) for counts in facts["units"].values())
    for other in differing({name: dict(manifest)[name] for name in facts}, facts):
        found.fail("manifest", "", other)
    own = parcel.row("packages.json", JsonObject)["bill"]["metadata"]["component"]
    if f"{own['name']} {own['version']}" != manifest["made_by"]:
        found.fail("packages", "", "list another program than the one that made the bundle")


def _check_texts(study: Study, kept: BundleTexts, manifest: BundleManifest, found: Verified) -> None:
    """Every text that a unit names is there and no other, and only what a maker withholds is withheld."""
    named, withheld, cut = set[str](), set[str](), set[str]()
    for record in study.records(None, None, current=False):
        named.update(record.blobs.values())
        own = withheld_of(record, redacted=manifest["redacted"], with_pages=manifest["with_pages"])
        withheld.update(own)
        cut.update({record.blobs.get("transcript", "")} if own else ())
        for name, digest in record.blobs.items():
            found.checked["texts"] += 1
            if not kept.has(digest):
                found.fail("texts", record.label, f"its {name[:40]} is not in the bundle, or was changed")
            if name.startswith("text:") and name != f"text:{digest}":
                found.fail("texts", record.label, f"{name[:40]} names another text than its own")
    for digests, what in (
        (set(kept) - named, "belong to no unit"),
        (kept.withheld.keys() - withheld - cut, "are withheld, and need not be"),
        ((withheld & set(kept)) - kept.withheld.keys(), "are to be withheld, and are not"),
    ):
        if digests:
            found.fail("texts", "", f"{len(digests):,} texts {what}, {min(digests)[:12]} is one")


def _check_references(study: Study, found: Verified) -> None:
    """Judgements are of answers that are there, and judge what their keys say."""
    answers = {known.unit.key for known in study.ledger.units.known() if known.unit.kind == "answer"}
    for record in study.records("judgement", None, current=False):
        about = about_of(record)
        if not answers.issuperset(about):
            found.fail("units", record.label, "what it judges is not an answer of the bundle")
        for name in record.key_fields.keys() & record.spec.keys() if about else ():
            own, keyed = record.spec[name], record.key_fields[name]
            if isinstance(own, str | int) and own != keyed:
                found.fail("units", record.label, f"its key and its unit name another {name}")


def _questions_of(study: Study, found: Verified) -> Sequence[Query]:
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
    found.skip(
        "set", "", f"that its questions are those of {label[:80]}, which did not come with this program"
    )
    return ()


_IMPORTED = ("id", "query", "user_id")
"""The parts of a question that an import keeps."""


def _check_set(asked: Sequence[Query], study: Study, found: Verified) -> None:
    wanted = {query.id: query.model_dump(mode="json") for query in asked}
    own = {query.id: query.model_dump(mode="json") for query in questions(study).values()}
    about = ("query", "user_id", "person_id", "size")
    same = grouped((tuple(one.get(part) for part in about), name) for name, one in own.items())
    for names in (names for names in same.values() if len(names) > 1):
        found.suspect("set", ", ".join(names[:4]), "one question of one shopper has several names")
    ran = {str(one.spec["query_id"]) for one in study.records("answer", None) if not one.made_elsewhere}
    for name in sorted(own.keys() | wanted.keys()) if asked else ():
        how = "left out" if name not in own else "not in it" if name not in wanted else "another there"
        one, other = own.get(name, {}), wanted.get(name, {})
        if any(one.get(part) != other.get(part) for part in ({*one, *other} if name in ran else _IMPORTED)):
            found.fail("set", name, f"of the set that was named, this question is {how}")


def _check_complete(study: Study, found: Verified) -> None:
    run = study.config.get("run", {})
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
    for name in sorted(_asked_for(run) - {agent_of(variant) for variant in here}):
        found.fail("complete", name, "was asked for, and none of its answers is there")
    wanted, left = places_wanted(study), list[str]()
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


def _check_prompts(study: Study, parcel: Parcel, found: Verified) -> None:
    for line in parcel.rows("prompts.jsonl", PromptLine):
        if text_id(line["text"]) != line["sha256"]:
            found.fail("prompts", line["name"], "the text that is shown is another")
    shown = {line["sha256"] for line in _prompts(parcel, "agents")}
    for line in _prompts(parcel, "judges"):
        found.shown.append(f"judges, {line['name']}: not this program's")
        found.skip("prompts", line["name"], "judges were given a prompt that is not this program's")
    for digest, name in sorted(given_to(study).items(), key=lambda item: (item[1], item[0])):
        found.checked["prompts"] += 1
        if digest not in shown | box_texts().keys():
            found.fail("prompts", name, "was changed, and is not shown")
        elif digest not in box_texts():
            found.shown.append(f"agents, {name}: not this program's")


def _check_figures(study: Study, parcel: Parcel, manifest: BundleManifest, found: Verified) -> None:
    again, maker = every_figure(study), manifest["made_by"]
    found.checked["figures"] += canonical_json(again).count('"value":')
    other = "" if maker == made_by() else f"; made by {maker}, this is {made_by()}"
    words = {f"documents.{judge}.banner" for judge in again["documents"]}
    for line in differing(parcel.row("figures.json", JsonObject), again):
        # what rules of another version have over them
        if line.rpartition(": the bundle says")[0] in words and manifest["code"] != code_id():
            found.skip("figures", "", "the words over them are those of another build")
        else:
            found.fail("figures", "", f"{line}{other}")


def _say_what_stays_open(
    study: Study, manifest: BundleManifest, found: Verified, *, asked: bool, beside: bool
) -> None:
    """Name what whoever made the bundle could have made up without contradicting anything in it."""
    elsewhere = sum(record.made_elsewhere for record in study.records("answer", None))
    if elsewhere:
        found.skip("answers", "", f"{elsewhere:,} answers were imported: how they came about is not here")
    if withheld := sum(manifest["withheld"].values()):
        found.skip("texts", "", f"{withheld:,} texts are here as hashes")
    if (manifest["code"], manifest["made_by"]) != (code_id(), made_by()):
        found.not_excluded.append("that agents ran by other code: another build of this program made it")
    records = [*study.records(None, None, current=False)]
    used = {row["model"] for record in records for row in record.usage.values() if row["calls"]}
    failed = sum(record.kind == "answer" and not record.done for record in records)
    found.not_excluded += [
        "that other runs, agents, trials or kinds of judgement were thrown away",
        "that times, settings that enter no key, and what agents of others were told are as they say",
        "that the packages and the machine are those that are listed",
        *["that the questions are those of a known set: --questions compares"] * (not asked),
        *[f"that {failed:,} answers failed as they say"] * bool(failed),
        *["that people wrote the marks and tables beside the study"] * beside,
    ]
    if models := ", ".join(sorted(name for name in used if not name.startswith(OFFLINE))):
        found.not_excluded += [
            f"that {models} wrote what they are said to have written, and told these counts of tokens",
            "that reports and the judges' raw answers were rewritten together: `drr bundle regrade` asks another judge",
        ]
