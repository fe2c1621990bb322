"""What a report repeats of what its reader said or thought: `you mention ten orders, but the record has eight`."""

from __future__ import annotations

import re

_CLAIMED = re.compile(
    r"\b(?:you(?:['’]d|['’]ve|\shave|\shad|\smay\shave|\smight\shave)?\s(?:(?:just|also|first|once)\s)?(?:mention(?:ed)?|say|said|think|thought|wrote|write|remember(?:ed)?|recall(?:ed)?|guess(?:ed)?|ask(?:ed)?|assum(?:e|ed)|believed?|suspect(?:ed)?|estimated?|figured|expect(?:ed)?|spe(?:ak|oke)\sof|talk(?:ed)?\s(?:of|about)|had\sin\smind)"
    r"|your\s(?:guess|estimate|memory|recollection|impression|question|message)\s(?:\w{1,9}\s){0,2}(?:of|is|was|says?|said|mentions?|has)|rather\sthan|instead\sof|as\sopposed\sto)\b(?P<between>[^.;:!?|]{0,60})$",
    re.I,
)
_BUT = re.compile(r"\b(?:but|though|although|however|yet|while|whereas|and|record|history|actually)\b", re.I)
_FAR = 110


def is_claimed(body: str, low: int, at: int) -> bool:
    """Whether what stands at a place is only said to be what the reader said, or what was not so."""
    match = _CLAIMED.search(body, max(low, at - _FAR), at)
    return match is not None and _BUT.search(match["between"]) is None
