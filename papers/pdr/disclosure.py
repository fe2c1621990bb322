"""The data that may stand in no person and no context. It is e-mail, telephone, street, card number, and the shopper's own name and ids."""

from __future__ import annotations

import re

from drr.env.entities import User
from drr.wording.personal import personal_data

_USER_ID = re.compile(r"(?<![A-Za-z0-9])A[A-Z0-9]{12,27}(?![A-Za-z0-9])")


def disclosed(text: str, user: User | None = None) -> list[str]:
    """List the kinds of private data in the text. Without the user's record only what has a form of its own is found."""
    found = personal_data(text)
    if _USER_ID.search(text):
        found.append("a user id")
    return found + own_data(text, user)


def own_data(text: str, user: User | None) -> list[str]:
    """List what the text contains of this user's record."""
    if user is None:
        return []
    own = {
        "the surname": user.last_name,
        "the first name": user.first_name,
        "the e-mail address": user.email,
        "the telephone number": user.phone_number,
        "the street": user.address.address1,
        "the zip": user.address.zip,
    }
    return [
        name
        for name, value in own.items()
        if value and value in text and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
    ]
