"""Claims beside their evidence with labels, as files hold them: in our own form, and in those of two public sets that people labelled.

A line of ours: `id`, `evidence_id`, `evidence`, `claim`, `label` (full, partial, none), `manner`. Of the public sets no text is kept here; who has the files can count again:

- WiCE (Kamoi et al., EMNLP 2023; annotations under ODC-BY): sentences of Wikipedia beside pages that they cite, `label`, `claim`, `evidence` (a list of sentences), `meta`.
  Of a claim that stands there with several chunks the first counts.
- AttributionBench (Li et al., 2024): sentences of answers beside what they cite, `claim`, `references`, `attribution_label`, `src_dataset`, `id`. It knows two labels:
  `attributable` is read as `full`, `not attributable`, which may be so in part, as `none`.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict

LABELS = ("none", "partial", "full")
HALVES = ("work", "sealed")
_WICE = {"supported": "full", "partially_supported": "partial", "not_supported": "none"}
_ATTRIBUTION = {"attributable": "full", "not attributable": "none"}


class SupportPair(BaseModel):
    """A claim, its evidence, and what careful people say of the two."""

    model_config = ConfigDict(extra="ignore")

    id: str
    evidence_id: str
    evidence: str
    claim: str
    label: str
    manner: str = ""

    @property
    def half(self) -> str:
        return HALVES[sha256(self.evidence_id.encode()).digest()[0] % 2]


class WiceMeta(BaseModel):
    id: str


class WiceRow(BaseModel):
    label: str
    claim: str
    evidence: list[str]
    meta: WiceMeta

    def pair(self) -> SupportPair:
        return SupportPair(
            id=self.meta.id,
            evidence_id=self.meta.id,
            evidence=" ".join(self.evidence),
            claim=self.claim,
            label=_WICE[self.label],
            manner="WiCE",
        )


class AttributionRow(BaseModel):
    id: str
    claim: str
    references: list[str]
    attribution_label: str
    src_dataset: str = ""

    def pair(self) -> SupportPair:
        evidence = "\n".join(self.references)
        return SupportPair(
            id=self.id,
            evidence_id=sha256(evidence.encode()).hexdigest()[:12],
            evidence=evidence,
            claim=self.claim,
            label=_ATTRIBUTION[self.attribution_label],
            manner=self.src_dataset,
        )


def read_pairs(path: Path) -> list[SupportPair]:
    found, chunked = list[SupportPair](), set[str]()
    for line in filter(bytes.strip, path.read_bytes().splitlines()):
        row = orjson.loads(line)
        if "attribution_label" in row:
            found.append(AttributionRow.model_validate(row).pair())
        elif row.get("label") in _WICE:
            pair = WiceRow.model_validate(row).pair()
            if pair.id not in chunked:
                found.append(pair)
            chunked.add(pair.id)
        else:
            found.append(SupportPair.model_validate(row))
    return found


def is_twofold(pairs: Sequence[SupportPair]) -> bool:
    """Whether their labels know no `partial`: what is supported in part is not supported then."""
    return bool(pairs) and all(pair.label != "partial" for pair in pairs)
