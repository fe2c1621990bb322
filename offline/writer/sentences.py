"""The sentences of the offline writer: one function an intent, each sentence in several forms that the shopper decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, NotRequired, TypedDict

from drr.querygen.asking import Intent

Need = tuple[str, float] | tuple[str, float, str]
"""Search words, what one such thing usually costs, and how a sentence calls it where that differs."""


class ThemeWords(TypedDict):
    """The entry of a theme in `intents.toml`."""

    goal: str
    needs: list[Need]
    compare: tuple[str, str, str, str]
    """A need, its plural, what to compare by, what to look up."""
    web: str
    care: str
    season: str
    gift: str
    avoid: NotRequired[tuple[str, list[str]]]
    """Things that some shoppers keep away from, and the needs that they are in."""


class DraftText(TypedDict):
    """The parts of a draft that are sentences."""

    query: str
    rationale: str
    needs: list[str]
    web_need: str


class PurchaseRecord(NamedTuple):
    order: str
    product: str
    year: str
    times: int
    thing: str
    """The head of the title: brand and kind, without the search words that sellers add."""
    kind: str
    """The last two words of that: what to search for."""
    themes: list[str]
    """Themes of `thing`: the words that a seller adds ("for dog walks") do not say what a thing is."""
    price: float | None
    used_up: bool
    """Bought again because it is used up."""
    perishes: bool


class Shopper(NamedTuple):
    state: str | None
    dear: float
    """The shopper's usual prices beside other people's: 0.8, 1 or 1.3."""
    records: list[PurchaseRecord]
    themes: list[str]


def draw(*parts: object) -> int:
    return int(sha256("|".join(map(str, parts)).encode()).hexdigest()[:12], 16)


class Slots:
    """The slots that a sentence can be filled with."""

    def __init__(self, words: ThemeWords, record: PurchaseRecord, shopper: Shopper, seed: int) -> None:
        self.words = words
        self.record = record
        self.shopper = shopper
        self.seed = seed

    def pick(self, *forms: str) -> str:
        """One of several ways to say the same; which one follows from the shopper and the words."""
        return forms[draw(self.seed, len(forms), forms[0][:12]) % len(forms)]

    def shape(self, *forms: str, end: Sequence[str]) -> str:
        """One whole question and how it closes, without the gaps that parts left empty leave."""
        return " ".join(f"{self.pick(*forms)} {self.pick(*end)}".split())

    @property
    def advice(self) -> str:
        """One of the two things about the theme that sources outside the shop have to tell."""
        return self.pick(self.web, str(self.words["care"]))

    @property
    def have(self) -> str:
        """Name what is owned already, so that the answer has to look it up."""
        thing, year = self.record.thing, self.record.year
        return self.pick(
            f"I already have the {thing}, which I bought in {year}.",
            f"My {year} order of the {thing} should tell you what I have.",
            f"I've been using the {thing} since {year}.",
            f"You'll see the {thing} in my orders from {year}; take that into account.",
            f"Keep in mind that I bought the {thing} in {year}.",
        )

    @property
    def fact(self) -> str:
        return f"{self.record.thing}, {self.record.year}"

    def avoid(self, needs: Sequence[str]) -> str:
        """Name what such shoppers commonly keep away from in one of these things; one in two of them says so."""
        what, kinds = self.words.get("avoid", ("", ()))
        if not set(kinds) & set(needs) or draw(self.seed, "avoid") % 2:
            return ""
        return self.pick(f"Nothing with {what}, please.", f"I avoid {what}.", f"It has to be without {what}.")

    @property
    def place(self) -> str:
        return f"in {self.shopper.state or 'the United States'}"

    @property
    def web(self) -> str:
        return str(self.words["web"]).format(state=self.shopper.state or "my state")

    def needs(self, most: int) -> list[str]:
        """List what is not owned yet, and at least two things. A second piece of what is owned, if it must be."""
        rows = self.words["needs"]
        first = self.seed // 7 % len(rows)
        turned = [row[0] for row in rows[first:] + rows[:first]]
        things = [record.thing for record in self.shopper.records]
        missing = [need for need in turned if not any(_names(thing, need) for thing in things)]
        others = sorted(
            (need for need in turned if need not in missing), key=lambda need: _names(self.record.thing, need)
        )
        return [*missing, *others][: max(2, min(most, len(missing)))]

    def things(self, needs: Sequence[str]) -> str:
        return listed(needs, {row[0]: row[2] for row in self.words["needs"] if len(row) > 2})

    def budget(self, needs: Sequence[str], share: float = 1.25) -> int:
        usual = {row[0]: row[1] for row in self.words["needs"]}
        return round_up(sum(usual[need] for need in needs) * self.shopper.dear * share)


def _names(thing: str, need: str) -> bool:
    return set(need.split()[-2:]) <= set(thing.casefold().split())


def round_up(value: float) -> int:
    step = 5 if value < 60 else 10 if value < 150 else 25
    return int(-(-value // step) * step)


def listed(needs: Sequence[str], words: Mapping[str, str]) -> str:
    things = [words.get(need) or _with_article(need) for need in needs]
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


_MASS = ("suet", "litter", "salt", "cloths", "cleaner", "sheets", "powder", "pens", "markers", "bands", "socks", "lights",
         "shears", "glycinate", "remover", "lights")  # fmt: skip


def _with_article(need: str) -> str:
    if any(word in need.split() for word in _MASS):
        return need
    return f"{'an' if need[0] in 'aeiou' else 'a'} {need}"


def _plan(s: Slots) -> DraftText:
    needs = s.needs(3 + s.seed % 2)
    total, things, goal = s.budget(needs), s.things(needs), s.words["goal"]
    advice = s.advice
    local = s.pick(
        f"I'm {s.place}; please also look into {advice}.",
        f"Could you also find out {advice}? I live {s.place}.",
        f"We live {s.place}, and I'd like to see good sources on {advice}.",
        f"Please check reliable sources on {advice}, and keep in mind that we're {s.place}.",
    )
    return {
        "query": s.shape(
            f"I'd like to {goal}. {s.have} {s.avoid(needs)} What else do I need, out of {things}, if everything together has to stay under "
            f"${total}? {local}",
            f"I have ${total} to spend in total and want to {goal}. I was thinking of {things}, but I'm open to other ideas. {s.have} "
            f"{s.avoid(needs)} {local}",
            f"{s.have} Now I want to {goal}, spread over the next three months, with at most ${round_up(total / 3)} a month. "
            f"Which of these do I really need: {things}? {s.avoid(needs)} {local}",
            f"Can you help me {goal}? {local} {s.have} So far my list says {things}. {s.avoid(needs)} My budget is ${total} for the lot.",
            end=(
                "Tell me what to buy first and what can wait.",
                "Show me what you'd pick and how it adds up.",
                "Explain why each thing on your list earns its place.",
                "If reviews of something you suggest are mixed, say so.",
            ),
        ),
        "rationale": f"The orders show a lasting interest ({s.fact}). The plan has several parts to fit into one budget, and part of the "
        "answer is not in the catalogue.",
        "needs": needs,
        "web_need": _sentence(advice),
    }


def _compare(s: Slots) -> DraftText:
    need, plural, criteria, ask = s.words["compare"]
    usual = max((row[1] for row in s.words["needs"] if row[0] in need or need in row[0]), default=40)
    cap = round_up(usual * s.shopper.dear * 1.4)
    return {
        "query": s.shape(
            f"Which of your {plural} would you recommend for me? What I care about is {criteria}, and I'd like to pay less than ${cap} "
            f"each. {s.have} {s.avoid([need])} Please also look up {ask}.",
            f"I've read so many reviews of {plural} that I can't decide. Compare three good ones under ${cap} each on {criteria}, and check "
            f"what independent sources say about {ask}. {s.have} {s.avoid([need])}",
            f"I'm shopping for {plural} and got it wrong the last time. {s.have} {s.avoid([need])} Before I spend money again, find out {ask}, then "
            f"shortlist three from this shop that cost no more than ${cap} each. Compare them on {criteria}.",
            f"{s.have} Next on my list: {plural}. {s.avoid([need])} Could you compare the best-rated ones on {criteria}? I don't want to spend more "
            f"than ${cap} per item. I'd also like to know {ask}, with sources.",
            end=(
                "",
                "Explain the trade-offs in plain words.",
                "If buyers of one of them keep complaining about the same thing, tell me.",
                "A clear first choice and a runner-up would help me most.",
                "Prices in this shop only, please.",
            ),
        ),
        "rationale": f"A choice on several criteria with a limit for each item, for somebody whose orders include something related "
        f"({s.fact}); shop reviews have to be weighed against outside advice.",
        "needs": [need],
        "web_need": _sentence(ask),
    }


def _replace(s: Slots) -> DraftText:
    thing, year = s.record.thing, s.record.year
    cap = f" I'd rather not pay more than ${round_up(s.record.price * 1.3)} each." if s.record.price else ""
    age = f"how long something like this usually lasts and how {s.record.kind} options have improved since {year}"
    ends = (
        "",
        "Tell me honestly if waiting is the better choice.",
        "A short table of the differences would be nice.",
        "Buyers who own both would be the best witnesses, if there are any.",
    )
    return {
        "query": s.shape(
            f"I've had the {thing} since {year}, and by now it shows. Would you keep using what I have or look for something new?{cap} "
            f"Compare what you sell today with what I have, and find out from independent sources {age}.",
            f"I need a successor for the {thing} that I ordered in {year}.{cap} Please look up {age}, then recommend two options from this shop: one that is much "
            "the same and one that is clearly better. Explain what I'd gain for the difference in price.",
            f"I'm thinking of upgrading from the {thing} that I ordered in {year}. What did I actually get back then, what do newer ones do "
            f"better according to buyers and to tests outside this shop, and which one would you choose for me?{cap}",
            f"Could you check my {year} order of the {thing}? I want something that lasts.{cap} What tends to go "
            "wrong first according to reviews here and to independent sources, and which of your current models avoid that?",
            end=ends,
        )
        if not s.record.used_up
        else s.shape(
            f"I've been through the {thing} that I ordered in {year} and wonder whether to get the same again.{cap} Look at what reviewers "
            "say here, check what independent sources say about the ingredients or materials, and weigh it against two alternatives.",
            f"Back in {year} I bought the {thing}, and I was only half happy with it.{cap} What do other buyers complain about, what should "
            f"I look for in {s.record.kind} according to independent sources, and what would you take in its place?",
            f"Is there something better by now than the {thing} from my {year} order?{cap} Please compare it with at least two others in "
            "this shop on price per unit and ratings, and look up what experts advise people to watch for on the label.",
            end=ends,
        ),
        "rationale": f"The purchase lies some time back ({s.fact}). Whether to repeat or to change it takes the order's details, the present "
        "range and outside advice.",
        "needs": [s.record.kind],
        "web_need": _sentence(f"what to look for in {s.record.kind}" if s.record.used_up else age),
    }


def _gift(s: Slots) -> DraftText:
    needs = s.needs(2)
    total, things, gift, care = s.budget(needs), s.things(needs), s.words["gift"], s.words["care"]
    return {
        "query": s.shape(
            f"I need a gift for {gift}. {s.have} I was thinking of {things}, for under ${total} altogether. {s.avoid(needs)} Which ones would you "
            f"choose? Before I give something like that, please find out {care}.",
            f"What would be a good present for {gift}? My limit is ${total} in total. {s.have} Would {things} make sense together? {s.avoid(needs)} "
            f"Please check {care}, so that I don't give anything unsuitable.",
            f"Help me put together a gift for {gift}: {things}, at most ${total} for everything. {s.avoid(needs)} I'd rather give fewer things of "
            f"good quality. Please find out {care}, and tell me where that rules something out. {s.have}",
            end=(
                "",
                "Tell me why each of them would be used and not end up in a closet.",
                "One combination and one fallback are enough.",
                "My own orders show what I know about the subject, so explain only what is new to me.",
            ),
        ),
        "rationale": f"Somebody who knows the subject ({s.fact}) buys for another person within a limit; taste, safety and price have to be "
        "reconciled.",
        "needs": needs,
        "web_need": _sentence(str(care)),
    }


def _seasonal(s: Slots) -> DraftText:
    needs, advice = s.needs(2), s.advice
    total, things, season = s.budget(needs), s.things(needs), s.words["season"]
    where = f"Here {s.place}" if s.shopper.state else "Here"
    return {
        "query": s.shape(
            f"{where} I want to be well prepared for {season}. {s.have} Would {things} be worth adding, for no more than ${total} together? "
            f"{s.avoid(needs)} Please find out {advice}.",
            f"What do I need for {season}? I'm {s.place}. {s.have} {s.avoid(needs)} Look up {advice}, check what I've already "
            f"ordered, and tell me whether I should still get {things}; ${total} is the most I can spend.",
            f"I'm always late with preparing for {season}. I live {s.place}. {s.have} With ${total} in total for {things}, what would make the "
            f"biggest difference? {s.avoid(needs)} Please back it up with sources on {advice}.",
            end=(
                "A checklist in order of urgency would be great.",
                "Tell me what can wait.",
                "Explain why, with sources I can read myself.",
                "",
            ),
        ),
        "rationale": f"Place and season decide what is right, the orders show what is there already ({s.fact}), and only the web knows local "
        "conditions.",
        "needs": needs,
        "web_need": _sentence(advice),
    }


def _safety(s: Slots) -> DraftText:
    needs = s.needs(2)
    things, thing, care = s.things(needs), s.record.thing, s.words["care"]
    return {
        "query": s.shape(
            f"I use the {thing} ({s.record.year} order) and keep reading conflicting advice on the subject. Please find out {care}, with a "
            f"source for each point, and hold what I have against it. Would you add {things}?",
            f"Before I order {things}, I'd like to be sure they go with what I have, above all the {thing} from {s.record.year}. "
            f"What do independent sources say about {care}?",
            f"Please go through my orders, starting with the {thing}, and tell me if anything is a problem. "
            f"I'm unsure {care}. If {things} would be the safer choice, show me which ones and what they cost.",
            end=(
                "",
                "Point out anything in my orders that I should stop using.",
                "Say where makers and independent sources disagree.",
                "I prefer a cautious answer to a quick one.",
            ),
        ),
        "rationale": f"A question of safety or fit that a product page does not settle: what was ordered ({s.fact}) has to be held against "
        "independent sources.",
        "needs": needs,
        "web_need": _sentence(str(care)),
    }


def _reorder(s: Slots) -> DraftText:
    thing, often, kind = s.record.thing, _times(s.record.times), s.record.kind
    verb = "keep" if kind.endswith("s") else "keeps"
    ask = (
        f"how long {kind} {verb} once opened"
        if s.record.perishes
        else f"what independent tests say about the cheaper brands of {kind}"
    )
    cap = f" Ideally I'd pay less than ${round_up(s.record.price * 1.1)} each time." if s.record.price else ""
    return {
        "query": s.shape(
            f"I've ordered the {thing} {often} now. How often do I really need it, and what has it cost me so far? See whether a larger "
            f"pack or another brand of {kind} would be cheaper per unit with ratings as good, and look up {ask}.{cap}",
            f"I keep coming back to the {thing} ({often} so far). Is that still the best value?{cap} Work out the price per unit against "
            f"the other {kind} you sell, and find out {ask}, so that I know whether to stock up or to switch.",
            f"Help me spend less on what I buy over and over, above all the {thing}, which I've had {often}. When am I due to reorder, what "
            f"would two comparable products save me over a year, and does it pay to stock up? Please also look into {ask}.{cap}",
            end=(
                "",
                "Show your sums.",
                "Use my real order dates for that.",
                "If the cheaper ones have worse ratings, tell me.",
            ),
        ),
        "rationale": f"The same product was ordered {often} ({s.fact}): rhythm, cost and alternatives can be worked out from the orders, "
        "and whether to stock up or switch takes advice from outside.",
        "needs": [kind],
        "web_need": _sentence(ask),
    }


def _times(count: int) -> str:
    return {2: "twice", 3: "three times", 4: "four times"}.get(count, f"{count} times")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


WRITERS: dict[Intent, Callable[[Slots], DraftText]] = {
    "compare": _compare,
    "plan": _plan,
    "replace": _replace,
    "gift": _gift,
    "seasonal": _seasonal,
    "safety": _safety,
    "reorder": _reorder,
}
