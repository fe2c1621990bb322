"""A session: one agent run's private view of a shop. Its writes are seen by itself only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from env.entities import User
from env.shop import Shop


@dataclass(frozen=True)
class Change:
    """One field of one user, before and after. `field` is dotted inside the address."""

    user_id: str
    field: str
    before: Any
    after: Any


@dataclass
class Session:
    """Copy-on-write over a shop: reads go through to the store, `update_user` stays here."""

    shop: Shop
    user_id: str | None
    open_access: bool = False
    _users: dict[str, User] = field(default_factory=dict, repr=False)
    _changes: list[Change] = field(default_factory=list, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def user(self, user_id: str) -> User | None:
        own = self._users.get(user_id)
        return own if own is not None else self.shop.store.user(user_id)

    def update_user(self, user_id: str, fields: Mapping[str, Any]) -> list[Change]:
        """Set the given fields (an address may be partial) for this session and say what changed; `KeyError` if unknown."""
        with self._lock:
            user = self.user(user_id)
            if user is None:
                raise KeyError(user_id)
            before = user.model_dump()
            after = {
                **before,
                **fields,
                "address": {**before["address"], **dict(fields.get("address") or {})},
            }
            updated = User.model_validate(after)
            changes = [
                Change(user_id, name, a, b) for name, a, b in _differences(before, updated.model_dump())
            ]
            self._users[user_id] = updated
            self._changes += changes
            return changes

    def changes(self) -> list[Change]:
        with self._lock:
            return list(self._changes)


def _differences(
    before: dict[str, Any], after: dict[str, Any], prefix: str = ""
) -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    for name, old in before.items():
        new = after[name]
        if isinstance(old, dict):
            found += _differences(old, new, f"{prefix}{name}.")
        elif old != new:
            found.append((prefix + name, old, new))
    return found
