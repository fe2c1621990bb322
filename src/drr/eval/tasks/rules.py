"""The task of checking a report by rules without a model, against the sources that were stored with the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from drr.citations.addresses import canonical_url
from drr.env.progress import read_in_time
from drr.env.session import Session
from drr.env.shop import Shop
from drr.eval.asking.judge import Examiner
from drr.eval.checks import RULES, check_report, document, figures_in
from drr.eval.checks.base import Subject, returned_by
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.study.unit import Outcome, Record, Unit


class CheckedTask(Task[Answer]):
    """The task with one unit for each report: all rules, whatever the judge and the protocol."""

    name = "rules"
    version = 6
    subject = "answer"
    metrics = ("rules",)
    asks = False

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {}

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        fields = {
            "task": self.name,
            "judge": "rules",
            "version": rules_version(self.version),
            "answer": about.key,
            "report": text_id(about.report),
            "shop": None if desk.shop is None else desk.shop.manifest.content_hash,
            "shop_url": desk.shop_url,
            "constraints": None if about.constraints is None else about.constraints.model_dump(mode="json"),
        }
        # Named only where set, so that keys of English shops in dollars stay, and nothing is checked again.
        if desk.shop is not None and desk.shop.manifest.currency:
            fields["currency"] = str(desk.money)
        language = desk.language or (desk.shop.manifest.language if desk.shop is not None else None)
        if language is not None:
            fields["language"] = language
        spec = {"task": self.name, "answer": about.key}
        yield Unit("judgement", fields, spec, f"rules \u00b7 {about.label}")

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        about = check_subject(desk.answer(spec["answer"]), desk.shop, desk.shop_url)
        about.language = desk.language
        checks = await read_in_time(about.report, lambda: check_report(about))
        return Outcome({"rules": document(checks), "figures": figures_in(about, checks)})

    def read(self, record: Record, judged: Judged) -> None:
        answer = record.key_fields["answer"]
        # Other rules may have checked this report before; only the last check counts.
        judged.rules.pop(answer, None)
        judged.unchecked.discard(answer)
        same = record.key_fields.get("version") == rules_version(self.version)
        (judged.by_other_rules.discard if same else judged.by_other_rules.add)(answer)
        if record.done:
            judged.rules[answer] = record.result["rules"]
            judged.figures[answer] = record.result.get("figures")
        else:
            judged.unchecked.add(answer)

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return True

    def finish_reading(self, judged: Judged) -> None:
        """Set the counts anew, so that checks by older rules are not counted twice."""
        if judged.rules or judged.unchecked:
            judged.units[self.name] = len(judged.rules) + len(judged.unchecked)
            judged.failed[self.name] = len(judged.unchecked)

    def estimate(self, desk: JudgingContext, unit: Unit) -> None:
        return None


CHECKED = CheckedTask()


def rules_version(task: int) -> str:
    """Return one version string for the task and all rules. When any rule changes, is added or removed, all reports are checked again."""
    rules = ", ".join(f"{name} {rule.version}" for name, rule in sorted(RULES.items()))
    return f"{task}-{text_id(rules)[:12]}"


def check_subject(answer: Answer, shop: Shop | None, shop_url: str) -> Subject:
    session = _session(answer, shop)
    return Subject(
        answer.report,
        query=answer.query,
        constraints=answer.constraints,
        user_id=answer.user_id,
        shop=shop if session is None else session.shop,
        session=session,
        shop_urls=(shop_url,),
        returned=returned_addresses(answer),
    )


def returned_addresses(answer: Answer) -> frozenset[str] | None:
    """Return every address that a tool showed to the agent; `None` where the tool calls are unknown."""
    calls = answer.tool_calls()
    if calls is None:
        return None
    shown = frozenset(canonical_url(url) for source in answer.sources for url in source.addresses)
    return shown | returned_by(calls)


def _session(answer: Answer, shop: Shop | None) -> Session | None:
    """Open the shop with the agent's changes to the profile, which are facts for this answer. `None` where there are none."""
    if shop is None or not answer.state_changes:
        return None
    session = Session(shop, answer.user_id)
    session.resume(answer.state_changes)
    return session
