"""The judge without a model lays a claim beside its evidence: what speaks against it is seen, whatever the words in common."""

from __future__ import annotations

import pytest
from drr.eval.evidence.lexical import support

SHOP = (
    "The Alder kettle holds 1.7 litres and costs $48. The Birch kettle holds 1.2 litres. Its lid may loosen after a year. "
    "Sales of the Alder kettle rose in May. The shop refuses to sell the Alder kettle abroad. Of nine kettles in the test the Alder was best and the Cedar worst. "
    "The test began in 2019 and ended three years later. Most buyers kept the Alder kettle."
)


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Alder kettle costs $48 and holds 1.7 litres.", "full"),
        ("The Alder kettle costs $38.", "none"),
        ("The Birch kettle holds 1.7 litres.", "none"),
        ("The lid of the Birch kettle loosens after a year.", "partial"),
        ("Sales of the Alder kettle rose in May because of rain.", "partial"),
        ("The shop sells the Alder kettle abroad.", "none"),
        ("The Cedar was the best of nine kettles in the test.", "none"),
        ("All buyers kept the Alder kettle.", "partial"),
        ("The kettles differ by 0.5 litres; the Alder holds more litres than the Birch.", "full"),
        ("Squirrels sleep through the winter in hollow oaks.", "none"),
    ],
)
def test_what_speaks_against_a_claim_is_seen(claim: str, label: str) -> None:
    found, which = support(claim, [SHOP])
    assert (found.label, which) == (label, 0), found.reason
    assert found.span is None or SHOP[found.span.start : found.span.end].strip()
