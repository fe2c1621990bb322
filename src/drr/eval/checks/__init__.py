"""The registry of the rules that check a report without a model, one line each.

They decide only on literal facts in structured places; everything else is `unverifiable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.env.plugins import load
from drr.env.shop import money_of
from drr.eval.checks.results import Check, CheckRow
from drr.wording.currency import DOLLARS, Currency

if TYPE_CHECKING:
    from drr.eval.checks.base import Subject
    from drr.eval.checks.mentions import Mentions
    from drr.eval.checks.reading import FiguresRow

_COUNTED = frozenset({"checked", "failed", "unverifiable", "missing", "currency"})
"""Keys of a tally that the text already covers, in its first words or by the lines of evidence."""
_AMOUNTS = frozenset({"total", "limit"})


def tally_text(value: Any, currency: Currency = DOLLARS) -> str:
    """Put a tally into words; a value of another form is listed part by part."""
    if not isinstance(value, Mapping):
        return plain_text(value)
    code = value.get("currency", DOLLARS.code)
    own = currency if currency.code == code else Currency(code)
    parts = [_counts(value)] if "checked" in value else []
    for name, one in value.items():
        if (name not in _COUNTED or not parts) and one is not None and one != []:
            shown = own.text(one) if name in _AMOUNTS and isinstance(one, (int, float)) else plain_text(one)
            part = f"{name.replace('_', ' ')} {len(one) if isinstance(one, list) else shown}"
            parts.append(f"limit read: {shown.removesuffix('.00')} in all" if name == "limit" else part)
    return "; ".join(parts)


def _counts(value: Mapping[str, Any]) -> str:
    checked, failed, open_ = (value.get(name) or 0 for name in ("checked", "failed", "unverifiable"))
    if not checked:
        return f"nothing decided, {open_:,} open" if open_ else "nothing to check"
    counts = f"{checked:,} checked, {f'{failed:,} wrong' if failed else 'none wrong'}"
    return counts + (f", {open_:,} open" if open_ else "")


def kinds_text(value: Any, currency: Currency = DOLLARS) -> str:
    """Put kinds of faults and their numbers into words."""
    if not isinstance(value, Mapping):
        return plain_text(value)
    counts = [f"{plain_text(count)} \u00d7 {kind.replace('_', ' ')}" for kind, count in value.items()]
    return ", ".join(counts) or "no fault"


def plain_text(value: Any) -> str:
    """Write any JSON value without its signs."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(_fields(value))
    if isinstance(value, list):
        return ", ".join(filter(None, map(plain_text, value)))
    return str(value)


def _fields(value: Mapping[str, Any]) -> Iterator[str]:
    for name, one in value.items():
        if one is not None and one != []:
            yield f"{str(name).replace('_', ' ')} {plain_text(one)}"


class Rule(NamedTuple):
    """A rule: where its function stands, and its version. Every change that can change a result raises the version."""

    place: str
    """`module:function`, imported when a report is checked. A module without a dot stands here."""
    version: str
    text_of: Callable[[Any, Currency], str] = tally_text
    """Function that puts the rule's value into words."""
    reads_figures: bool = False
    """True if the rule compares figures with known ones."""

    @property
    def check(self) -> Callable[[Subject, Mentions], Check]:
        """Import the function that checks a report."""
        found: Callable[[Subject, Mentions], Check] = load(
            self.place if "." in self.place else f"{__name__}.{self.place}"
        )
        return found


RULES: dict[str, Rule] = {
    "in_catalogue": Rule("catalogue:in_catalogue", "117"),
    "outside_shop": Rule("catalogue:outside_shop", "113"),
    "name_matches_id": Rule("catalogue:name_matches_id", "117"),
    "price": Rule("products:price", "130", reads_figures=True),
    "rating": Rule("products:rating", "126", reads_figures=True),
    "total": Rule("money:total", "126", reads_figures=True),
    "budget": Rule("money:budget", "126", reads_figures=True),
    "order_facts": Rule("orders:order_facts", "130", reads_figures=True),
    "privacy": Rule("profile:privacy", "116"),
    "profile_facts": Rule("profile:profile_facts", "117", reads_figures=True),
    # The document promises seventeen names, so a rule that is given up keeps its own and says so.
    "statistics": Rule("text:given_up", "200"),
    "duplicates": Rule("text:duplicates", "115"),
    "citation_hygiene": Rule("citing:citation_hygiene", "113", kinds_text),
    "fabricated_citation": Rule("citing:fabricated_citation", "114"),
    "numbers_in_evidence": Rule("text:given_up", "200"),
    "product_claims": Rule("products:product_claims", "124", reads_figures=True),
    "process_text": Rule("text:process_text", "114"),
}
"""Pages list errors in this order."""


def check_report(subject: Subject) -> dict[str, Check]:
    """Run every rule and return the results by name."""
    from drr.eval.checks.mentions import Mentions

    read, stood = subject.in_dollars
    mentions = Mentions(read)
    found = {name: rule.check(read, mentions) for name, rule in RULES.items()}
    # Rules read English and dollars; people are shown the report's own words and places.
    if stood is None:
        return found
    money, numbers = money_of(subject.shop), {one.order.order_id: one.number for one in read.named}
    return {name: check.as_written(stood, numbers).in_currency(money) for name, check in found.items()}


def figures_in(subject: Subject, checks: Mapping[str, Check]) -> FiguresRow:
    """Count a report's figures, and those that a rule decided."""
    from drr.eval.checks.reading import figures_read

    return figures_read(subject, (checks[name] for name, rule in RULES.items() if rule.reads_figures))


def value_text(name: str, value: Any, currency: Currency = DOLLARS) -> str:
    """Put a rule's value into words, also that of a rule that no longer exists."""
    rule = RULES.get(name)
    return plain_text(value) if rule is None else rule.text_of(value, currency)


def document(checks: dict[str, Check]) -> dict[str, CheckRow]:
    """Return the form that `drr judges check --json` prints."""
    return {name: check.document() for name, check in checks.items()}
