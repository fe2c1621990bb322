"""Whether a text speaks to somebody else than the reader: a letter that he asks for, or that is written in his name."""

from __future__ import annotations

import re

from drr.env.entities import User
from drr.wording.letters import LETTERS

_HAVING = r"(?:own|owned|bought|ordered|purchased|had (?:the|this|that|one|it|mine|ours|two|three)(?! (?:pleasure|chance|time|honou?r|opportunity)\b))"
_AS_OWNER = re.compile(
    rf"\b(?:I|[Ww]e)(?:['’]ve| have| had)?(?: \w{{2,12}}ly| also| too| once| already)? {_HAVING}\b"
    r"|\b[Mm]ine (?:is|was|are|were|has|had|costs?)\b|\b(?:than|where|like|as|beside|against) mine\b"
    r"|\b(?:my|our) (?:own |last |first |latest )?(?:orders?|purchases?)\b"
)
"""What a buyer says of himself."""
_SIGNED = r"(?:^|[\n,.!?;–—-]|\b(?:[Yy]ours?|[Ll]ove|[Rr]egards|[Tt]hanks))[\s*_]{1,4}"


def speaks_to_others(question: str | None, body: str, user: User) -> bool:
    """Whether a name that the text greets may be another's than the reader's."""
    return (
        LETTERS.is_to_others(question or "")
        or _AS_OWNER.search(body) is not None
        or _is_signed_by(user, body)
    )


def _is_signed_by(user: User, body: str) -> bool:
    """Whether the reader's own name is the last word."""
    name = rf"{re.escape(user.first_name)}(?:\s{re.escape(user.last_name)})?"
    return re.search(rf"{_SIGNED}{name}[\s.*_]{{0,6}}$", body[-120:]) is not None
