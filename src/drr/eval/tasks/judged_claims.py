"""Puts a claim and its verdicts together: by type of source, and by all types together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drr.eval.stats.faithfulness import JOINT, Joint, JudgedClaim, Status, VerdictRow
from drr.eval.tasks.citation_rows import ClaimRow


def judged_claim(
    claim: ClaimRow,
    verdicts: Iterable[tuple[str, VerdictRow]],
    keeps: Sequence[str] | None,
    joint: Mapping[str, VerdictRow],
    *,
    seen_known: bool,
) -> JudgedClaim:
    """Build a claim with its verdicts. Of an imported report only the page is known, not the part that its agent read.

    `keeps` are the types that keep their own score; `None` where nobody judged the claim by all types together. `joint` are those
    judgements, by the name of each; what the agent saw has one of its own where it is another text.
    """
    rows = dict(verdicts)
    page: dict[str, Status | None] = {}
    seen: dict[str, Status | None] = {}
    for verdict in rows.values():
        (page if verdict["against"] == "page" else seen)[verdict["type"]] = verdict["status"]
    for source_type in claim.get("types") or (["web"] if claim["urls"] and not page else []):
        page.setdefault(source_type, None)
    together = None
    if keeps is not None and len(page) > 1:
        name = f"{claim['id']}-{JOINT}"
        own = {one: joint[one] for one in (name, f"{name}-seen") if one in joint}
        whole = own.get(name)
        shown = own.get(f"{name}-seen") if seen else whole
        together, rows = Joint(keeps, whole and whole["status"], shown and shown["status"]), {**rows, **own}
    read = {**page, **seen} if seen_known else dict.fromkeys(page)
    place = claim["start"], claim["end"]
    return JudgedClaim(
        *(claim["id"], page, read, claim["resolved"], claim["text"], *place, claim["urls"], rows, together)
    )
