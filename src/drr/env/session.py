"""A session: one agent run's private view of a shop, with writes that no other run sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from drr.env.entities import User
from drr.env.json_object import JsonObject
from drr.env.shop import Shop
from drr.env.text import person_key


@dataclass(frozen=True)
class Change:
    """A changed field of one user, before and after. `field` of an address is dotted."""

    user_id: str
    field: str
    before: Any
    after: Any


@dataclass
class Session:
    """A copy-on-write view of a shop: reads go to the store, and writes change only this view."""

    shop: Shop
    user_id: str | None
    open_access: bool = False
    _users: dict[str, User] = field(default_factory=dict, repr=False)
    _changes: list[Change] = field(default_factory=list, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def without_changes(self, user_id: str | None = None, *, shop: Shop | None = None) -> Session:
        """Return a session of this user, or of the given one, without this session's changes."""
        return Session(shop or self.shop, user_id or self.user_id, self.open_access)

    def resume(self, changes: Iterable[Change]) -> None:
        """Set the profile as recorded changes left it."""
        for change in changes:
            outer, dot, inner = change.field.partition(".")
            self.update_user(change.user_id, {outer: {inner: change.after} if dot else change.after})

    def user(self, user_id: str) -> User | None:
        found: User | None = self._users.get(user_id) or self.shop.kept(_user, user_id)
        return found

    def find_users(
        self, *, email: str | None = None, name: tuple[str, str] | None = None, limit: int = 50
    ) -> list[User]:
        """Find users as the store does, with this session's changes applied. A changed name is found by the new name only."""
        with self._lock:
            own = dict(self._users)
        found = {
            user.user_id: user
            # As many more as were changed here, since each of them may drop out of what the store finds.
            for user in self.shop.store.find_users(email=email, name=name, limit=limit + len(own))
            if user.user_id not in own
        }
        for user in own.values():
            by_email = email is None or person_key(user.email) == person_key(email)
            by_name = name is None or person_key(user.first_name, user.last_name) == person_key(*name)
            if (email is not None or name is not None) and by_email and by_name:
                found[user.user_id] = user
        return [found[user_id] for user_id in sorted(found)][:limit]

    def update_user(self, user_id: str, fields: Mapping[str, Any]) -> list[Change]:
        """Set the given fields (an address may be partial) for this session and return the changes.

        Raises `KeyError` for an unknown user, and `ValueError` for a field or a shape that a user does not have; nothing is changed then.
        """
        if fields.get("user_id", user_id) != user_id:
            raise ValueError("a user's id cannot be changed")
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


def _user(shop: Shop, user_id: str) -> User | None:
    return shop.store.user(user_id)


def _differences(before: JsonObject, after: JsonObject, prefix: str = "") -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    for name, old in before.items():
        new = after[name]
        if isinstance(old, dict):
            found += _differences(old, new, f"{prefix}{name}.")
        elif old != new:
            found.append((prefix + name, old, new))
    return found
