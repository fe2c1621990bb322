"""A model's candidates for persons as units of a study beside the file. One for each shopper, nothing is paid for twice."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from drr.env.entities import KeptReview, User
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.papers.pdr.person import Attribute
    from drr.study.study import Study
    from drr.study.unit import Outcome, Unit
    from drr.study.worker import Context
    from langchain_core.messages import BaseMessage


class SaidOfPersons(NamedTuple):
    said: Mapping[str, Sequence[Attribute]]
    """By user; a user who is missing was not read and is left out of the file."""
    refused: Mapping[str, int]
    code: int


@dataclass(frozen=True)
class _Shopper:
    user: User
    reviews: list[KeptReview]
    known: Sequence[Attribute]
    """What rules say already."""
    requests: list[list[BaseMessage]]


def asks_model(settings: Settings) -> bool:
    """Tell whether a model is asked. Under `offline` none is: rules read reviews in any case."""
    from drr.llm.names import OFFLINE
    from drr.papers.pdr.candidates import ROLE

    return settings.model_for(ROLE) != OFFLINE


def said_of(
    arguments: argparse.Namespace, settings: Settings, shop: Shop, users: Sequence[str]
) -> SaidOfPersons:
    from drr.app.models import models_of
    from drr.app.studies import budget_of, check_models, conclude, run_units, unit_cap_of
    from drr.papers.pdr.candidates import ROLE
    from drr.study.study import Study

    models = models_of(settings)
    shoppers = _shoppers(settings, shop, users)
    wanted = {user: one for user, one in shoppers.items() if one.reviews}
    if not wanted:
        print(
            f"drr: {arguments.shop}: holds no review of these users that may be sent, so no model is asked; "
            "`drr data ingest --keep-reviews` keeps reviews",
            file=sys.stderr,
        )
        return SaidOfPersons(dict.fromkeys(users, ()), {}, 0)
    folder = arguments.out.with_name(arguments.out.name + ".study")
    config = {
        "run": {
            "what": "persons build",
            "shop": arguments.shop,
            "seed": arguments.seed,
            "model": models.name_of(ROLE),
            "sample": list(users),
        },
        "settings": {"shop_url": settings.shop_url},
    }
    with Study.create(folder, config) as study:  # type: ignore[arg-type]
        check_models(models, (ROLE,), budget_of(arguments, study), unit_cap_of(arguments))
        asked = {user: _unit(settings, models.name_of(ROLE), user, one) for user, one in wanted.items()}
        study.retire("generation", keep=asked.values())
        work = _Reading(wanted).work
        summary = run_units(arguments, study, list(asked.values()), work, models, "reading reviews")
        found, refused = _found(study, asked, wanted)
    found |= {user: [] for user in users if user not in wanted}
    return SaidOfPersons(found, refused, conclude(summary, folder, command=_again(arguments)))


def _shoppers(settings: Settings, shop: Shop, users: Sequence[str]) -> dict[str, _Shopper]:
    from drr.app.prompts import prompts_of
    from drr.papers.pdr.build import named_user, own_reviews, person_of
    from drr.papers.pdr.candidates import batches, messages, readable

    prompts, as_of = prompts_of(settings, "papers/pdr"), shop.manifest.as_of
    found = {}
    for user_id in users:
        user, reviews = named_user(shop, user_id), own_reviews(shop.store, user_id, as_of)
        reviews = readable(reviews, user)
        known = person_of(shop.store, user_id, as_of).attributes
        requests = [messages(prompts, batch, known) for batch in batches(reviews)]
        found[user_id] = _Shopper(user, reviews, known, requests)
    return found


def _unit(settings: Settings, model: str, user_id: str, one: _Shopper) -> Unit:
    """Make the unit. What the model reads decides its answer; what code accepts of it is decided when it is read."""
    from drr.study.unit import Unit

    fields = {
        "what": "persons",
        "user_id": user_id,
        "model": model,
        "asked": [
            sha256("\0".join(message.text for message in request).encode()).hexdigest()
            for request in one.requests
        ],
        "max_tokens": settings.model_max_tokens,
    }
    return Unit("generation", fields, {"user_id": user_id}, f"{user_id} · persons")


class _Reading:
    def __init__(self, shoppers: Mapping[str, _Shopper]) -> None:
        self._shoppers = shoppers

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        from drr.papers.pdr.candidates import ROLE, Candidates
        from drr.study.unit import Outcome

        context.replaying()
        model = context.models.role(ROLE)
        requests = self._shoppers[spec["user_id"]].requests
        found = [await model.structured(request, Candidates) for request in requests]
        return Outcome(
            {"candidates": [one.model_dump() for answer in found for one in answer.candidates]},
            {"prompt": "\n\n".join(message.text for request in requests for message in request)},
        )


def _found(
    study: Study, asked: Mapping[str, Unit], shoppers: Mapping[str, _Shopper]
) -> tuple[dict[str, Sequence[Attribute]], Counter[str]]:
    from drr.papers.pdr.candidates import Candidate, accepted

    found: dict[str, Sequence[Attribute]] = {}
    refused = Counter[str]()
    for user_id, unit in asked.items():
        record, one = study.record(unit.key), shoppers[user_id]
        if record is None or not record.done:
            continue
        candidates = [Candidate.model_validate(raw) for raw in record.result["candidates"]]
        good = accepted(candidates, one.reviews, one.known, one.user)
        found[user_id] = good.attributes
        refused.update(good.refused)
    return found, refused


def _again(arguments: argparse.Namespace) -> str:
    words = ["papers", "persons", "build", "--shop", arguments.shop, "--out", str(arguments.out)]
    words += [word for user in arguments.user for word in ("--user", user)] or [
        "--users",
        str(arguments.how_many),
    ]
    words += ["--invented", arguments.invented, "--seed", str(arguments.seed)]
    words += ["--min-orders", str(arguments.min_orders)]
    if arguments.model:
        words += ["--model", arguments.model]
    return shlex.join(words)
