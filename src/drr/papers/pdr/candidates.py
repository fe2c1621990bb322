"""Attributes that a model proposes from a user's own reviews. Only those whose words code finds in a review are kept."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from drr.env.entities import KeptReview, User
from drr.env.json_object import JsonObject
from drr.llm.prompts import Prompts, fence
from drr.papers.pdr.build import own_reviews, person_of, stated_traits
from drr.papers.pdr.person import Attribute, Ground, private_data_kinds
from drr.papers.pdr.records import id_slug, spoken_theme
from drr.querygen.generate import named_user
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.study.worker import Context


ROLE = "persons"
PROMPT = "person_candidates"
_MOST = 12_000
"""Limit on the characters of reviews in one request."""
_WORDS = 4
_LONGEST = 60
_FIRST_PERSON = re.compile(r"(?<![\w'’])(?:I|we|my|our|us|me|mine|ours)(?!\w)", re.I)
_NOT_STATED = re.compile(r"\b(?:if|would|wish|neighbou?rs?|friends?|used to|passed away|died)\b|\?", re.I)
"""Words with which a sentence supposes, asks, or speaks of the past or of others."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


class Candidate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    block: Literal["pets", "children", "care", "needs", "themes", "home", "decision", "delivery", "reading", "colors", "waste"]  # fmt: skip
    """Block of the attribute. `goods` is missing: its evidence is a product that the user owns, not one in a review."""
    statement: str = Field(min_length=1, max_length=200)
    quote: str = Field(min_length=1, max_length=500)


class Candidates(BaseModel):
    model_config = ConfigDict(extra="forbid")

    candidates: list[Candidate] = Field(max_length=40)


class Accepted(NamedTuple):
    attributes: list[Attribute]
    refused: Mapping[str, int]
    """Number of candidates refused, by reason: quotation, not_own, private, known."""


def sendable_reviews(reviews: Sequence[KeptReview], user: User) -> list[KeptReview]:
    """List the reviews that may be sent to a model. Reviews with the user's own name, an address or similar
    data are left out."""
    return [one for one in reviews if not private_data_kinds(_text(one), user)]


def review_batches(reviews: Sequence[KeptReview]) -> Iterator[list[KeptReview]]:
    """Split the reviews into requests. No review is cut or left out; one that is too long is a request by itself."""
    batch, size = list[KeptReview](), 0
    for review in reviews:
        size += len(_text(review))
        if batch and size > _MOST:
            yield batch
            batch, size = [], len(_text(review))
        batch.append(review)
    if batch:
        yield batch


def messages(
    prompts: Prompts, reviews: Sequence[KeptReview], known: Sequence[Attribute]
) -> list[BaseMessage]:
    own = "\n".join(f"- {one.statement}" for one in known) or "(nothing yet)"
    texts = fence("\n\n".join(map(_text, reviews)), "reviews")
    return [HumanMessage(prompts.fill(PROMPT, known=fence(own, "known"), reviews=texts))]


def accept_candidates(
    candidates: Sequence[Candidate], reviews: Sequence[KeptReview], known: Sequence[Attribute], user: User
) -> Accepted:
    """Check the candidates; return one attribute for each statement, and counts of refusals. A repeated statement adds a quotation."""
    found: dict[str, Attribute] = {}
    refused = Counter[str]()
    taken, texts = {one.id for one in known}, {_plain(one.statement) for one in known}
    for one in candidates:
        ground, key = _ground(one.quote, reviews), _attribute_id(one)
        quote = "" if ground is None else ground.quote or ""
        if ground is None:
            refused["quotation"] += 1
        elif private_data_kinds(one.statement, user) or private_data_kinds(quote, user):
            refused["private"] += 1
        elif _NOT_STATED.search(quote) or not _FIRST_PERSON.search(quote):
            refused["not_own"] += 1
        elif _plain(one.statement) in texts or _by_rule(one, quote) & taken:
            refused["known"] += 1
        else:
            statement = " ".join(one.statement.split()).rstrip(".")
            new = Attribute(id=key, block=one.block, statement=statement, basis="stated")
            before = found.get(key, new)
            evidence = tuple(dict.fromkeys((*before.evidence, ground)))
            found[key] = before.model_copy(update={"evidence": evidence})
    return Accepted(list(found.values()), dict(sorted(refused.items())))


def _ground(quote: str, reviews: Sequence[KeptReview]) -> Ground | None:
    """Return the review sentences that contain a quotation, as evidence; `None` if no review does. Only white space may differ."""
    words = quote.split()
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    for review, text in ((one, _text(one)) for one in reviews if len(words) >= _WORDS):
        match = pattern.search(text)
        if match is not None:
            every = _SENTENCE.finditer(text)
            around = [s for s in every if s.end() > match.start() and s.start() < match.end()]
            whole = text[around[0].start() : around[-1].end()].strip()
            return Ground(order_id=review.order_id, product_id=review.product_id, quote=whole)
    return None


def _attribute_id(one: Candidate) -> str:
    """Return the id of a candidate's attribute, distinct from ids of rules and draws. Long statements get a hash, to tell them apart."""
    text = id_slug(_plain(one.statement))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 9].strip('-')}-{blake2b(text.encode(), digest_size=4).hexdigest()}"
    return f"{one.block}-said-{text}"


def _by_rule(one: Candidate, quote: str) -> set[str]:
    """Return the ids of attributes in the candidate's block that rules read from the same words."""
    spoken = map(spoken_theme, stated_traits(quote))
    return {key for block, key, _ in spoken if block == one.block}


def _text(review: KeptReview) -> str:
    return f"{review.title}\n{review.text}"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


class SaidOfPersons(NamedTuple):
    attributes: Mapping[str, Sequence[Attribute]]
    """Attributes by user. A user missing here was not read, and is left out of the file."""
    refused: Mapping[str, int]
    code: int


class _Shopper(NamedTuple):
    user: User
    reviews: list[KeptReview]
    known: Sequence[Attribute]
    """Attributes that rules have found."""
    requests: list[list[BaseMessage]]


def asks_model(settings: Settings) -> bool:
    """Tell whether a model is asked. The model `offline` is not: rules read the reviews in any case."""
    from drr.llm.names import OFFLINE

    return settings.model_for(ROLE) != OFFLINE


def statements_of_persons(
    arguments: argparse.Namespace, settings: Settings, shop: Shop, users: Sequence[str]
) -> SaidOfPersons:
    from drr.plugin import check_run, conclude, models_of, run_units
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit

    models = models_of(settings)
    model = models.name_of(ROLE)
    shoppers = {user: one for user, one in _shoppers(settings, shop, users) if one.reviews}
    if not shoppers:
        why = "holds no review of these users that may be sent, so no model is asked; `drr data ingest --keep-reviews` keeps reviews"
        print(f"drr: {arguments.shop}: {why}", file=sys.stderr)
        return SaidOfPersons(dict.fromkeys(users, ()), {}, 0)

    def unit(user_id: str, one: _Shopper) -> Unit:
        """Return the unit of one user. Its key holds the text that the model reads, not the rules for accepting its answer."""
        texts = ["\0".join(message.text for message in request) for request in one.requests]
        asked = [sha256(text.encode()).hexdigest() for text in texts]
        fields: JsonObject = {"what": "persons", "user_id": user_id, "model": model, "asked": asked}
        fields["max_tokens"] = settings.model_max_tokens
        return Unit("generation", fields, {"user_id": user_id}, f"{user_id} · persons")

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        context.replaying()
        requests = shoppers[spec["user_id"]].requests
        answers = [await context.models.role(ROLE).structured(one, Candidates) for one in requests]
        found = [one.model_dump() for answer in answers for one in answer.candidates]
        prompt = "\n\n".join(message.text for request in requests for message in request)
        return Outcome({"candidates": found}, {"prompt": prompt})

    folder = arguments.out.with_name(arguments.out.name + ".study")
    run = {"what": "persons build", "shop": arguments.shop, "seed": arguments.seed, "model": model, "sample": list(users)}  # fmt: skip
    config = {"run": run, "settings": {"shop_url": settings.shop_url}}
    attributes: dict[str, Sequence[Attribute]] = {user: [] for user in users if user not in shoppers}
    refused = Counter[str]()
    with Study.create(folder, config) as study:  # type: ignore[arg-type]
        check_run(arguments, models, (ROLE,), study)
        asked = {user: unit(user, one) for user, one in shoppers.items()}
        study.retire("generation", keep=asked.values())
        summary = run_units(arguments, study, list(asked.values()), work, models, "reading reviews")
        for user_id, one in shoppers.items():
            record = study.record(asked[user_id].key)
            if record is not None and record.done:
                candidates = [Candidate.model_validate(raw) for raw in record.result["candidates"]]
                good = accept_candidates(candidates, one.reviews, one.known, one.user)
                attributes[user_id] = good.attributes
                refused.update(good.refused)
    return SaidOfPersons(attributes, refused, conclude(summary, folder, command=_same_command(arguments)))


def _shoppers(settings: Settings, shop: Shop, users: Sequence[str]) -> Iterator[tuple[str, _Shopper]]:
    from drr.plugin import prompts_of

    prompts, as_of = prompts_of(settings, "papers/pdr"), shop.manifest.as_of
    for user_id in users:
        user = named_user(shop, user_id)
        reviews = sendable_reviews(own_reviews(shop.store, user_id, as_of), user)
        known = person_of(shop.store, user_id, as_of, currency=shop.manifest.money).attributes
        requests = [messages(prompts, batch, known) for batch in review_batches(reviews)]
        yield user_id, _Shopper(user, reviews, known, requests)


def _same_command(arguments: argparse.Namespace) -> str:
    """Return the same command as text, for repeating it."""
    one = arguments
    users = [word for user in one.user for word in ("--user", user)] or ["--users", str(one.how_many)]
    words = ["papers", "persons", "build", "--shop", one.shop, "--out", str(one.out), *users]
    words += ["--invented", one.invented, "--seed", str(one.seed), "--min-orders", str(one.min_orders)]
    return shlex.join([*words, *(["--model", one.model] if one.model else [])])
