"""Claims made from the evidence itself by code, so that their label is known: a sentence as it stands, shortened, turned round, joined with the next or with one from
elsewhere, with a figure or a name exchanged, denied; and sentences and claims of another text. Writers of hard pairs leave these out, and reports are full of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from drr.eval.evidence.lexical import laid, sentences_of

from benchmarks.support_forms import SupportPair

_FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_BRACKET = re.compile(r"\s*\([^)]*\)")
_VERB = re.compile(r"\b(?:is|are|was|were|can|will|has|have|does|must|should)\b(?!\s(?:not|no)\b)")
_DENIES = re.compile(r"\b(?:not|no|never|without)\b")
_SHORTEST, _LONGEST = 7, 32
Made = tuple[str, str, str]
"""Claim, label, manner."""


def made(pairs: Sequence[SupportPair], seed: str) -> list[SupportPair]:
    lot = Random(seed)
    texts = {pair.evidence_id: pair.evidence for pair in pairs}
    found = []
    for name, text in sorted(texts.items()):
        other = lot.choice([one for one in sorted(texts) if one != name])
        said = [pair.claim for pair in pairs if pair.evidence_id == other]
        own, theirs = _sentences(text), _sentences(texts[other])
        if len(own) < 3 or not theirs:
            continue
        lot.shuffle(own)
        claims = [*_true(own, lot), *_neighbours(_sentences(text), lot), *_changed(own, text, lot)]
        claims += [(lot.choice(theirs), "none", "foreign"), (lot.choice(said), "none", "foreign claim")]
        added = lot.choice(theirs)
        claims.append((_joined(own[1], added), "partial", "joined"))
        found += [
            SupportPair(
                id=f"{name}-made-{number}",
                evidence_id=name,
                evidence=text,
                claim=claim,
                label=label,
                manner=manner,
            )
            for number, (claim, label, manner) in enumerate(claims)
        ]
    return found


def _sentences(text: str) -> list[str]:
    every = [sentence.strip() for sentence in sentences_of(text)]
    return [
        one
        for one in every
        if _SHORTEST <= len(one.split()) <= _LONGEST and "\n" not in one and one[0] not in "-*|#"
    ]


def _true(own: Sequence[str], lot: Random) -> Iterator[Made]:
    yield own[0], "full", "as it stands"
    short = [_BRACKET.sub("", one) for one in own if "(" in one]
    before = [one.rsplit(",", 1)[0] for one in own if one.count(",") == 1]
    short += [f"{one}." for one in before if len(one.split()) >= _SHORTEST]
    if short:
        yield lot.choice(short), "full", "shortened"

    turned = [one.rstrip(".").split(", ") for one in own if one.count(", ") == 1]
    if turned:
        first, second = lot.choice(turned)
        yield f"{second[0].upper()}{second[1:]}, {first[0].lower()}{first[1:]}.", "full", "turned round"


def _neighbours(every: Sequence[str], lot: Random) -> Iterator[Made]:
    at = lot.randrange(len(every) - 1)
    yield _joined(every[at], every[at + 1]), "full", "joined with the next"


def _joined(one: str, other: str) -> str:
    return f"{one.rstrip('.;:')}, and {other[0].lower()}{other[1:]}"


def _changed(own: Sequence[str], text: str, lot: Random) -> Iterator[Made]:
    """One of each, where the text has one to take."""
    figures, names = _FIGURE.findall(text), _names(own)
    for manner, ways in (
        ("figure exchanged", (_other_figure(one, figures, lot) for one in own)),
        ("name exchanged", (_other_name(one, names, lot) for one in own)),
        ("denied", map(_denied, own)),
    ):
        claim = next((claim for claim in ways if claim is not None), None)
        if claim is not None:
            yield claim, "none", manner


def _other_figure(sentence: str, figures: Sequence[str], lot: Random) -> str | None:
    at = _FIGURE.search(sentence)
    if at is None:
        return None
    others = [one for one in figures if one != at[0] and len(one) <= len(at[0]) + 1]
    return f"{sentence[: at.start()]}{lot.choice(others)}{sentence[at.end() :]}" if others else None


def _names(own: Sequence[str]) -> dict[str, list[re.Match[str]]]:
    beside = laid(own[0], own)
    return {sentence: beside.names(sentence) for sentence in own}


def _other_name(sentence: str, names: dict[str, list[re.Match[str]]], lot: Random) -> str | None:
    here = names[sentence]
    known = sorted({one[0] for found in names.values() for one in found})
    others = [
        one
        for one in known
        if one not in sentence and not any(own[0] in one or one in own[0] for own in here)
    ]
    if not here or not others:
        return None
    return f"{sentence[: here[0].start()]}{lot.choice(others)}{sentence[here[0].end() :]}"


def _denied(sentence: str) -> str | None:
    at = _VERB.search(sentence)
    if at is None or _DENIES.search(sentence) or sentence.count(",") > 1:
        return None
    return f"{sentence[: at.end()]} not{sentence[at.end() :]}"
