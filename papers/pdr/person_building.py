"""`drr papers persons build`: the file of persons, and what is said of it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.papers.pdr.candidate_asking import SaidOfPersons
    from drr.papers.pdr.person import Person


def build_file(arguments: argparse.Namespace, settings: Settings) -> int:
    from drr.app.console import write_lines
    from drr.app.vouching import remember_shop
    from drr.env.shop import open_shop
    from drr.papers.pdr.build import build_persons, drawn_users, named_user
    from drr.papers.pdr.candidate_asking import SaidOfPersons, asks_model, said_of

    found = SaidOfPersons({}, {}, 0)
    with open_shop(arguments.shop, settings) as shop:
        remember_shop(arguments.out, arguments.shop)
        users = [named_user(shop, one).user_id for one in dict.fromkeys(arguments.user)] or drawn_users(
            shop, arguments.how_many, seed=arguments.seed, min_orders=arguments.min_orders
        )
        candidates = users
        if asks_model(settings):
            found = said_of(arguments, settings, shop, users)
            candidates = [user for user in users if user in found.said]
        persons = list(
            build_persons(shop, candidates, seed=arguments.seed, choice=arguments.invented, said=found.said)
        )
        real = shop.manifest.origin != "sample"
    if len(candidates) < len(users):
        print(
            f"drr: {arguments.out}: {len(users) - len(candidates)} of {len(users)} users are not in it, as their reviews are not read yet",
            file=sys.stderr,
        )
    if not persons:
        return found.code or 1
    write_lines(arguments.out, [person.line() for person in persons])
    if not arguments.user and len(users) < arguments.how_many:
        print(
            f"{arguments.shop}: {len(users)} users have {arguments.min_orders} orders or more, "
            f"{arguments.how_many} were asked for",
            file=sys.stderr,
        )
    if real and arguments.invented == "all":
        print(
            f"{arguments.out}: attributes marked invented are fiction about shoppers who may be real people; "
            "say so wherever they are shown",
            file=sys.stderr,
        )
    _tell(arguments, persons, found, asks_model(settings))
    return found.code


def _tell(arguments: argparse.Namespace, persons: list[Person], found: SaidOfPersons, asked: bool) -> None:
    from drr.app.console import print_json
    from drr.papers.pdr.stats import statistics_of

    document = statistics_of(persons)
    kept = sum(map(len, found.said.values()))
    if arguments.json:
        more = {"candidates": {"kept": kept, "refused": dict(found.refused)}} if asked else {}
        print_json({**document, "file": str(arguments.out), **more})
        return
    print(f"{arguments.out}: {len(persons)} persons with {document['attributes']} attributes")
    if asked:
        why = ", ".join(f"{name} {count}" for name, count in sorted(found.refused.items()))
        print(f"candidates of the model: {kept} kept{'; refused: ' + why if why else ''}")
    print(f"next: drr papers persons show {arguments.out}")
