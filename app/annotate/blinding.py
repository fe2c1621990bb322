"""Hides who wrote an answer and leaves the rest alone: product names and ordinary words are what annotators must read.

Names that can only mean a system or a model are hidden wherever they stand. A word that is also a word (`react`, `Claude`,
`Gemini`, or a system somebody called `one`) is hidden only where the sentence uses it to say who or what is writing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

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
    """Match these names where the words around them say who writes. A capitalised word behind makes it somebody else's name."""
    either = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
    if not either:
        return None
    article = r"[*_\"]*[ ]?(?:(?:an?|the|our|this|Google|Meta|Microsoft)['’]?s?\ )?[\"“'`*_(]*"
    behind = r"(?![\w-])(?!\ (?-i:[A-Z]))"
    return re.compile(
        rf"(?P<before>{_BEFORE}{article})(?P<name>(?<!\w)(?:{either}){behind})|(?<![\w-])(?:{either})(?={_AFTER})",
        re.IGNORECASE | re.MULTILINE | re.VERBOSE,
    )


def blinder(systems: Sequence[str], texts: Mapping[str, Sequence[str]]) -> Callable[[str], str]:
    """Hides these systems. `texts` are the answers of each: a word that others use as well is an ordinary word."""
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
    """`react+ws` is also `React + WS`, `react_ws` is `react-ws`."""
    parts = [re.escape(part) for part in re.split(r"[-_\s]+", name) if part]
    joined = r"[-_\s]?".join(parts).replace(r"\+", r"\s?\+\s?")
    return re.compile(rf"(?<![\w-]){joined}(?![\w-])", re.IGNORECASE)


def _plain_sign(match: re.Match[str]) -> str:
    """Read signs of names written as entities as what they show; others stay, so that no markup comes of them."""
    number = int(match[1]) if match[1] else int(match[2], 16)
    sign = chr(number) if number < 0x110000 else ""
    return sign if sign.isascii() and (sign.isalnum() or sign in "+-.") else match[0]
