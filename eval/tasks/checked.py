"""What the rules are told of an answer in a study: everything that was frozen with it."""

from __future__ import annotations

from typing import Any

from drr.citations.parse import canonical_url
from drr.env.session import Session
from drr.env.shop import Shop
from drr.eval.checks import Subject, urls_in
from drr.eval.evidence.answers import Answer

RULE_CODE = ("eval/checks/*.py", "citations/*.py", "eval/tasks/claims.py", "env/constraints.py")


def subject(answer: Answer, shop: Shop | None, shop_url: str) -> Subject:
    texts: dict[str, str] = {}
    for source in answer.sources:
        url = canonical_url(source.url)
        known = [texts.get(url), source.seen, source.page]
        texts[url] = "\n\n".join(dict.fromkeys(text for text in known if text))
    for extra in answer.extras:
        if extra.text:
            texts.setdefault(canonical_url(extra.url), extra.text)
    return Subject(
        answer.report,
        query=answer.query,
        constraints=answer.constraints,
        user_id=answer.user_id,
        shop=shop,
        session=_session(answer, shop),
        shop_urls=(shop_url,),
        returned=returned(answer),
        texts=texts,
    )


def returned(answer: Answer) -> frozenset[str] | None:
    """Every address that a tool showed; `None` where no tool calls are known."""
    calls = answer.tool_calls()
    if calls is None:
        return None
    shown = frozenset(canonical_url(source.url) for source in answer.sources)
    return shown | frozenset(map(canonical_url, urls_in(calls)))


def _session(answer: Answer, shop: Shop | None) -> Session | None:
    """The shop as the answer left it: its own changes of the profile are facts to it."""
    if shop is None or not answer.state_changes:
        return None
    session = Session(shop, answer.user_id)
    for change in answer.state_changes:
        fields: dict[str, Any] = {}
        outer, dot, inner = str(change["field"]).partition(".")
        fields[outer] = {inner: change["after"]} if dot else change["after"]
        session.update_user(str(change["user_id"]), fields)
    return session
