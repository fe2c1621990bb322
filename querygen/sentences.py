"""The sentences of the offline writer: one function an intent, each sentence in several forms that the shopper decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from querygen.drafts import Intent


class Record(NamedTuple):
    order: str
    product: str
    year: str
    times: int
    thing: str
    """The head of the title: brand and kind, without the search words that sellers add."""
    kind: str
    """The last two words of that: what to search for."""
    themes: list[str]


class Shopper(NamedTuple):
    state: str | None
    dear: float
    """How much more than usual the shopper pays: 0.8, 1 or 1.3."""
    records: list[Record]
    themes: list[str]


def draw(*parts: object) -> int:
    return int(sha256("|".join(map(str, parts)).encode()).hexdigest()[:12], 16)


class Slots:
    """What a sentence can be filled with."""

    def __init__(self, words: dict[str, Any], record: Record, shopper: Shopper, seed: int) -> None:
        self.words = words
        self.record = record
        self.shopper = shopper
        self.seed = seed

    def say(self, *parts: tuple[str, ...]) -> str:
        """One of each part; which one follows from the shopper."""
        return " ".join(part[draw(self.seed, place) % len(part)] for place, part in enumerate(parts))

    @property
    def place(self) -> str:
        return f"in {self.shopper.state}" if self.shopper.state else "where I live"

    @property
    def web(self) -> str:
        return str(self.words["web"]).format(state=self.shopper.state or "my state")

    def needs(self, most: int) -> list[str]:
        """What is not owned yet comes first."""
        rows = self.words["needs"]
        first = self.seed // 7 % len(rows)
        turned = [row[0] for row in rows[first:] + rows[:first]]
        owned = self.record.thing.casefold()
        return sorted(turned, key=lambda need: need.split()[-1] in owned)[:most]

    def things(self, needs: Sequence[str]) -> str:
        return listed(needs, {row[0]: row[2] for row in self.words["needs"] if len(row) > 2})

    def budget(self, needs: Sequence[str], share: float = 1.25) -> int:
        usual = {row[0]: row[1] for row in self.words["needs"]}
        return round_up(sum(usual[need] for need in needs) * self.shopper.dear * share)


def round_up(value: float) -> int:
    step = 5 if value < 60 else 10 if value < 150 else 25
    return int(-(-value // step) * step)


def listed(needs: Sequence[str], said: Mapping[str, str]) -> str:
    things = [said.get(need) or _with_article(need) for need in needs]
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


_MASS = ("suet", "litter", "salt", "cloths", "cleaner", "sheets", "powder", "pens", "markers", "bands", "socks", "lights",
         "shears", "glycinate", "remover", "lights")  # fmt: skip


def _with_article(need: str) -> str:
    if any(word in need.split() for word in _MASS):
        return need
    return f"{'an' if need[0] in 'aeiou' else 'a'} {need}"


def _plan(s: Slots) -> dict[str, Any]:
    needs = s.needs(3 + s.seed % 2)
    total, things, thing = s.budget(needs), s.things(needs), s.record.thing
    return {
        "query": s.say(
            (
                f"I already have the {thing} and would like to go further: {s.words['goal']}.",
                f"Please make me a plan to {s.words['goal']}; since {s.record.year} I have been using the {thing}, so build on that.",
                f"My aim is to {s.words['goal']}, and the {thing} from {s.record.year} is all that I have for it so far.",
                f"What would it take to {s.words['goal']}, starting from the {thing} that I own?",
            ),
            (
                f"Can you put together {things} that fit, keep the whole under ${total}, and spread the purchases over three months?",
                f"I can spend up to ${total} in total and was thinking of {things}.",
                f"With a budget of ${total}, what should I buy first, second and last out of {things}?",
            ),
            (
                f"I live {s.place}, so please also find out {s.web}.",
                f"Explain from independent sources {s.web}, because I am {s.place} and general advice has not helped me.",
                f"Back it up with advice that holds {s.place}, above all on {s.web}.",
            ),
        ),
        "rationale": "The orders show a lasting interest in the subject; the plan has parts to be weighed against one budget and needs "
        "advice that the catalogue does not hold.",
        "needs": needs,
        "web_need": _sentence(s.web),
    }


def _compare(s: Slots) -> dict[str, Any]:
    need, plural, criteria = s.words["compare"]
    usual = {row[0]: row[1] for row in s.words["needs"]}.get(need, 40)
    cap = round_up(usual * s.shopper.dear * 1.4)
    return {
        "query": s.say(
            (
                f"I cannot decide between the {plural} in this shop.",
                f"Which of the {plural} you sell are really worth the money for me?",
                f"After a disappointment I want to choose more carefully this time and ask you to research {plural}.",
                f"Help me pick among {plural}, please.",
            ),
            (
                f"Compare three of them, each under ${cap}, by {criteria}.",
                f"Look at {criteria}; no more than ${cap} per item, please.",
                f"What matters to me: {criteria}. At most ${cap} each.",
            ),
            (
                f"Tell me which one suits somebody who already owns the {s.record.thing}, and find out {s.web}.",
                f"Take into account what I paid for similar things, such as the {s.record.thing} I ordered in {s.record.year}, and check {s.web}.",
                f"I own the {s.record.thing} and am {s.place}; include what experts write on {s.web}.",
            ),
        ),
        "rationale": "A choice that depends on several criteria, on what is owned already and on a limit by the piece; reviews in the "
        "shop and advice from outside have to be set side by side.",
        "needs": [need],
        "web_need": _sentence(s.web),
    }


def _replace(s: Slots) -> dict[str, Any]:
    thing, year, care = s.record.thing, s.record.year, s.words["care"]
    return {
        "query": s.say(
            (
                f"The {thing} that I bought in {year} is nearing its end.",
                f"I ordered the {thing} in {year}, and it does not do what I need any longer.",
                f"Is it time to replace my {thing}? It dates from {year}.",
                f"My {thing} has served me since {year}, and I wonder what should come after it.",
            ),
            (
                "Should I get the same again, or has something better come along since? Weigh up two or three alternatives from the shop.",
                "Find out what usually wears out in such things, what to look for in a successor, and which successor you would take.",
                "Tell me how long such things last according to independent sources, and compare what the shop offers now with it.",
            ),
            (
                f"I would also like to understand {care}.",
                f"Please keep in mind {care}, and say where advice has changed since {year}.",
                f"Before I decide I want to know {care}.",
            ),
        ),
        "rationale": "The order is some years old; whether to repeat or change it takes its details, the present range and outside advice.",
        "needs": [s.record.kind],
        "web_need": _sentence(str(care)),
    }


def _gift(s: Slots) -> dict[str, Any]:
    needs = s.needs(2)
    total, things, thing = s.budget(needs), s.things(needs), s.record.thing
    return {
        "query": s.say(
            (
                f"I am looking for a present for {s.words['gift']}.",
                f"What would please {s.words['gift']}?",
                f"Please find a thoughtful gift for {s.words['gift']}.",
            ),
            (
                f"I like my {thing} a lot, but it should not be the same thing; {things} would be an idea, for under ${total} in total.",
                f"I have ${total} to spend and would rather give {things} of good quality than a gadget.",
                f"Perhaps {things}, at most ${total} altogether, and nothing that I have bought for myself like the {thing}.",
            ),
            (
                "Suggest two combinations from the shop and say for each why it would be used and not end up in a closet.",
                f"You can see from my orders, the {thing} among them, what I know about the subject: which choices are safe without asking first?",
                f"Compare it with what I normally pay, and explain {s.words['care']}, so that nothing I give turns out to be unsuitable.",
            ),
        ),
        "rationale": "Somebody who knows the subject buys for another person within a limit; tastes, safety and price have to be reconciled.",
        "needs": needs,
        "web_need": "",
    }


def _seasonal(s: Slots) -> dict[str, Any]:
    needs = s.needs(2)
    total, things, thing = s.budget(needs), s.things(needs), s.record.thing
    season = s.words["season"]
    return {
        "query": s.say(
            (
                f"How should I prepare {s.words['about']} for {season}?",
                f"This is about {season}: I want to be ready in time.",
                f"I am always late for {season}; help me to be ready this year.",
            ),
            (
                f"I live {s.place} and have the {thing} already; recommend {things} if they are worth it, for no more than ${total} together.",
                f"I am {s.place}. Taking my past orders into account (the {thing} from {s.record.year}, for instance), what is still missing? "
                f"I would like to stay within ${total} for {things}.",
                f"Draw up a checklist that says which of my things I can go on using, such as the {thing}, and what to buy {s.place}: {things} or "
                f"something better, up to ${total}.",
            ),
            (
                f"Look up {s.web}, and tell me what to do in which week.",
                f"Please research {s.web}.",
                f"Give sources for {s.web}.",
            ),
        ),
        "rationale": "Place and season decide what is right, the history shows what is there, and only the web knows local conditions.",
        "needs": needs,
        "web_need": _sentence(s.web),
    }


def _safety(s: Slots) -> dict[str, Any]:
    needs = s.needs(2)
    things, thing, care = s.things(needs), s.record.thing, s.words["care"]
    return {
        "query": s.say(
            (
                f"I use the {thing} and am not sure that I use it the right way.",
                f"Before I buy {things} I want to know what goes with the {thing} in my orders.",
                f"Could you check my purchases on {s.words['about']} for problems, the {thing} in particular?",
                f"Something about my {thing} worries me.",
            ),
            (
                f"Please find out {care}.",
                f"What I need is a clear answer on {care}, with the source for each point.",
                f"Hold what I ordered against current recommendations: {care}.",
            ),
            (
                f"Tell me what may stay, what I had better stop using, and whether {things} from the shop would be the safer choice.",
                f"Warn me where makers and independent sources disagree, and say if {things} would help.",
                f"If {things} should be added or exchanged, tell me which and why.",
            ),
        ),
        "rationale": "A question of safety or fit that the product page does not answer: order details have to be held against sources of "
        "authority.",
        "needs": needs,
        "web_need": _sentence(str(care)),
    }


def _reorder(s: Slots) -> dict[str, Any]:
    thing, often = s.record.thing, _times(s.record.times)
    return {
        "query": s.say(
            (
                f"I have bought the {thing} {often} by now.",
                f"It seems that I order the {thing} again and again.",
                f"Help me save on what I buy repeatedly, above all the {thing}, which I have ordered {often}.",
            ),
            (
                "Work out how often I need it and what it has cost me so far.",
                "How much do I spend on it on average, and when should I order next?",
                "Compare pack sizes and rivals in the shop and take ratings into account.",
            ),
            (
                f"Would a larger pack or another brand of {s.record.kind} save money at the same quality? Show the price per unit.",
                f"What would the cheapest sensible {s.record.kind} in the shop cost by the unit? Show your sums.",
                "I also want to know when prices of such goods usually fall, and whether it pays to stock up.",
            ),
        ),
        "rationale": "The same product was ordered several times: rhythm, cost and alternatives can be worked out from the orders.",
        "needs": [s.record.kind],
        "web_need": "",
    }


def _times(count: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


WRITERS: dict[Intent, Callable[[Slots], dict[str, Any]]] = {
    "compare": _compare,
    "plan": _plan,
    "replace": _replace,
    "gift": _gift,
    "seasonal": _seasonal,
    "safety": _safety,
    "reorder": _reorder,
}
