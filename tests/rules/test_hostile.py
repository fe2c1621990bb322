"""A text made to be slow ends: no rule's time grows faster than the text. A limit of the CPU guards against a hang."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from drr.env.shop import Shop

ROOT = Path(__file__).parent.parent.parent
LENGTH = 20_000
SECONDS = 60
"""For all of them, far above what they take; a quadratic expression takes minutes, an exponential one for ever."""
PRODUCT = "[{title}]({url})"
HOSTILE = {
    "empty lines before no greeting": ("", "\n", ""),
    "lines of blanks before no greeting": ("", "\n \t", ""),
    "marks at the beginning of lines": ("", "\n> *_", ""),
    "blanks behind a place's cue": ("Your location", " ", "x"),
    "empty lines behind a place's cue": ("This is where you live", "\n", "x"),
    "stars behind a greeting": ("Hello", "*", "x"),
    "blanks behind a number's cue": ("All your orders", " ", "x"),
    "blanks behind an order's cue": ("Your order", " ", "x"),
    "years of an order": ("You bought it: the ", "2020 ", "x"),
    "years and ordinals of an order": ("You ordered the ", "past 2020 ", "x"),
    "blanks behind a quantity": ("You bought it, quantity", " ", "x"),
    "blanks in a rule of a table": ("| a | b |\n| --", " ", "x\n| 1 | 2 |"),
    "cells of a rule of a table": ("| a | b |\n", "|--", "x\n| 1 | 2 |"),
    "blanks behind a heading's amount": ("# Plan $20", " ", "+\n- A Heavy Iron Feeder $20"),
    "a name of capitals and hyphens": (PRODUCT + " is an ", "A-", "!"),
    "brackets beside a product": (PRODUCT + " is in ", "[", "!"),
    "blanks behind a name": ("- Heavy Iron", " ", "x " + PRODUCT),
    "blanks before a bold name": (" ", " ", "x " + PRODUCT),
    "blanks behind a rating's cue": (PRODUCT + " is rated", " ", "x"),
    "stars behind a material's cue": (PRODUCT + " material", "*", "x"),
    "amounts without an end": ("", "$1,", ""),
    "shares of amounts without an end": ("", "5% of $20, ", ""),
    "blanks inside an offer": ("- Heavy Iron", " ", "x for $20"),
}
RUN = """
import json, sys
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.eval.checks import RULES, Subject
from drr.eval.checks.mentions import Mentions

with open_shop(sys.argv[1], resolve({}, environ={}).settings) as shop:
    for name, text in json.load(sys.stdin).items():
        subject = Subject(text, query="A plan under $300", user_id=sys.argv[2], shop=shop)
        mentions = Mentions(subject)
        for rule in set(RULES) - {"numbers_in_evidence"}:
            RULES[rule].check(subject, mentions)
        print(name, flush=True)
"""


WHOLE = {
    "a line of a thousand citations": " ".join(f"The Heavy Iron Feeder costs $31.99 and has 4.6 stars from 1,204 ratings [{n}]." for n in range(1, 1001))
    + "\n\n## Sources\n" + "\n".join(f"[{n}] A title: https://s{n}.example/p" for n in range(1, 1001)),
    "a table of a thousand products": "| Item | Price | Quantity |\n|---|---|---|\n" + "| {product} | $31.99 | 2 |\n" * 1_000 + "| Total | $63,980 | |\n",
    "sentences of own orders": "You ordered {product} in May 2019 and again 15 days later, your third, one still processing. " * 400,
    "a paragraph of a thousand links": "The {product} holds 4.5 lb, costs $31.99 and has 4.6 stars from 1,204 ratings. " * 800,
}  # fmt: skip
"""Reports of a hundred kilobytes as they are written, in which everything is long."""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.rounds
def test_every_hostile_text_ends(rules_shop: Shop) -> None:
    product = next(one for one in rules_shop.store.iter_products() if one.price)
    user = next(iter(rules_shop.store.iter_users()))
    texts = {}
    for name, parts in HOSTILE.items():
        before, repeated, behind = (
            part.format(title=product.title, url=product.product_url) for part in parts
        )
        texts[name] = before + repeated * (LENGTH // len(repeated)) + behind
    link = PRODUCT.format(title=product.title, url=product.product_url)
    texts |= {name: text.replace("{product}", link) for name, text in WHOLE.items()}
    done = subprocess.run(
        [sys.executable, "-c", RUN, rules_shop.spec, user.user_id],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=limited,
        check=False,
    )
    assert done.stdout.splitlines() == [*HOSTILE, *WHOLE], done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]
