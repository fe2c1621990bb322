"""Pairs of public sets are read as they are published, and what people's labels say of the judge without a model stands before what a writer's do."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from drr.eval.stats import worth as kept
from drr.offline.judge import RulesJudge

from benchmarks.support_forms import SupportPair, read_pairs
from benchmarks.support_pairs import JudgedPair, confusion, judged, kappa, summary

TEXT = ["The Alder kettle holds 1.7 litres.", "It was made in Leeds from 2011 to 2019."]
WICE = [
    {"label": label, "claim": claim, "evidence": evidence, "meta": {"id": name, "claim_title": "Kettles"}}
    for label, claim, evidence, name in (
        ("supported", "The Alder kettle holds 1.7 litres.", TEXT, "dev1"),
        ("supported", "The Alder kettle holds 1.7 litres.", ["Another chunk."], "dev1"),
        ("partially_supported", "The Alder kettle was made in Leeds for kings.", TEXT, "dev2"),
        ("not_supported", "Its maker was a friend of the queen.", TEXT, "dev3"),
    )
]
ATTRIBUTED = [
    {"id": f"set_{number}", "claim": claim, "references": TEXT, "attribution_label": label, "src_dataset": "set"}
    for number, (claim, label) in enumerate(
        [
            ("The Alder kettle holds 1.7 litres.", "attributable"),
            ("It was made in Leeds from 2011 to 2019, for kings and queens.", "not attributable"),
            ("Tea was drunk in China long before.", "not attributable"),
        ]
    )
]  # fmt: skip


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def test_one_chunk_of_a_claim_of_wice_counts(tmp_path: Path) -> None:
    pairs = read_pairs(written(tmp_path / "dev.jsonl", [dict(row) for row in WICE]))
    assert [(pair.id, pair.label) for pair in pairs] == [("dev1", "full"), ("dev2", "partial"), ("dev3", "none")]  # fmt: skip
    assert pairs[0].evidence == " ".join(TEXT)
    assert kappa(judged(pairs)).value is not None


def test_two_labels_are_held_against_what_is_called_full(tmp_path: Path) -> None:
    pairs = read_pairs(written(tmp_path / "dev.jsonl", [dict(row) for row in ATTRIBUTED]))
    assert [pair.label for pair in pairs] == ["full", "none", "none"]
    assert pairs[0].evidence == "\n".join(TEXT)
    said = [JudgedPair(pair, label, "") for pair, label in zip(pairs, ("full", "partial", "none"), strict=True)]  # fmt: skip
    assert kappa(said).value == 1, "supported in part is not supported"
    assert summary("dev", said)[-1] == "100%"
    assert "| partial |" not in confusion(said)


def test_three_labels_are_weighed() -> None:
    pairs = [
        SupportPair(id=label, evidence_id=label, evidence="It is so.", claim="It is so.", label=label)
        for label in ("none", "partial", "full")
    ]
    said = [JudgedPair(pair, "full" if pair.label == "partial" else pair.label, "") for pair in pairs]
    value = kappa(said).value
    assert value is not None and 0 < value < 1


def entry(name: str, *, by: str, kappa: float, version: int) -> dict[str, object]:
    return {"set": name, "date": "2026-01-01", "version": version, "by": by, "pairs": 9, "kappa": kappa, "low": 0, "high": 1}  # fmt: skip


def test_people_stand_before_writers_and_the_lowest_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        entry("old", by="people", kappa=0.01, version=1),
        entry("high", by="people", kappa=0.4, version=2),
        entry("mean", by="people", kappa=0.3, version=2),
        entry("low", by="people", kappa=0.1, version=2) | {"twofold": True},
        entry("model", by="writer", kappa=0.5, version=2),
    ]
    measured = tuple(kept.MeasuredWorth.model_validate(row) for row in rows)
    monkeypatch.setattr(kept, "measured", lambda: measured)
    told = kept.worth(2)
    assert told.index("0.10") < told.index("0.30") < told.index("0.50")
    assert "0.01" not in told and "0.40" not in told and "changed" not in told
    assert told.index("people's labels") < told.index("a language model's")
    assert "changed since they were measured" in kept.worth(3) and "by version 2" in kept.worth(3)


def test_the_banner_says_what_people_say() -> None:
    assert any(one.by == "people" for one in kept.measured())
    assert "people's labels" in RulesJudge.banner
