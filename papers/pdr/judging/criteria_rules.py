"""The match of a report with a criterion, by words alone. The verdict of the judge `rules-2` where no surface is named.

Words that a report shares with a criterion show at most that it touches it; `docs/pqr.md` says what that is worth.
"""

from __future__ import annotations

from drr.eval.evidence.words import families

_TOP = 10.0


def words_of_criterion(shown: str, gist: str | None, report: str) -> tuple[float, str]:
    """Share of its words that one line of the report has. Its explanation, the lines behind the first, plays no part."""
    wanted = shown.partition("\n")[0] if gist is None else gist
    words = families(wanted)
    if not words:
        return 0.0, "no word of a report shows this to a judge without a model"
    share = max((_held(words, line) for line in report.split("\n") if line.strip()), default=0.0)
    return _TOP * share, f"a line of the report has {share:.0%} of its words"


def _held(words: frozenset[str], line: str) -> float:
    return len(words & families(line)) / len(words)
