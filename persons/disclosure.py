"""What may stand in no person and no context: e-mail, telephone, street, card number, and the shopper's own name and ids."""

from __future__ import annotations

import re

from drr.env.entities import User
from drr.wording.personal import personal_data

_USER_ID = re.compile(r"(?<![A-Za-z0-9])A[A-Z0-9]{12,27}(?![A-Za-z0-9])")


def disclosed(text: str, user: User | None = None) -> list[str]:
    """What kinds of it there are. Without the user's record only what has a form of its own is found."""
    found = personal_data(text)
    if _USER_ID.search(text):
        found.append("a user id")
    if user is not None:
        own = {
            "the full name": rf"{re.escape(user.first_name)}\s+{re.escape(user.last_name)}",
            "the surname": re.escape(user.last_name),
            "the first name": re.escape(user.first_name),
            "the e-mail address": re.escape(user.email),
            "the telephone number": re.escape(user.phone_number),
            "the street": re.escape(user.address.address1),
            "the zip": re.escape(user.address.zip),
        }
        found += [name for name, value in own.items() if value and re.search(rf"(?<!\w){value}(?!\w)", text)]
    return list(dict.fromkeys(found))
