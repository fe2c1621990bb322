"""The setting of a study: how much of the person an agent is given, and the text that it gets.

`records` is what an agent always had: an id, and tools that look up its owner's records. Every setting but `records` and
`records+persona` takes away both. A system is a variant under a setting, `react@context:32k`; under `records` it goes by the
variant's name alone, as it did before there were settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from drr.env.errors import Misuse
from drr.env.files import at_home
from drr.env.json_object import JsonObject

SettingKind = Literal["task", "context", "memory", "persona", "records", "records+persona"]
MEMORY_TOKENS = 32_000
"""Tokens that a memory may hand on where no other limit is named."""
FORMS = "task, context:N, memory:NAME[:N], persona, records, records+persona"
_SIZE = re.compile(r"([1-9]\d{0,6})(k?)", re.IGNORECASE)
_MEMORY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}")
_IN_FILE = re.compile(r"(?P<path>[^:]+\.py):(?P<name>[A-Za-z_]\w*)(?::(?P<size>[^:]+))?")
_MOST_TOKENS = 10_000_000
_BARE: tuple[SettingKind, ...] = ("task", "persona", "records", "records+persona")


@dataclass(frozen=True)
class Setting:
    kind: SettingKind
    memory: str | None = None
    """The name of the memory, of `memory:NAME`."""
    tokens: int | None = None
    """Tokens of the context, or the most that the memory hands on."""
    place: str | None = field(default=None, compare=False)
    """The file of a memory that nobody installed."""

    @property
    def name(self) -> str:
        """The one canonical form: `memory:bm25` is `memory:bm25:32k`."""
        parts = [self.kind, self.memory, None if self.tokens is None else size_name(self.tokens)]
        return ":".join(part for part in parts if part is not None)

    @property
    def word(self) -> str:
        """Return the word as a study keeps it: a file by its whole path."""
        return self.name if self.place is None else self.name.replace(Path(self.place).name, self.place, 1)

    @property
    def memory_word(self) -> str:
        """Return the word by which `memory_kind` finds it."""
        name = self.memory or ""
        return name if self.place is None else f"{self.place}:{name.rpartition(':')[2]}"

    @property
    def has_records(self) -> bool:
        """Tell whether the agent learns whose question it is and may look up that shopper's records."""
        return self.kind in ("records", "records+persona")

    @property
    def has_persona(self) -> bool:
        return self.kind in ("persona", "records+persona")

    @property
    def has_context(self) -> bool:
        """Tell whether what it is given comes of the person's context, whole or through a memory."""
        return self.kind in ("context", "memory")


RECORDS = Setting("records")


class SystemName(NamedTuple):
    """The parts of a system's name: the variant, and the setting under which it answered."""

    agent: str
    setting: Setting


@dataclass(frozen=True)
class Given:
    setting: Setting = RECORDS
    text: str = ""
    """Everything that the agent is told of the person beside the question; a setting without such a text has none."""
    tokens: int | None = None
    """Tokens of the text, as its maker counts; `None` where there is none."""
    cost: JsonObject | None = None
    """The cost of making it for this unit, where it was not merely read: calls, tokens, seconds, dollars."""

    @property
    def facts(self) -> JsonObject:
        """Return the facts for the unit's record; nothing of the person is in it."""
        facts: JsonObject = {"setting": self.setting.name, "person_tokens": self.tokens}
        return facts if self.cost is None else {**facts, "person_cost": self.cost}


def setting_of(text: str) -> Setting:
    """`Misuse` for what is none."""
    word = text.strip()
    kind, _, rest = word.partition(":")
    for bare in _BARE:
        if word == bare:
            return Setting(bare)
    if kind == "context" and rest:
        return Setting("context", None, _tokens(rest, word))
    if kind == "memory" and rest:
        if (in_file := _IN_FILE.fullmatch(rest)) is not None:
            return _memory_in_file(in_file["path"], in_file["name"], in_file["size"], word)
        name, colon, size = rest.partition(":")
        if not _MEMORY.fullmatch(name):
            raise Misuse(f"the setting {word!r}: {name!r} is no name of a memory")
        return Setting("memory", name, _tokens(size, word) if colon else MEMORY_TOKENS)
    raise Misuse(f"there is no setting {word!r}; there are {FORMS}, e.g. context:32k")


def _memory_in_file(path: str, name: str, size: str | None, word: str) -> Setting:
    """Shown by the file's own name; one that is named by that alone was found before."""
    place = str(at_home(path).resolve()) if at_home(path).is_file() else None
    tokens = MEMORY_TOKENS if size is None else _tokens(size, word)
    return Setting("memory", f"{Path(path).name}:{name}", tokens, place)


def settings_of(text: str) -> tuple[Setting, ...]:
    """Read a list with commas, each reach once."""
    found = tuple(dict.fromkeys(setting_of(part) for part in text.split(",") if part.strip()))
    if not found:
        raise Misuse(f"--settings: names none; there are {FORMS}")
    return found


def words_of(settings: Iterable[Setting]) -> str:
    return ",".join(setting.word for setting in settings)


def size_name(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens % 1000 == 0 else str(tokens)


def system_of(agent: str, setting: Setting) -> str:
    return agent if setting == RECORDS else f"{agent}@{setting.name}"


def parts_of(system: str) -> SystemName:
    """The reverse; a name that says no setting is one that could look things up."""
    agent, at, word = system.rpartition("@")
    if at and agent:
        try:
            return SystemName(agent, setting_of(word))
        except Misuse:
            pass
    return SystemName(system, RECORDS)


def agent_of(system: str) -> str:
    """The variant of a system, without model, setting and reach."""
    return parts_of(system).agent.partition("@")[0]


def _tokens(text: str, word: str) -> int:
    written = _SIZE.fullmatch(text)
    tokens = 0 if written is None else int(written[1]) * (1000 if written[2] else 1)
    if not 0 < tokens <= _MOST_TOKENS:
        raise Misuse(f"the setting {word!r}: {text!r} is no number of tokens; say 32k or 32000")
    return tokens
