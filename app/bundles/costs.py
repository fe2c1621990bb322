"""Costs of units held against what they used: tokens times price, role by role, to the picodollar."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from drr.app.bundles.answers import is_ours
from drr.app.bundles.verified import Verified
from drr.env.json_object import JsonObject
from drr.eval.asking.rules import is_rules
from drr.llm.budget import Prices, Rates, TokenPrice, load_prices
from drr.llm.meter import PICO, Tokens, UsageRow, total_cost
from drr.study.bundle.parcel import StudyRow
from drr.study.form import reading
from drr.study.study import Study
from drr.study.unit import Record


def prices_of(study: Study, prices: Prices) -> JsonObject:
    """The prices behind what this study cost. One that explains not all of it is left out: it was another then."""
    records = study.records(None, None, current=False)
    rows = [row for record in records for row in record.usage.values()]
    known = {row["model"]: price for row in rows if (price := prices.of(row["model"])) is not None}
    priced = [row for row in rows if row["model"] in known]
    wrong = {row["model"] for row in priced if _is_unpriced(row) or not _fits(known[row["model"]], row)}
    return {model: _document(known[model]) for model in sorted(known.keys() - wrong)}


def _document(price: TokenPrice) -> JsonObject:
    return price.model_dump(mode="json", exclude_none=True)


def check_costs(study: Study, stated: StudyRow, found: Verified) -> None:
    """Hold every unit's cost against the prices that the bundle names, else against this program's."""
    own, least, all_tokens = load_prices(), {"cost": 0, "tokens": 0}, 0
    with reading("the prices of the bundle"):
        named = {model: TokenPrice.model_validate(document) for model, document in stated["prices"].items()}
    for model, price in named.items():
        known = own.of(model)
        if known is None or _document(known) != _document(price):
            theirs = "none" if known is None else json.dumps(_document(known))
            found.skip("costs", "", f"the price of {model} is the maker's; this program has {theirs}")
    for record in study.records(None, None, current=False):
        found.checked["costs"] += 1
        costs = [_picos(row["cost_usd"]) for row in record.usage.values()]
        if not record.made_elsewhere and _picos(record.cost_usd) != total_cost(costs):
            found.fail("costs", record.label, "its cost is not the sum of what its roles cost")
        ours = record.kind != "answer" or is_ours(record)  # others pay beside the study
        least["cost"] += ours * (_picos(record.cost_usd) or 0)
        for role, row in record.usage.items():
            tokens = row["input_tokens"] + row["output_tokens"]
            least["tokens"], all_tokens = least["tokens"] + ours * tokens, all_tokens + tokens
            _check_counts(role, row, record, found)
            if not row["calls"]:
                continue
            kept = named.get(row["model"]) or own.of(row["model"])
            if kept is None:
                found.skip("costs", "", f"what {row['model']} cost: its price is not known here")
            elif ours and _is_unpriced(row) and (row["model"] in named or not stated["spent"]["unpriced"]):
                found.fail("costs", record.label, f"{role}: of unknown cost, and what was asked has a price")
            elif ours and _is_unpriced(row):
                found.skip("costs", "", f"what {row['model']} cost: is not said, and has a price here")
            elif not _fits(kept, row):
                day = datetime.fromtimestamp(record.finished_at, UTC).date().isoformat()
                then = row["model"] not in named and day < (own.date_of(row["model"]) or own.date)
                (found.suspect if then else found.fail)("costs", record.label, _wrong(role, kept, row))
    _check_spent(least, all_tokens, stated, found)


def _check_spent(least: Mapping[str, int], all_tokens: int, stated: StudyRow, found: Verified) -> None:
    """Hold what the study spent against the sum of its units."""
    for name, count in least.items():
        if stated["spent"][name] < count:
            found.fail("costs", "", f"its units come to more {name} than the study is said to have spent")
    if (more := stated["spent"]["tokens"] - all_tokens) > 0:
        found.not_excluded.append(f"what {more:,} tokens bought that no unit here was billed for")


def _check_counts(role: str, row: UsageRow, record: Record, found: Verified) -> None:
    """Hold the counts of a role against each other and against the model that its key names."""
    written, cached = row["cache_write_tokens"], row["cache_read_tokens"]
    least = min(written, cached, row["output_tokens"], row["calls"], row["input_tokens"] - written - cached)
    used = row["input_tokens"] or row["output_tokens"] or row["cost_usd"]
    if least < 0 or (used and not row["calls"]):
        found.fail("costs", record.label, f"{role}: counts of tokens that cannot be")
    elif 0 < row["input_tokens"] == cached:
        found.suspect("costs", record.label, f"{role}: all that it read came from the provider's cache")
    fields = record.key_fields
    models, judge = fields.get("models"), str(fields.get("judge"))
    named = judge if record.kind == "judgement" and not is_rules(judge) else row["model"]
    if models and is_ours(record):
        named = models.get(role)
    if row["calls"] and named != row["model"]:
        found.fail("costs", record.label, f"{role}: paid for {row['model']}, its key names another model")
    if row["unmetered"] and row["cost_usd"] is not None:
        found.fail("costs", record.label, f"{role}: says what calls cost that told no tokens")


def _is_unpriced(row: UsageRow) -> bool:
    """Tell whether its tokens were counted, and its cost was not."""
    return row["cost_usd"] is None and not row["unmetered"]


def _picos(dollars: float | None) -> int | None:
    return None if dollars is None else round(dollars * PICO)


def _fits(price: TokenPrice, row: UsageRow) -> bool:
    cost, (least, most) = _picos(row["cost_usd"]), _ends(price, row)
    return cost is None or least <= cost <= most


def _wrong(role: str, price: TokenPrice, row: UsageRow) -> str:
    least = _ends(price, row)[0] / PICO
    return f"{role}: ${row['cost_usd'] or 0.0:.6f} for tokens of {row['model']} that cost ${least:.6f}"


def _ends(price: TokenPrice, row: UsageRow) -> list[int]:
    """The least and the most that these tokens cost. Which prompts were long, with a price of their own, nobody knows."""
    cached = row["cache_read_tokens"], row["cache_write_tokens"]
    used = Tokens(row["input_tokens"], row["output_tokens"], *cached)
    return sorted((Rates.cost(price, used), Rates.cost(price.long or price, used)))
