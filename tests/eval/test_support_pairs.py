"""Pairs that people labelled are read as they are published, and the judge without a model is counted beside them."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from benchmarks.support_pairs import auc, judged, kappa, summary

TEXT = ["The Alder kettle holds 1.7 litres.", "It was made in Leeds from 2011 to 2019."]
WICE = [
    {"label": label, "claim": claim, "evidence": evidence, "meta": {"id": name, "claim_title": "Kettles"}}
    for label, claim, evidence, name in (
        ("supported", "The Alder kettle holds 1.7 litres.", TEXT, "dev1"),
        ("supported", "The Alder kettle holds 1.7 litres.", ["Another chunk."], "dev1"),
        (
            "partially_supported",
            "The Alder kettle was made in Leeds for kings and queens of tea.",
            TEXT,
            "dev2",
        ),
        ("not_supported", "Its maker was a friend of the queen.", TEXT, "dev3"),
    )
]
ATTRIBUTED = [
    {"id": f"set_{number}", "claim": claim, "references": TEXT, "attribution_label": label}
    for number, (claim, label) in enumerate(
        [
            ("The Alder kettle holds 1.7 litres.", "attributable"),
            ("It was made in Leeds until 2020, for kings and queens.", "not attributable"),
            ("Tea was drunk in China long before.", "not attributable"),
        ]
    )
]
OURS = [
    {"id": label, "claim": claim, "evidence": " ".join(TEXT), "label": label, "judge": "ann"}
    for label, claim in (("full", "It was made in Leeds."), ("none", "It boils water in a minute."))
]


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (WICE, ["full", "partial", "none"]),
        (ATTRIBUTED, ["full", "none", "none"]),
        (OURS, ["full", "none"]),
    ],
    ids=["WiCE", "AttributionBench", "ours"],
)
def test_each_published_form_is_read_and_counted(
    rows: list[dict[str, object]], labels: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    pairs = judged(path)
    assert [pair.label for pair in pairs] == labels
    assert kappa(pairs).value == auc(pairs) == 1
    assert summary("dev", pairs)[:3] == ["dev", len(labels), "1.00"]
