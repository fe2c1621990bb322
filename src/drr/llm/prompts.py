"""Prompts as Markdown files with named slots, filled in one pass. Inserted text is never read as a slot."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from drr.llm.failures import ModelSetupError

_SLOT = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_CHOICE = re.compile(r"\{\{([a-z][a-z0-9_]*)\|([^{}]*)\}\}")
"""A slot with default words, which a setting of the study may replace."""


@dataclass(frozen=True)
class Prompt:
    name: str
    text: str
    path: Path
    written: str = ""
    """The text as in the file; `text` has the words that were chosen for its choices."""

    def chosen(self, choices: Mapping[str, str]) -> Prompt:
        """Return the prompt with these words in its choices of that name; a prompt without choices is unchanged."""
        return replace(self, text=_CHOICE.sub(lambda match: choices.get(match[1], match[2]), self.written))

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(_SLOT.findall(self.text))

    @property
    def sha256(self) -> str:
        """Return the hash of the text, which enters the key of every unit that uses the prompt."""
        return sha256(self.text.encode()).hexdigest()

    def fill(self, /, **values: str) -> str:
        """Return the text with every slot filled. A wrong set of names is a bug of the caller."""
        if values.keys() != self.slots:
            raise ValueError(
                f"prompt {self.name} has the slots {sorted(self.slots)}, was given {sorted(values)}"
            )
        return _SLOT.sub(lambda match: values[match[1]], self.text)

    def shared(self, own: Collection[str], /, **values: str) -> int:
        """Count the characters of the filled text before the line with the first slot of `own`. Other conversations begin with the same characters."""
        first = min(
            (match.start() for match in _SLOT.finditer(self.text) if match[1] in own), default=len(self.text)
        )
        start = self.text.rfind("\n", 0, first) + 1 if first < len(self.text) else first
        return len(_SLOT.sub(lambda match: values[match[1]], self.text[:start]))


class Prompts:
    """The `*.md` prompts of a folder and of the folders `beside` it, by name. A file in `override` replaces the prompt of its name."""

    def __init__(self, folder: Path, override: Path | None = None, *, beside: Sequence[Path] = ()) -> None:
        self._prompts = {
            path.stem: _read(path) for place in (folder, *beside) for path in sorted(place.glob("*.md"))
        }
        if override is not None:
            self._override(override)

    def overridden(self, folder: Path) -> Prompts:
        """Return the prompts, of which prompts of a folder replace prompts of the same name."""
        found = copy(self)
        found._prompts = dict(self._prompts)
        found._override(folder)
        return found

    def _override(self, override: Path) -> None:
        if not override.is_dir():
            raise ModelSetupError(f"prompts {override}: not a folder; give one that holds NAME.md files")
        for path in sorted(override.glob("*.md")):
            own = self._prompts.get(path.stem)
            if own is None:
                continue  # may replace a prompt of another package: `check_override` knows all of them
            theirs = _read(path)
            if theirs.slots != own.slots:
                raise ModelSetupError(
                    f"prompt {path}: has the slots {_names(theirs.slots)}, needs {_names(own.slots)}; "
                    f"compare with {own.path.name} of the box"
                )
            self._prompts[path.stem] = theirs

    def reworded(self, texts: Mapping[str, str]) -> Prompts:
        """Return the prompts with these texts, by name, in place of their own."""
        found = copy(self)
        found._prompts = self._prompts | {
            name: replace(self._prompts[name], written=text).chosen({})
            for name, text in texts.items()
            if name in self._prompts
        }
        return found

    def chosen(self, choices: Mapping[str, str]) -> Prompts:
        """Return the prompts with these words in their choices."""
        found = copy(self)
        found._prompts = {name: prompt.chosen(choices) for name, prompt in self._prompts.items()}
        return found

    def __getitem__(self, name: str) -> Prompt:
        return self._prompts[name]

    @property
    def names(self) -> list[str]:
        return sorted(self._prompts)

    def fill(self, name: str, /, **values: str) -> str:
        return self._prompts[name].fill(**values)

    def hashes(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """Return hashes by name, for keys: of all prompts unless some are named."""
        return {name: self._prompts[name].sha256 for name in sorted(self.names if names is None else names)}


def check_override(override: Path, known: Iterable[str]) -> None:
    """Raise `ModelSetupError` for a file that replaces no prompt. It is a spelling mistake that would spoil an experiment silently."""
    if not override.is_dir():
        raise ModelSetupError(f"prompts {override}: not a folder; give one that holds NAME.md files")
    strangers = sorted({path.stem for path in override.glob("*.md")} - set(known))
    if strangers:
        raise ModelSetupError(
            f"prompts {override}: no prompt is called {', '.join(strangers)}; known are {', '.join(sorted(known))}"
        )


def fence(text: str, label: str = "data", *, salt: str = "", mark: str = "") -> str:
    """Return untrusted text between marks that it cannot forge, as they are made of a hash of the text itself.

    The same text gives the same marks, so transcripts and caches stay reproducible; a text that holds its own mark would
    have to contain a hash of itself. The prompt must say that the text between the marks is data.
    """
    mark = mark or unused_mark([text], salt)
    return f"<{label} {mark}>\n{text}\n</{label} {mark}>"


def unused_mark(texts: Sequence[str], salt: str = "", digits: int = 20) -> str:
    """Return a mark that none of the texts holds, made of the salt and the first text."""
    made = (
        sha256(f"{salt}\0{count}\0{texts[0]}".encode("utf-8", "surrogatepass")).hexdigest()[:digits]
        for count in itertools.count()
    )
    return next(mark for mark in made if not any(mark in text for text in texts))


def _read(path: Path) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n").strip() + "\n"
    except (OSError, UnicodeDecodeError) as error:
        raise ModelSetupError(f"prompt {path}: cannot be read ({error})") from error
    made = Prompt(path.stem, text, path, text).chosen({})
    stray = set(re.findall(r"\{\{([^{}]*)\}\}", made.text)) - set(_SLOT.findall(made.text))
    if stray:
        raise ModelSetupError(
            f"prompt {path}: {{{{{sorted(stray)[0]}}}}} is not a slot; slots are lower-case names"
        )
    return made


def _names(slots: Iterable[str]) -> str:
    return ", ".join(sorted(slots)) or "none"
