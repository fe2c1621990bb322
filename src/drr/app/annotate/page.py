"""Builds the annotator's page, for the server or as one file that opens from disk."""

from __future__ import annotations

import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.app.annotate.annotation_plan import AnnotationPlan, Annotator
from drr.app.annotate.labels import Mark
from drr.app.pages.frame import ICON, drawing
from drr.app.pages.markdown import safe_html
from drr.app.pages.serve import STATIC
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from jinja2 import Environment

PRACTICE = Path(__file__).parent / "practice.toml"
INSTRUCTIONS = Path(__file__).parent / "instructions.md"
CRITERIA_INSTRUCTIONS = Path(__file__).parent / "instructions_criteria.md"


@cache
def templates() -> Environment:
    """Return the Jinja environment of the annotator's and the owner's pages."""
    environment = drawing(Path(__file__).parent / "templates")
    environment.filters["many"] = many
    return environment


def page(plan: AnnotationPlan, annotator: Annotator, marks: list[Mark]) -> str:
    """Return the page for the server; script and style are files of the same origin."""
    return _html(plan, annotator, marks, server=True)


def bundle(plan: AnnotationPlan, annotator: Annotator) -> str:
    """Return the page as one file that works from disk. Its policy allows its own script and style by hash and nothing else."""
    style, script = (
        "".join((STATIC / name).read_text(encoding="utf-8") for name in names)
        for names in (("look.css", "annotate.css"), ("reach.js", "annotate.js"))
    )
    policy = f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    return _html(plan, annotator, [], server=False, style=style, script=script, policy=policy)


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _data(plan: AnnotationPlan, annotator: Annotator, marks: list[Mark], *, server: bool) -> str:
    turns: list[dict[str, Any]] = []
    hide = name_hider_of(plan)
    for turn in annotator.turns:
        pair = plan.pair(turn.pair)
        if pair is None:
            continue
        asked = {"pair": pair.id, "query": pair.query, "profile": pair.profile}
        if pair.criteria:
            criteria = [
                {"id": one.id, "label": f"{one.dimension} {n}", "meaning": f"{one.text} ({one.explanation})"}
                for n, one in enumerate(pair.criteria, 1)
            ]
            turns.append({**asked, "left": safe_html(hide(pair.answer_a)), "criteria": criteria})
            continue
        answers = [safe_html(hide(text)) for text in (pair.answer_a, pair.answer_b)]
        left, right = answers if turn.shown_first == "a" else reversed(answers)
        turns.append({**asked, "left": left, "right": right})
    practice = _practice(scores=any("criteria" in turn for turn in turns))
    document = {
        "annotator": annotator.name,
        "plan": annotator.sheet,
        "server": server,
        "dimensions": plan.dimensions,
        "meanings": dimension_questions(),
        "both_bad": plan.both_bad,
        "practice": practice,
        "turns": turns,
        "marks": [mark.model_dump() for mark in marks],
    }
    return json.dumps(document).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _practice(*, scores: bool) -> dict[str, Any]:
    """Return the practice turn that every annotator sees first. The turn belongs to no plan, and the server takes no mark of it."""
    practice = tomllib.loads(PRACTICE.read_text(encoding="utf-8"))
    turn = {
        "pair": "practice",
        "query": practice["query"],
        "profile": practice["profile"],
        "left": safe_html(practice["left"]),
    }
    if scores:
        return {**turn, "criteria": practice["criteria"]}
    return {**turn, "right": safe_html(practice["right"])}


def name_hider_of(plan: AnnotationPlan) -> Callable[[str], str]:
    texts: dict[str, list[str]] = {}
    for pair in plan.pairs:
        texts.setdefault(pair.system_a, []).append(pair.answer_a)
        if not pair.criteria:
            texts.setdefault(pair.system_b, []).append(pair.answer_b)
    return name_hider(sorted(texts), texts)


def dimension_questions() -> dict[str, str]:
    """Return each dimension's question from the instructions, by dimension, to show next to the choice."""
    lines = re.findall(r"^- \*\*(.+?)\*\*: (.+)$", INSTRUCTIONS.read_text(encoding="utf-8"), re.MULTILINE)
    return {name.lower().replace(" ", "_"): meaning for name, meaning in lines}


def _html(
    plan: AnnotationPlan, annotator: Annotator, marks: list[Mark], *, server: bool, **inline: str
) -> str:
    scores = any(pair.criteria for pair in plan.pairs)
    source = CRITERIA_INSTRUCTIONS if scores else INSTRUCTIONS
    bad = ", *Both bad* when neither serves this shopper" if plan.both_bad else ""
    return (
        templates()
        .get_template("annotate.html")
        .render(
            title="How good is it, criterion by criterion?" if scores else "Which answer is better?",
            name=annotator.name,
            server=server,
            scores=scores,
            instructions=safe_html(source.read_text(encoding="utf-8").replace("{both_bad}", bad)),
            data=_data(plan, annotator, marks, server=server),
            icon=ICON,
            **inline,
        )
    )


HIDDEN = "[hidden]"
_BANNER = re.compile(r"^.*\bwritten by rules\b.*$\n?", re.IGNORECASE | re.MULTILINE)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ENTITY = re.compile(r"&#(?:(\d{1,6})|x([0-9a-f]{1,5}));?", re.IGNORECASE)
_VERSION = r"(?:[- ]?(?:v?\d[\w.:-]*|opus|sonnet|haiku|code|instant|pro|flash|ultra|nano|mini|large|medium|small|nemo|turbo|instruct|chat))"
_CERTAIN = re.compile(
    rf"""(?<![\w/.-])(?:
      hybrid[-_ ]?re[-_ ]?act | plan[-_ ]?to[-_ ]?function
    | re[-_]?act(?=[-_ ]?(?:agent|architecture|loop|variant|\+))
    | supervisor[- ]agents? | supervisor(?=\ (?:launch|delegat|and\ (?:its|the|my)\ researcher))
    | researcher[- ]agents? | (?:researcher|synthesis)\ r\d+ | sub-?agents?
    | the\ offline\ model | `?offline`?(?=\ (?:chat\ )?model\b)
    | anthropic(?!\ principle) | open\s?ai | chat\s?gpt\w* | gpt[- ]?(?:\d[\w.-]*|oss[\w.-]*) | o[1-5][- ](?:mini|pro|preview)(?:-\w+)?
    | deepseek[\w.-]* | qwen[\w.-]* | grok[- ]?\d[\w.-]* | kimi[- ]?k\d[\w.-]*
    | (?:claude|gemini|(?:meta[- ])?llama|mistral){_VERSION}+ | (?:opus|sonnet|haiku)[- ]\d[\w.-]*
    )(?:\+\w+)*""",
    re.IGNORECASE | re.VERBOSE,
)
_CAMEL = re.compile(r"\bReAct\b(?:\+\w+)*")
_AMBIGUOUS = (
    "claude",
    "gemini",
    "opus",
    "sonnet",
    "haiku",
    "llama",
    "mistral",
    "bard",
    "grok",
    "kimi",
    "copilot",
    "offline",
)
_ORDINARY = {"react"}
_WRITES = r"(?:written|generated|produced|composed|prepared|drafted|authored|researched|answered|compiled)"
_BEFORE = (
    rf"(?:\bI\ am|\bI['’]m|\bmy\ name\ is|\b{_WRITES}\ (?:by|with|using)|\b(?:report|answer|response|text)\b[^.\n]{{0,30}}\ (?:by|with|using)"
    r"|\bpowered\ by|\bbuilt\ (?:on|with)|\bbased\ on|\brunning(?:\ on)?|\b(?:system|variant|model|agent|assistant|architecture)\ ?[:=]"
    r"|^[ \t>*_#]*(?:author|system|variant|model|agent|by)\ ?:)"
)
_AFTER = r"(?:['’]s)?\ (?:\(?AI\)?\b|agent\b|assistant\b|model\b|architecture\b|variant\b|LLM\b|language\ model|system\b|report\b)"


def _self_naming(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds the names where the context says who wrote the text. A capitalised word after a name makes it another name."""
    either = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    if not either:
        return None
    article = r"[*_\"]*[ ]?(?:(?:an?|the|our|this|Google|Meta|Microsoft)['’]?s?\ )?[\"“'`*_(]*"
    behind = r"(?![\w-])(?!\ (?-i:[A-Z]))"
    return re.compile(
        rf"(?P<before>{_BEFORE}{article})(?P<name>(?<!\w)(?:{either}){behind})|(?<![\w-])(?:{either})(?={_AFTER})",
        re.IGNORECASE | re.MULTILINE | re.VERBOSE,
    )


def name_hider(systems: Sequence[str], texts: Mapping[str, Sequence[str]]) -> Callable[[str], str]:
    """Return a function that hides the systems' names in a text. `texts` are the answers of each system: a name that other systems use too is an ordinary word."""
    words = {name for name in systems if re.fullmatch(r"[^\W\d_]+", name)}
    ordinary = {name for name in words if name.lower() in _ORDINARY or _others_say(name, texts)}
    marks = [
        _flexible(name) for name in sorted(set(systems) - ordinary, key=len, reverse=True) if name.strip()
    ]
    self_naming = _self_naming([*_AMBIGUOUS, *ordinary])

    def hide(text: str) -> str:
        text = _ENTITY.sub(_plain_sign, _INVISIBLE.sub("", _BANNER.sub("", text)))
        for mark in marks:
            text = mark.sub(HIDDEN, text)
        text = _CAMEL.sub(HIDDEN, _CERTAIN.sub(HIDDEN, text))
        return (
            text if self_naming is None else self_naming.sub(lambda m: f"{m['before'] or ''}{HIDDEN}", text)
        )

    return hide


def _others_say(name: str, texts: Mapping[str, Sequence[str]]) -> bool:
    word = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    return any(word.search(text) for system, own in texts.items() if system != name for text in own)


def _flexible(name: str) -> re.Pattern[str]:
    """Return a pattern for a name in its usual spellings: `react+ws` is also `React + WS`, `react_ws` is `react-ws`."""
    parts = [re.escape(part) for part in re.split(r"[-_\s]+", name) if part]
    joined = r"[-_\s]?".join(parts).replace(r"\+", r"\s?\+\s?")
    return re.compile(rf"(?<![\w-]){joined}(?![\w-])", re.IGNORECASE)


def _plain_sign(match: re.Match[str]) -> str:
    """Return the character of an HTML entity if names may contain it; other entities stay, so that no markup arises."""
    number = int(match[1]) if match[1] else int(match[2], 16)
    sign = chr(number) if number < 0x110000 else ""
    return sign if sign.isascii() and (sign.isalnum() or sign in "+-.") else match[0]
