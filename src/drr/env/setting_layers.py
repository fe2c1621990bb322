"""Layers of settings, by who made them. Some choices of others are not used until this user agrees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from drr.env.trust import origin_of, printable_address, vouched_entries
from pydantic import SecretStr


class Layer(NamedTuple):
    label: str
    values: dict[str, object]
    stranger: Path | None = None
    """The folder whose author may be another person; `None` if this user made the choices."""


class Withheld(NamedTuple):
    """A choice of others about the network: a key, whom TLS trusts, what is traced.

    Whoever gave a key can read what is asked under it.
    """

    name: str
    layer: Layer
    mark: str
    """Words by which an agreement is remembered. They hold a hash, as a key is never written down."""

    @classmethod
    def of(cls, name: str, layer: Layer) -> Withheld:
        return cls(name, layer, f"{name} {sha256(_text(layer.values[name]).encode()).hexdigest()}")


def mark_addresses(layers: Sequence[Layer], names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the addresses that only a stranger's layer names, as (setting, layer). If this user named another address, that one applies."""
    found: list[tuple[str, str]] = []
    for layer, name in _of_strangers(layers, names):
        text, folder = _text(layer.values[name]), layer.stranger
        own = [_text(one.values[name]) for one in layers if one.stranger is None and name in one.values]
        others = [_text(one.values[name]) for one in layers if one is not layer and name in one.values]
        same = text not in others and text in map(printable_address, others)
        origin = origin_of(text)
        known = origin in map(origin_of, own) or (folder and vouched_entries(folder).has("address", origin))
        if same or (own and not known):  # the same: a study is never told the password
            del layer.values[name]
        elif not known:
            found.append((name, layer.label))
    return found


def withhold(layers: Sequence[Layer], usual: Mapping[str, object]) -> list[Withheld]:
    """Take these choices out of the layers of others, and return those that would be used if this user agreed.

    `usual` has the default of each. This user's own choice goes first.
    """
    found: list[Withheld] = []
    for layer, name in _of_strangers(layers, usual):
        one, folder = Withheld.of(name, layer), layer.stranger
        if any(other.stranger is None and name in other.values for other in layers):
            del layer.values[name]
        elif folder and _text(layer.values[name]).lower() != str(usual[name]).lower():
            known = vouched_entries(folder)
            if not known.has("key", one.mark) and "study" not in known.known:
                del layer.values[name]
                found.append(one)
    return found


def leave_out(layers: Sequence[Layer], names: Iterable[str]) -> None:
    """Take these choices out of the layers of others."""
    for layer, name in _of_strangers(layers, names):
        del layer.values[name]


def _of_strangers(layers: Sequence[Layer], names: Iterable[str]) -> list[tuple[Layer, str]]:
    given = [*names]
    own = [layer for layer in layers if layer.stranger is not None]
    return [(layer, name) for layer in own for name in given if layer.values.get(name) is not None]


def _text(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)
