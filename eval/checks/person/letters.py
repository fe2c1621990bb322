"""Whether a text speaks to somebody else than the reader: a letter that he asks for, or that is written in his name."""

from __future__ import annotations

import re

from drr.env.entities import User

_SOMEBODY = r"(?:(?:my|our|his|her|their|the|an?)\s[a-z]|[A-Z][a-z])"
_TO_WHOM = re.compile(
    rf"\b(?i:write|writing|draft|send|reply|replies|respond|answer|explain|describe|letter|notes?|e-?mail|mail|message|text|card|postcard|memo)\b(?![ ](?:me|us)\b)[^.?!;\n]{{0,40}}?\b(?i:to)\s{_SOMEBODY}"
    r"|\b(?i:draft|letter|notes?|e-?mail|message|card|postcard|memo)\b[^.?!;\n]{0,40}?\b(?i:for)\s(?:(?:my|our)\s[a-z]|[A-Z][a-z])"
    rf"|\b(?i:tell|ask|inform|thank|warn|convince|remind|invite|congratulate)\s{_SOMEBODY}"
    r"|\b(?i:hand|give|send|show|forward|read|pass|share)\b[^.?!;\n]{0,20}\b(?i:to|with)\s(?i:my|our)\s"
)
"""A question for what is to be said to others; `write me` is for the reader."""
_AS_OWNER = re.compile(
    r"\b(?:I|[Ww]e)(?:['’]ve| have| had)?(?: \w{2,12}ly| also| too| once| already)? (?:own|owned|bought|ordered|purchased|had (?:the|this|that|one|it|mine|ours|two|three)(?! (?:pleasure|chance|time|honou?r|opportunity)\b))\b"
    r"|\b[Mm]ine (?:is|was|are|were|has|had|costs?)\b|\b(?:than|where|like|as|beside|against) mine\b"
    r"|\b(?:my|our) (?:own |last |first |latest )?(?:orders?|purchases?)\b"
)
"""What a buyer says of himself."""
_SIGNED = r"(?:^|[\n,.!?;–—-]|\b(?:[Yy]ours?|[Ll]ove|[Rr]egards|[Tt]hanks))[\s*_]{1,4}"


def speaks_to_others(question: str | None, body: str, user: User) -> bool:
    """Whether a name that the text greets may be another's than the reader's."""
    return (
        _TO_WHOM.search(question or "") is not None
        or _AS_OWNER.search(body) is not None
        or _is_signed_by(user, body)
    )


def _is_signed_by(user: User, body: str) -> bool:
    """Whether the reader's own name is the last word."""
    name = rf"{re.escape(user.first_name)}(?:\s{re.escape(user.last_name)})?"
    return re.search(rf"{_SIGNED}{name}[\s.*_]{{0,6}}$", body[-120:]) is not None
