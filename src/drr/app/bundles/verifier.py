"""Verifies a bundle from an untrusted source, offline. Contradictions fail, and open questions are listed."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from drr.app.bundles.answers import check_answers, check_complete, check_set, questions_of
from drr.app.bundles.findings import (
    BundleFindings,
    SignatureRow,
    differing_values,
    message_without_advice,
    reproduced_of,
)
from drr.app.bundles.judgements import RebuiltDesks, check_judgements
from drr.app.bundles.tool_replay import check_shop_is_theirs, check_tools, shop_as_stated
from drr.app.report.study_report import every_figure
from drr.app.study.outcome import code_id, program_version
from drr.app.study.terms import given_settings
from drr.citations.hidden import remarks
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.env.shop_world import ShopRealm
from drr.env.web.made_web import with_own_web
from drr.eval.asking.safety import visible_text
from drr.eval.tasks.desk import profile_text
from drr.llm.names import OFFLINE
from drr.study.bundle.archive import MANIFEST, ROOT, pack_archive
from drr.study.bundle.parcel import BundleManifest, PromptLine, UnpackedBundle, unpacked, withheld_texts
from drr.study.bundle.restore import BundleTexts, restore_study
from drr.study.bundle.seal import Role, public_id, sign, signatures
from drr.study.cache import file_states
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import Record, canonical_json
from drr.wording.excerpt import excerpt

_MOST = 400
"""Most characters of the names of figures that differ, which may be a stranger's."""


@dataclass(frozen=True, kw_only=True)
class VerifyTerms:
    """The terms of a verification: shop, questions, keys and settings."""

    shop: str | None = None
    """Shop on which the bundle's tool calls are repeated."""
    questions: Path | None = None
    """File of the questions that the bundle claims to answer."""
    keys: Sequence[Path] = ()
    """Files of public keys; the bundle's maker must have signed with one of them."""
    owners: Sequence[Path] = ()
    """Files of public keys whose signatures count beside those, whoever made the bundle."""
    named_settings: Mapping[str, object] = field(default_factory=dict)
    """Settings, by name."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> VerifyTerms:
        """Return the terms given on a command line."""
        own, named = arguments, given_settings(arguments)
        return cls(shop=own.shop, questions=own.questions, keys=own.key, named_settings=named)

    def rests_on(self) -> object:
        """Return the terms as plain data, with the state of every named file. Raises `Misuse` where that state is unknown."""
        if self.shop is not None and not Path(self.shop).is_dir():
            raise Misuse(f"{self.shop}: is no folder")
        settings = with_own_web(resolve(self.named_settings).settings, self.shop).model_dump(mode="json")
        terms = [
            self.shop,
            self.questions and str(self.questions),
            [str(key) for key in (*self.keys, *self.owners)],
            settings,
        ]
        return [terms, file_states(terms)]


def verify(file: Path, terms: VerifyTerms) -> BundleFindings:
    """Return the findings on a bundle, after all possible checks. Raises `Misuse` for a missing file; any fault of the bundle is a finding."""
    found, check = BundleFindings(), "archive"
    try:
        with unpacked(file) as parcel, naming_errors("the bundle"):
            found.place, found.root, check = str(parcel.folder), parcel.root, "form"
            check_hashes(parcel, found)
            _check_signatures(terms, parcel, found)
            if not found.failed:
                _check_contents(terms, parcel, found)
    except Misuse:
        raise
    except DrrError as error:
        found.fail(check, "", message_without_advice(error))
    return found


def check_hashes(parcel: UnpackedBundle, found: BundleFindings) -> None:
    """Check every line against the tree of hashes, and the tree against the root hash."""
    stated, files = parcel.manifest()["files"], parcel.files()
    if (parcel.folder / ROOT).read_bytes() != f"{parcel.root}\n".encode():
        found.fail("hashes", MANIFEST, "is not what the root of the bundle was made of")
    for name in sorted(stated.keys() | files.keys()):
        if stated.get(name) != files.get(name):
            found.fail("hashes", name[:80], "is not what the manifest was made of")
    found.checked["lines"] += sum(hashed["lines"] for hashed in files.values())


def _check_signatures(terms: VerifyTerms, parcel: UnpackedBundle, found: BundleFindings) -> None:
    makers, owners = ({public_id(path) for path in keys} for keys in (terms.keys, terms.owners))
    with found.unless_broken("signatures", ""):
        for key, role, stated in signatures(parcel):
            row = SignatureRow(key=key, role=role, known=key in makers | owners)
            if role == "verifier":
                row["against"] = "the shop" if stated.get("with_shop") is True else "no shop"
            elif role == "reproducer":
                row["reproduced"] = reproduced_of(stated)
            found.signed.append(row)
    if makers and not any(one["key"] in makers and one["role"] == "maker" for one in found.signed):
        found.fail("signatures", "", "no key that was named is its maker's")
    if not found.signed:
        found.not_excluded.append("who made it: it is not signed")


def countersign(file: Path, terms: VerifyTerms, key: Path) -> BundleFindings:
    """Verify a bundle and return the findings; where nothing fails, replace the file by one with a further signature."""
    found = verify(file, terms)
    if not found.failed:
        facts = {"checked": dict(found.checked), "with_shop": terms.shop is not None}
        name = sign_file(file, found.root, key, "verifier", facts)
        found.signed.append({"key": name, "role": "verifier", "known": True})
    return found


def sign_file(file: Path, root: str | None, key: Path, role: Role, facts: Mapping[str, object]) -> str:
    """Sign the bundle of this root, and return the name of the key. Raise `DrrError` where another has taken its place."""
    with unpacked(file) as parcel:
        if parcel.root != root:
            raise DrrError(f"{file}: was replaced meanwhile; give the same command again")
        name = sign(parcel, key, role, {**facts, "made_by": program_version()})
        pack_archive(parcel.folder, file)
    return name


def _check_contents(terms: VerifyTerms, parcel: UnpackedBundle, found: BundleFindings) -> None:
    manifest = parcel.manifest()
    with restore_study(parcel) as study, _shop_of(terms, study) as realm:
        given = [] if terms.questions is None else read_queries(terms.questions)
        named = questions_of(study, found, given=given)
        kept = cast(BundleTexts, study.blobs)
        kept.strict = True
        steps: dict[str, Callable[[], None]] = {
            "manifest": lambda: _check_manifest(parcel, manifest, found),
            "texts": lambda: _check_texts(study, kept, manifest, found),
            "set": lambda: check_set(named, study, found),
            "questions": lambda: check_set(given, study, found),
            "complete": lambda: check_complete(study, found),
            "answers": lambda: check_answers(study, redacted=manifest["redacted"], found=found),
            "judgements": lambda: _check_with_shop(realm, study, parcel, found),
        }
        for check, step in steps.items():
            with found.unless_broken(check, ""):
                step()
        kept.strict = False
        with found.unless_broken("figures", ""):
            _check_figures(study, parcel, manifest, found)
        beside = any(parcel.rows("beside.jsonl", JsonObject))
        _say_what_stays_open(study, manifest, found, asked=bool(named or given), beside=beside)


def _check_with_shop(
    realm: ShopRealm | None, study: Study, parcel: UnpackedBundle, found: BundleFindings
) -> None:
    """Repeat judgements, rules and tool calls, as far as the shop is available."""
    profiles = {line["user"]: line["profile"] for line in parcel.rows("shoppers.jsonl", dict[str, str])}
    prompts = parcel.rows("prompts.jsonl", PromptLine)
    shown = {line["name"]: line["text"] for line in prompts if line["of"] == "judges"}
    for name in shown:
        found.skip("prompts", name, "judges were given a prompt that is not this program's")
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
    try:  # without the settings that the bundle states
        with shop_as_stated({}, terms.shop, terms.named_settings, study) as realm:
            check_shop_is_theirs(study, realm)
    except DrrError as error:
        raise Misuse(str(error)) from error
    stated = study.config.get("settings", {})
    with shop_as_stated(stated, terms.shop, terms.named_settings, study) as realm:
        yield realm


def _check_manifest(parcel: UnpackedBundle, manifest: BundleManifest, found: BundleFindings) -> None:
    """Check the manifest's summary against the rows, and its maker against the list of packages."""
    facts = parcel.facts()
    found.checked["units"] += sum(sum(counts.values()) for counts in facts["units"].values())
    for other in differing_values({name: dict(manifest)[name] for name in facts}, facts):
        found.fail("manifest", "", other)
    own = parcel.row("packages.json", JsonObject)["bill"]["metadata"]["component"]
    if f"{own['name']} {own['version']}" != manifest["made_by"]:
        found.fail("packages", "", "list another program than the one that made the bundle")


def _check_texts(study: Study, kept: BundleTexts, manifest: BundleManifest, found: BundleFindings) -> None:
    """Check that the bundle has exactly the texts that its units name, and withholds only permitted texts."""
    named, withheld, cut = set[str](), set[str](), set[str]()
    is_masked = manifest["redacted"] and any(one.made_elsewhere for one in study.records("answer", None))
    for record in study.records(None, None, current=False):
        named.update(record.blobs.values())
        own = withheld_texts(record, redacted=manifest["redacted"], with_pages=manifest["with_pages"])
        withheld.update(own)
        cut.update({record.blobs.get("transcript", "")} if own else ())
        cut.update(record.blobs.values() if is_masked else ())
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


def _check_figures(
    study: Study, parcel: UnpackedBundle, manifest: BundleManifest, found: BundleFindings
) -> None:
    """Make the figures again and compare them. Those that another build stated may be others; a board reads those made again."""
    again, stated = every_figure(study), parcel.row("figures.json", JsonObject)
    found.checked["figures"] += canonical_json(again).count('"value":')
    for document in again["documents"].values():
        document["provenance"]["made_by"] = manifest["made_by"]
    same_judges = stated.get("documents", {}).keys() == again["documents"].keys()
    if same_judges and not _is_this_build(manifest):
        builds = ((manifest["made_by"], manifest["code"]), _this_build())
        made, here = (f"{program} ({code[:8]})" for program, code in builds)
        if changed := _changed_figures(_by_name(stated), _by_name(again)):
            found.skip("figures", "", f"by {made}, made again by {here}: {excerpt(changed, _MOST)}")
        return
    for line in differing_values(stated, again):
        found.fail("figures", "", line)


def _by_name(document: JsonObject) -> JsonObject:
    """Return a document's figures by name, each as the values of all judges and systems, and its other parts. Notices about versions are left out."""
    figures: JsonObject = {}
    for judge, own in document["documents"].items():
        parts = [(name, "", part) for name, part in own.items() if name not in ("banner", "metrics")]
        for system, rows in own["metrics"].items():
            parts += [(name, system, row) for name, row in rows.items()]
        for name, system, part in parts:
            figures.setdefault(name, {})[f"{judge} {system}"] = part
    return figures


def _changed_figures(stated: JsonObject, again: JsonObject) -> str:
    """Return the names of the figures that differ, that are new, and that are gone."""
    both = sorted(stated.keys() & again.keys())
    kinds = {
        "other": [name for name in both if any(differing_values(stated[name], again[name]))],
        "new": sorted(again.keys() - stated.keys()),
        "gone": sorted(stated.keys() - again.keys()),
    }
    return "; ".join(f"{how} are {', '.join(names)}" for how, names in kinds.items() if names)


def _this_build() -> tuple[str, str]:
    return program_version(), code_id()


def _is_this_build(manifest: BundleManifest) -> bool:
    return (manifest["made_by"], manifest["code"]) == _this_build()


def _say_what_stays_open(
    study: Study, manifest: BundleManifest, found: BundleFindings, *, asked: bool, beside: bool
) -> None:
    """Add the possible manipulations by the bundle's maker that no check can rule out."""
    elsewhere = sum(record.made_elsewhere for record in study.records("answer", None))
    if elsewhere:
        found.skip("answers", "", f"{elsewhere:,} answers were imported: how they came about is not here")
    if withheld := sum(manifest["withheld"].values()):
        found.skip("texts", "", f"{withheld:,} texts are here as hashes")
    if not _is_this_build(manifest):
        found.not_excluded.append("that agents ran by other code: another build of this program made it")
    records = [*study.records(None, None, current=False)]
    found.not_excluded += [
        "that another wrote the answers than the agent that is named: `drr bundle reproduce` runs a part again",
        "that the agent, or whoever wrote its answers, had seen the truth: a shop made after hand-in shows it",
        "that other runs, agents, trials or kinds of judgement were thrown away",
        "that times, costs, settings and the instructions to agents are what the bundle says",
        "that every trial is a separate run, and that answers failed as the bundle says",
        "that the packages and the machine are those that are listed",
        *["that the questions are those of a known set: --questions compares"] * (not asked),
        *["that people wrote the marks and tables beside the study"] * beside,
    ]
    if _models_of(one for one in records if one.kind == "judgement"):
        named = ((one, name) for one in records for name in ("report", "form") if name in one.blobs)
        texts = [study.text(one, name) or "" for one, name in named]
        hidden = f"{sum(visible_text(text) != text or bool(remarks(text)) for text in texts):,} of {len(texts):,} hide words from readers"
        found.not_excluded.append(f"that reports, citations and forms speak to their judge: {hidden}")
    if models := ", ".join(sorted(_models_of(records))):
        found.not_excluded += [
            f"that {models} wrote what they are said to have written, and told these counts of tokens",
            "that reports and the judges' raw answers were rewritten together: `drr bundle regrade` asks another judge",
        ]


def _models_of(records: Iterable[Record]) -> set[str]:
    """Return the models that were called, without the model that rules play."""
    rows = (row for record in records for row in record.usage.values())
    return {row["model"] for row in rows if row["calls"] and not row["model"].startswith(OFFLINE)}
