"""The task of comparing claims with their sources: what the judge is shown, and how its answers become verdicts.

An unreadable source is never shown as text; its status is the verdict. The judge answers by id. Ids that it left out are asked about
once more, alone; an id still missing is a `judge_error`. An answer that was cut off is never repaired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from drr.eval.evidence.answers import Answer
from drr.eval.stats.faithfulness import Against, Status, VerdictRow
from drr.eval.tasks.citation_rows import CitingClaim
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.study.unit import Outcome, Record, Unit

if TYPE_CHECKING:
    from drr.eval.asking.judge import Examiner
    from drr.eval.tasks.support_items import SupportItem


class ClaimTask(Task[Answer]):
    """A task whose verdicts are about claims."""

    subject = "claim-source"

    def items(self, desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
        """Return the items of a unit, as they stand in one request."""
        raise NotImplementedError

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Judge one unit. Pages that were fetched now are stored with the verdict; all other evidence is in the answer's record."""
        # Imported here: who reads kept verdicts needs none of what makes requests.
        from drr.eval.tasks.support_requests import judge_support

        items = self.items(desk, spec)
        verdicts = await judge_support(judge, desk.prompts, desk.protocol, items, about=(spec["answer"],))
        fresh = [source for item in items for source in item.readable] if desk.refetched is not None else []
        return Outcome(
            {"verdicts": verdicts}, {f"text:{source.sha256}": source.text or "" for source in fresh}
        )

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        from drr.eval.tasks.support_items import count_shown_characters

        shown = [item for item in self.items(desk, unit.spec) if item.needs_judge(desk.protocol)]
        if not shown:
            return None
        return Estimate(2300 + count_shown_characters(shown), 100 * len(shown))

    def is_incomplete(self, record: Record) -> bool:
        return any(one["status"] == "judge_error" for one in record.result["verdicts"].values())

    def counts(self, record: Record, judged: Judged) -> bool:
        """Tell whether a verdict is about the current claims. Verdicts on another extraction of the same report may be stored too."""
        claims = judged.claims.get(judged.way.checked, {}).get(record.key_fields["answer"])
        return claims is not None and claims.key == record.key_fields["claims"]


class SupportTask(ClaimTask):
    name = "support"
    version = 15
    needs: ClassVar[tuple[str, ...]] = ("claims",)
    metrics: ClassVar[tuple[str, ...]] = ("faithfulness",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        shown = "-whole" if desk.protocol.whole_pages else ""
        ask = desk.protocol.asks["support"]
        return {self.name: desk.version(self.version, self.role, ask.prompt) + shown}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        found = judged.checked_claims(about)
        if found is None or not found.claims:
            return
        from drr.eval.tasks.support_requests import batches_of, items_of

        claims = [claim for claim in found.claims if claim["urls"]]
        for group in batches_of(items_of(desk, about, claims), desk):
            ids = {item.claim_id for item in group}
            to_check: list[CitingClaim] = [
                {"id": claim["id"], "text": claim["text"], "urls": claim["urls"]}
                for claim in claims
                if claim["id"] in ids
            ]
            yield self.asked(desk, about, found.key, group, {"claims": to_check})

    def asked(
        self,
        desk: JudgingContext,
        about: Answer,
        claims: str,
        group: Sequence[SupportItem],
        spec: Mapping[str, Any],
        **more: Any,
    ) -> Unit:
        """Build the unit of items that are judged in one request. `claims` is the key of their extraction, `more` are further key fields."""
        from drr.eval.tasks.support_requests import support_asking

        names = [item.id for item in group]
        fields = {
            "answer": about.key,
            "claims": claims,
            "items": names,
            # A prompt shows no unreadable source, so its fingerprint cannot tell what could not be read.
            "statuses": [[s.status for s in item.sources] for item in group],
            "prompt": support_asking(desk.prompts, desk.protocol, group).fingerprint if group else "",
            "refetch": desk.refetched is not None,
            **more,
        }
        label = f"{self.name} {', '.join(names)} \u00b7 {about.label}"
        return self.unit(desk, label, fields, {"answer": about.key, "items": names, **spec})

    def items(self, desk: JudgingContext, spec: Mapping[str, Any]) -> list[SupportItem]:
        from drr.eval.tasks.support_requests import items_of, items_of_unit

        return items_of_unit(items_of(desk, desk.answer(spec["answer"]), spec["claims"]), spec)

    def read(self, record: Record, judged: Judged) -> None:
        """Enter the verdicts; all verdicts of a failed unit are failed verdicts."""
        here = self.verdicts(judged).setdefault(record.key_fields["answer"], {})
        if record.done:
            here.update(record.result["verdicts"])
            judged.failed[self.name] += self.is_incomplete(record)
            return
        for name in record.key_fields["items"]:
            claim_id, source_type, *rest = name.split("-")
            here[name] = failed_verdict(claim_id, source_type, "seen" if rest else "page", record)

    def verdicts(self, judged: Judged) -> dict[str, dict[str, VerdictRow]]:
        """Return the verdicts of this task so far, by answer and item."""
        return judged.support

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return super().belongs(fields, judging) and fields["refetch"] == judging.refetch

    def guess(self, desk: JudgingContext, about: Answer, judged: Judged) -> None:
        """Enter that every third claim of several types has none that says all of it, where nothing is known."""
        found = judged.checked_claims(about)
        several = [one for one in (found and found.claims) or () if len(one["types"]) > 1]
        if about.key not in judged.support:
            judged.support[about.key] = {
                f"{one['id']}-{t}": bare_verdict(one["id"], t, "page", "partial", "")
                for one in several[::3]
                for t in one["types"]
            }

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, item): verdict["status"]
            for answer, items in self.verdicts(judged).items()
            for item, verdict in items.items()
        }


SUPPORT = SupportTask()


def bare_verdict(
    claim_id: str, source_type: str, against: Against, status: Status, reason: str
) -> VerdictRow:
    """Build a verdict that no source was shown for."""
    return VerdictRow(
        claim_id=claim_id,
        type=source_type,
        against=against,
        sources=[],
        spans=[],
        status=status,
        reason=reason,
    )


def failed_verdict(claim_id: str, source_type: str, against: Against, record: Record) -> VerdictRow:
    """Build the verdict of an item whose unit failed as a whole."""
    return bare_verdict(claim_id, source_type, against, "judge_error", f"{record.reason}: {record.message}")
