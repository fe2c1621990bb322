"""Pages on which several people speak: a thread keeps to what was asked in it, and letters answer the question of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from drr.filetasks.corpus.plan import PagePlan, matters_of
from drr.filetasks.corpus.scene import PageScene
from drr.filetasks.corpus.statement import PageStatement
from drr.filetasks.corpus.stock import PageForm, TalkMatter, stock
from drr.filetasks.corpus.telling import ToldStatement

_LEAST, _MOST = 2, 3
"""Who answers a question."""
_ASIDE = 0.55
_MATTERS = 4
_FIGURE = 0.3


@dataclass(frozen=True)
class TalkRound:
    """A question and what was answered to just that."""

    ask: str
    answers: tuple[str, ...]


def talk(
    form: PageForm,
    plan: PagePlan,
    statements: Sequence[PageStatement],
    said: Sequence[ToldStatement],
    scene: PageScene,
) -> list[TalkRound]:
    """The rounds of a page: the main matter, what follows from it, and what is stated in answer to a question of its own."""
    rng = scene.rng
    matters = matters_of((plan.main, plan.main, *plan.others), scene.fits, rng)
    rounds = [(one.topic, _round(form, one, scene)) for one in dict.fromkeys(matters[:_MATTERS])]
    for statement, one in zip(statements, said, strict=True):
        near = [at for at, (topic, _) in enumerate(rounds, start=1) if topic in statement.form.near]
        rounds.insert(near[-1] if near else len(rounds), ("", TalkRound(one.ask, one.parts)))
    return [one for _, one in rounds]


def _round(form: PageForm, matter: TalkMatter, scene: PageScene) -> TalkRound:
    rng = scene.rng
    replies = [one for one in matter.replies if one.suits(scene.fits)]
    chosen = rng.sample(replies, min(len(replies), rng.randint(_LEAST, _MOST)))
    answers = [one.say(rng, scene.fill, fits=scene.fits) for one in chosen]
    asides = [one for one in matter.asides if one.suits(scene.fits)]
    if form.layout == "thread" and asides and rng.random() < _ASIDE:
        answers.insert(0, rng.choice(asides).say(rng, scene.fill, fits=scene.fits))
    if rng.random() < _FIGURE:
        at = rng.randrange(len(answers))
        answers[at] += " " + scene.say(stock().figures[form.voice])
    return TalkRound(scene.say(matter.ask), tuple(answers))


_POSTS = (
    "**{who}** wrote:", "### {who}", "{who} ({posts} posts):", "> {who}, {hours} hours later", "**#{n}** {who}", "{who}:",
)  # fmt: skip
_TO_ALL = (
    "{a} and {b}, thanks.",
    "Thanks, {a}.",
    "That helps, {b}.",
    "Good to know, {a} and {b}.",
    "OK, thanks both.",
    "Thank you, {b}.",
    "Both of you were a help.",
    "{b}, {a}: noted.",
    "Makes sense, {a}.",
    "Didn't know that, {b}.",
)
_TO_ONE = (
    "Thanks, {a}.",
    "Thank you, {a}.",
    "That helps, {a}.",
    "Good to know, {a}.",
    "OK, thanks, {a}.",
    "Noted, {a}.",
    "Makes sense, {a}.",
    "Didn't know that, {a}.",
)
_NEXT = (
    "One more thing:",
    "And while I have you here:",
    "Next question:",
    "What I forgot to ask:",
    "Which leads me to this:",
    "Then, since you know so much:",
    "Now for something else:",
    "While we're at it:",
    "And another thing:",
    "That leaves one question:",
    "Since I'm writing anyway:",
    "Also this:",
    "The other thing is this:",
    "Before I forget it:",
)
_TO = ("@{asker}: ", "{asker} - ", "", "", "", "After what {last} wrote: ", "Adding to {last}: ")
_SETTLED = (
    "I'll start with what {a} said and see.",
    "I'm going with {a} on this.",
    "{a} has convinced me.",
    "I'll try that this week and tell you.",
    "What {a} wrote makes sense to me.",
    "Going to try it and report.",
    "I'll sleep on it, but it sounds like {a} has it right.",
    "That's good enough for me.",
    "So that's settled.",
    "I've written it all down, {a}.",
    "On it. More when I know more.",
)
_BETWEEN = "Between {a} and {b} I have my answer."


@dataclass
class _Posts:
    """Writes posts in order, never two in a row by one person."""

    rng: Random
    handles: list[str]
    style: str

    def __post_init__(self) -> None:
        self.posts = {who: self.rng.randint(2, 940) for who in self.handles}
        self.hours, self.count, self.last = 0, 1, self.handles[0]
        self.said: list[str] = []

    def write(self, who: str, text: str) -> None:
        self.hours += self.rng.randint(1, 30)
        self.count += 1
        self.last = who
        head = self.style.format(who=who, posts=self.posts[who], hours=self.hours, n=self.count)
        self.said += [head, text]

    def other(self) -> str:
        return self.rng.choice([who for who in self.handles[1:] if who != self.last])


def _thread(form: PageForm, scene: PageScene, rounds: list[TalkRound]) -> str:
    """Who opened it asks on, and settles on something at the end."""
    rng = scene.rng
    handles = rng.sample(stock().names["handles"], rng.randint(5, 9))
    posts, asker = _Posts(rng, handles, rng.choice(_POSTS)), handles[0]
    opening = scene.say(form.openings)
    said = [f"{asker}, {rng.choice(('first post', 'opening', 'asked this'))}:", f"{opening} {rounds[0].ask}"]
    helped: dict[str, None] = {}
    for number, one in enumerate(rounds):
        if number:
            thanks = _named(rng, helped, _TO_ONE, _TO_ALL)
            posts.write(asker, f"{thanks} {rng.choice(_NEXT)} {one.ask}")
        helped = {}
        for answer in one.answers:
            who, last = posts.other(), posts.last
            posts.write(who, _to(rng, asker, last) + answer)
            helped[who] = None
    settled = _named(rng, helped, _SETTLED, (*_SETTLED, _BETWEEN))
    posts.write(asker, f"{settled} {scene.say(form.closings)}")
    return "\n\n".join([*said, *posts.said])


def _named(rng: Random, helped: Iterable[str], of_one: Sequence[str], of_two: Sequence[str]) -> str:
    """Whoever answered last, and none who did not."""
    a, *more = reversed(list(helped))
    return rng.choice(of_two if more else of_one).format(a=a, b=more[0] if more else "")


def _to(rng: Random, asker: str, last: str) -> str:
    said = rng.choice(_TO)
    return "" if last == asker and "{last}" in said else said.format(asker=asker, last=last)


_GREETINGS = ("", "Dear editors: ", "Hello. ", "To the page: ", "Good morning. ", "To whom it concerns: ")
_SIGNED = ("{who}, {town}", "- {who}", "*{who}, {town}*", "Yours, {who}", "({who})", "{town}, {who}")
_ASKED = (
    'We asked: "{ask}"',
    "The question was: {ask}",
    "**{ask}**",
    "## {ask}",
    "{ask} So we asked last time.",
)


def _letters(form: PageForm, scene: PageScene, rounds: list[TalkRound]) -> str:
    """What the column asked, and who wrote."""
    rng = scene.rng
    signed, asked = rng.choice(_SIGNED), rng.choice(_ASKED)
    said = [scene.say(form.openings)]
    for one in rounds:
        said.append(asked.format(ask=one.ask))
        for answer in one.answers:
            said += [
                rng.choice(_GREETINGS) + answer,
                signed.format(who=scene.fill("person"), town=scene.fill("town")),
            ]
    return "\n\n".join([*said, scene.say(form.closings)])


Talk = Callable[[PageForm, PageScene, list[TalkRound]], str]
TALKS: dict[str, Talk] = {"thread": _thread, "letters": _letters}
