"""The task of extracting claims, by rule or with a model. Of a model's claims only those found in the report are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from drr.citations.addresses import host_of
from drr.env.progress import read_in_time
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.citation_rows import ClaimsResult
from drr.eval.tasks.desk import EXTRACTOR, Estimate, JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Claims, Judged, JudgingRun
from drr.study.unit import Outcome, Record, Unit

if TYPE_CHECKING:
    from drr.eval.asking.judge import Examiner


class ExtractionTask(Task[Answer]):
    name = "claims"
    version = 14
    # Only what rules extract changed since: with one version, models would be asked anew for nothing.
    asked_version = 11
    subject = "answer"
    role = EXTRACTOR
    by_code = True
    metrics = ("faithfulness",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Add the shop and its address to the versions, because they decide which sources there are and of which type."""
        shop = "" if desk.shop is None else desk.shop.manifest.content_hash
        shop_mark = text_id(f"{host_of(desk.shop_url)} {shop}")[:8]
        version = self.version_by(desk.judge_of(self.role).shown)
        return {
            f"{self.name}/{mode}": f"{desk.version(version, self.role, _prompt(desk, mode))}-{shop_mark}"
            for mode in desk.protocol.modes
        }

    def part(self, fields: Mapping[str, Any]) -> str:
        return f"{self.name}/{fields['mode']}"

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        for mode in desk.protocol.modes:
            fields = {"mode": mode, "answer": about.key, "report": text_id(about.report)}
            spec = {"answer": about.key, "mode": mode}
            yield self.unit(desk, f"claims \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        from drr.eval.evidence.claims import extract_by_rules, silent_sections
        from drr.eval.tasks.claim_extraction import Extraction, claim_rows, extract_in_tries

        answer = desk.answer(spec["answer"])
        # Within a deadline: a report is hostile text, and none may hold up a judging.
        citations = await read_in_time(answer.report, lambda: desk.citations(answer.report))
        if judge.rule_written:
            found = await read_in_time(answer.report, lambda: extract_by_rules(answer.report, citations))
            extraction = Extraction(found)
        else:
            prompt = desk.prompts[_prompt(desk, spec["mode"])].text
            extraction = await extract_in_tries(answer, citations, judge, prompt)
        rows = claim_rows(extraction, citations, desk.book(answer))
        if spec["mode"] == "cited":
            rows = [row for row in rows if row["urls"]]
        result: ClaimsResult = {
            "claims": rows,
            "rejects": dict(extraction.rejects),
            "by_rule": judge.rule_written,
            "silent": silent_sections(citations.body, extraction.claims),
        }
        # A model that takes no claim at any citation read badly: the report would seem to cite nothing.
        if not judge.rule_written and not any(claim.urls for claim in extraction.claims):
            result["untaken"] = citations.resolvable_count
        return Outcome({**result})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        claims = record.result["claims"] if record.done and not self.is_incomplete(record) else None
        rejects, silent = record.result.get("rejects", {}), record.result.get("silent", ())
        found = Claims(record.key, claims, rejects, record.reason, silent)
        judged.claims.setdefault(fields["mode"], {})[fields["answer"]] = found

    def is_incomplete(self, record: Record) -> bool:
        """Tell whether the model's claims cite nothing although the report has citations. Such an extraction says nothing about the report."""
        return bool(record.result.get("untaken"))

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        """Tell whether an extraction is part of this judging run. A repetition judges the same claims as the first run."""
        return bool(
            fields["protocol"] == judging.protocol
            and fields["judge"] == judging.extractor
            and not fields["repeat"]
            and fields["version"] == judging.versions.get(self.part(fields))
        )

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        if desk.judge_of(self.role).rule_written:
            return None
        return Estimate(len(desk.answer(unit.spec["answer"]).report) + 2500, 1800)

    def guess(self, desk: JudgingContext, about: Answer, judged: Judged) -> None:
        """Enter the claims that rules find, where none are known."""
        from drr.eval.evidence.claims import extract_by_rules
        from drr.eval.tasks.claim_extraction import Extraction, claim_rows

        if judged.checked_claims(about) is None:
            citations = desk.citations(about.report)
            extraction = Extraction(extract_by_rules(about.report, citations))
            rows = claim_rows(extraction, citations, desk.book(about))
            judged.claims.setdefault(desk.protocol.checked, {})[about.key] = Claims("", rows, {})


EXTRACTION = ExtractionTask()


def _prompt(desk: JudgingContext, mode: str) -> str:
    ask = desk.protocol.ask(f"claims/{mode}", "claims")
    assert ask is not None
    return ask.prompt
