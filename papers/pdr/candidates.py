"""The candidates that a model takes a shopper to say in own reviews. Of them only those stay whose words code finds there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

from drr.env.entities import KeptReview, User
from drr.llm.prompts import Prompts, fence
from drr.papers.pdr.disclosure import disclosed
from drr.papers.pdr.person import Attribute, Ground
from drr.papers.pdr.records import slug, spoken_theme
from drr.papers.pdr.stated import stated_traits
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field

ROLE = "persons"
PROMPT = "person_candidates"
_MOST = 12_000
"""Characters of reviews that one request holds."""
_WORDS = 4
_LONGEST = 60
_FIRST_PERSON = re.compile(r"(?<![\w'’])(?:I|we|my|our|us|me|mine|ours)(?!\w)", re.I)
_NOT_SAID = re.compile(r"\b(?:if|would|wish|neighbou?rs?|friends?|used to|passed away|died)\b|\?", re.I)
"""A sentence with one of these supposes, asks, or speaks of the past or of others."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


class Candidate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    block: Literal[
        "pets",
        "children",
        "care",
        "needs",
        "themes",
        "home",
        "decision",
        "delivery",
        "reading",
        "colors",
        "waste",
    ]
    """Not `goods`, whose evidence is the product that is owned and not one that was reviewed."""
    statement: str = Field(min_length=1, max_length=200)
    quote: str = Field(min_length=1, max_length=500)


class Candidates(BaseModel):
    model_config = ConfigDict(extra="forbid")

    candidates: list[Candidate] = Field(max_length=40)


class Accepted(NamedTuple):
    attributes: list[Attribute]
    refused: Mapping[str, int]
    """quotation, not_own, private, known: how many candidates were put aside for it."""


def readable(reviews: Sequence[KeptReview], user: User) -> list[KeptReview]:
    """List the reviews that may be read; nothing of the shopper's record is sent. A review that contains the
    own name, an address or the like stays here."""
    return [one for one in reviews if not disclosed(_text(one), user)]


def batches(reviews: Sequence[KeptReview]) -> Iterator[list[KeptReview]]:
    """Whole reviews, none left out; one that is longer than a request is a request of its own."""
    held: list[KeptReview] = []
    size = 0
    for review in reviews:
        length = len(_text(review))
        if held and size + length > _MOST:
            yield held
            held, size = [], 0
        held.append(review)
        size += length
    if held:
        yield held


def messages(
    prompts: Prompts, reviews: Sequence[KeptReview], known: Sequence[Attribute]
) -> list[BaseMessage]:
    told = "\n\n".join(map(_text, reviews))
    return [
        HumanMessage(
            prompts.fill(
                PROMPT,
                known=fence("\n".join(f"- {one.statement}" for one in known) or "(nothing yet)", "known"),
                reviews=fence(told, "reviews"),
            )
        )
    ]


def accepted(
    candidates: Sequence[Candidate], reviews: Sequence[KeptReview], known: Sequence[Attribute], user: User
) -> Accepted:
    """One attribute for each statement; the same said twice is one with two quotations."""
    found: dict[str, Attribute] = {}
    refused = Counter[str]()
    taken = {one.id for one in known}
    said = {_plain(one.statement) for one in known}
    for one in candidates:
        ground = _ground(one.quote, reviews)
        why = "quotation" if ground is None else _against(one, ground, user)
        if ground is None or why is not None:
            refused[why or "quotation"] += 1
            continue
        key = _id(one)
        if _plain(one.statement) in said or _by_rule(one, ground) & taken:
            refused["known"] += 1
        elif key in found:
            before = found[key]
            evidence = tuple(dict.fromkeys((*before.evidence, ground)))
            found[key] = before.model_copy(update={"evidence": evidence})
        else:
            found[key] = Attribute(
                id=key,
                block=one.block,
                statement=" ".join(one.statement.split()).rstrip("."),
                basis="stated",
                evidence=(ground,),
            )
    return Accepted(list(found.values()), dict(sorted(refused.items())))


def _ground(quote: str, reviews: Sequence[KeptReview]) -> Ground | None:
    """The sentences that hold the quotation, as they stand in the review; only white space may differ."""
    words = quote.split()
    if len(words) < _WORDS:
        return None
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    for review in reviews:
        text = _text(review)
        match = pattern.search(text)
        if match is not None:
            around = [
                s for s in _SENTENCE.finditer(text) if s.end() > match.start() and s.start() < match.end()
            ]
            whole = text[around[0].start() : around[-1].end()].strip()
            return Ground(order_id=review.order_id, product_id=review.product_id, quote=whole)
    return None


def _against(one: Candidate, ground: Ground, user: User) -> str | None:
    quote = ground.quote or ""
    if disclosed(one.statement, user) or disclosed(quote, user):
        return "private"
    return "not_own" if _NOT_SAID.search(quote) or not _FIRST_PERSON.search(quote) else None


def _id(one: Candidate) -> str:
    """No rule's and no draw's; two statements that differ only behind the cut are told apart."""
    said = slug(_plain(one.statement))
    if len(said) > _LONGEST:
        said = f"{said[: _LONGEST - 9].strip('-')}-{blake2b(said.encode(), digest_size=4).hexdigest()}"
    return f"{one.block}-said-{said}"


def _by_rule(one: Candidate, ground: Ground) -> set[str]:
    """Attributes of the candidate's block that rules read from the same words."""
    spoken = [spoken_theme(trait.theme) for trait in stated_traits(ground.quote or "")]
    return {key for block, key, _ in spoken if block == one.block}


def _text(review: KeptReview) -> str:
    return f"{review.title}\n{review.text}"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
