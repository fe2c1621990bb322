"""What stands around a statement and may make it one of something else: each a trait that is weighed, and none that forbids.

Words of single forms (`more`, `if`, `your`, `ordered`) were tried as traits too, before, behind and in the sentence: by writers left out the weights
were better without them.
"""

from __future__ import annotations

from collections.abc import Iterator

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import EVERY, residue_of
from drr.wording.dates import dates


def traits_around(mentions: Mentions, cast: Cast, where: Span, *, row: Span | None) -> Iterator[str]:
    """The names of what speaks around a place, in its sentence or cell."""
    residue = residue_of(mentions)
    sentence = row or cast.prose.sentence_at(where[0])
    if residue.cites_the_web(sentence):
        yield "web"
    if row is not None:
        return
    clause = cast.prose.clause_at(where[0])
    for kind in sorted(EVERY):
        if residue.doubt(clause, (kind,)):
            yield f"doubt_{kind}"
    if cast.names_a_stranger(clause):
        yield "stranger_near"
    elif cast.names_a_stranger(sentence):
        yield "stranger"
    if "?" in mentions.plain[slice(*sentence)]:
        yield "asked"
    if next(iter(dates(mentions.plain, *sentence)), None) is not None:
        yield "dated"
