"""The setting of a study: how much an agent is told about the person, and the text that it gets.

`records` is the default: the agent gets an id, and tools that look up its owner's records. Every setting but `records` and
`records+persona` takes away both. A system is a variant under a setting, `react@context:32k`; under `records` it keeps the
variant's name alone, as it did before settings existed.
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
"""Most tokens that a memory passes on if no other limit is named."""
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
    """The name of the memory, if the setting is `memory:NAME`."""
    tokens: int | None = None
    """The number of tokens of the context, or the most that the memory passes on."""
    place: str | None = field(default=None, compare=False)
    """The file of a memory that is not installed."""

    @property
    def name(self) -> str:
        """Return the canonical name: `memory:bm25` is `memory:bm25:32k`."""
        parts = [self.kind, self.memory, None if self.tokens is None else size_name(self.tokens)]
        return ":".join(part for part in parts if part is not None)

    @property
    def word(self) -> str:
        """Return the setting as a study stores it: a memory's file with its whole path."""
        return self.name if self.place is None else self.name.replace(Path(self.place).name, self.place, 1)

    @property
    def memory_word(self) -> str:
        """Return the name by which `memory_kind` finds the memory."""
        name = self.memory or ""
        return name if self.place is None else f"{self.place}:{name.rpartition(':')[2]}"

    @property
    def has_records(self) -> bool:
        """Tell whether the agent learns who asks and may look up that shopper's records."""
        return self.kind in ("records", "records+persona")

    @property
    def has_persona(self) -> bool:
        return self.kind in ("persona", "records+persona")

    @property
    def has_context(self) -> bool:
        """Tell whether the agent's text comes from the person's context, whole or through a memory."""
        return self.kind in ("context", "memory")


RECORDS = Setting("records")


class SystemName(NamedTuple):
    """The parts of a system's name: the variant, and the setting under which the system answered."""

    agent: str
    setting: Setting


@dataclass(frozen=True)
class Given:
    setting: Setting = RECORDS
    text: str = ""
    """The text about the person that the agent gets beside the question; empty if the setting has none."""
    tokens: int | None = None
    """The number of tokens in the text, as counted by the code that made the text; `None` if there is none."""
    cost: JsonObject | None = None
    """The cost of making the text for this unit: calls, tokens, seconds, dollars. `None` if the text was only read."""

    @property
    def facts(self) -> JsonObject:
        """Return the facts for the unit's record; they contain nothing about the person."""
        facts: JsonObject = {"setting": self.setting.name, "person_tokens": self.tokens}
        return facts if self.cost is None else {**facts, "person_cost": self.cost}


def setting_of(text: str) -> Setting:
    """Parse the name of a setting. Raises `Misuse` for any other text."""
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
    """Return the setting for a memory in a file. The file's own name is shown; a name without a path belongs to a file found earlier."""
    place = str(at_home(path).resolve()) if at_home(path).is_file() else None
    tokens = MEMORY_TOKENS if size is None else _tokens(size, word)
    return Setting("memory", f"{Path(path).name}:{name}", tokens, place)


def settings_of(text: str) -> tuple[Setting, ...]:
    """Parse a comma-separated list of settings, each kept once."""
    found = tuple(dict.fromkeys(setting_of(part) for part in text.split(",") if part.strip()))
    if not found:
        raise Misuse(f"--settings: names none; there are {FORMS}")
    return found


def words_of(settings: Iterable[Setting]) -> str:
    return ",".join(setting.word for setting in settings)


def joined_settings(before: str | None, named: str | None) -> str:
    """Return the words of a study's settings followed by those named now, each once; `records` if there are none."""
    return words_of(settings_of(",".join(filter(None, (before, named))) or RECORDS.name))


def size_name(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens % 1000 == 0 else str(tokens)


def system_of(agent: str, setting: Setting) -> str:
    return agent if setting == RECORDS else f"{agent}@{setting.name}"


def parts_of(system: str) -> SystemName:
    """Split a system's name into variant and setting, the reverse of `system_of`. A name without a setting has the setting `records`."""
    agent, at, word = system.rpartition("@")
    if at and agent:
        try:
            return SystemName(agent, setting_of(word))
        except Misuse:
            pass
    return SystemName(system, RECORDS)


def agent_of(system: str) -> str:
    """Return the variant of a system, without model, setting and reach."""
    return parts_of(system).agent.partition("@")[0]


def _tokens(text: str, word: str) -> int:
    written = _SIZE.fullmatch(text)
    tokens = 0 if written is None else int(written[1]) * (1000 if written[2] else 1)
    if not 0 < tokens <= _MOST_TOKENS:
        raise Misuse(f"the setting {word!r}: {text!r} is no number of tokens; say 32k or 32000")
    return tokens
