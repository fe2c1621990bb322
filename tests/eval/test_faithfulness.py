"""Five reports computed by hand. Every expected figure below was worked out on paper from the verdicts listed beside it."""

import pytest
from drr.eval.stats.faithfulness import JudgedClaim, JudgedClaims, corpus_values, report_values


def claim(name, seen=None, **page):
    return JudgedClaim(name, page, seen if seen is not None else page)


# A: web 1, 0.5 -> 0.75; product 1, 0, 0.5, 1 -> 0.625; user 1. FP = (0.75 + 0.625)/2 = 0.6875. 8 claims, 7 cited.
#    Seen: web 1, 1 -> 1, so (1 + 0.625)/2 = 0.8125. Supported: c1 c2 c3 c5 c6 c7 = 6 of 8.
A = [
    claim("1", web="full"),
    claim("2", seen={"web": "full"}, web="partial"),
    claim("3", product="full"),
    claim("4", product="none"),
    claim("5", product="partial"),
    claim("6", product="full"),
    claim("7", user="full"),
    claim("8"),
]
# B: no web citations. product 1, 0 -> FP 0.5. 2 claims, both cited, 1 supported.
B = [claim("1", product="full"), claim("2", product="none")]
# C: no citation at all. FP None, FR 0 of 3.
C = [claim("1"), claim("2"), claim("3")]
# D: an unreachable and a blocked page, one readable. strict web (0 + 0 + 1)/3, product 1 -> FP 2/3; reachable (1 + 1)/2 = 1.
D = [
    claim("1", web="unreachable"),
    claim("2", web="blocked"),
    claim("3", web="full"),
    claim("4", product="full"),
]
# E: one claim with both types (none, full), one judge failure that is left out: web 0; product 1 -> 0.5.
#    Supported: the first by its product, the second unknown and left out -> 1 of 1. FR 2 of 2.
E = [claim("1", web="none", product="full"), claim("2", web="judge_error")]


def test_per_report_values():
    a, b, c, d, e = (report_values(x) for x in (A, B, C, D, E))
    exact = lambda x: pytest.approx(x, abs=1e-9)  # noqa: E731
    assert (a["fp"], a["fp_web"], a["fp_product"], a["fp_user"]) == (
        exact(0.6875),
        exact(0.75),
        exact(0.625),
        exact(1),
    )
    assert a["fp_3types"] == exact((0.75 + 0.625 + 1) / 3)
    assert a["fp_seen"] == exact(0.8125)
    assert (a["fr"], a["fr_supported"]) == (exact(7 / 8), exact(6 / 8))
    assert (a["n_cited"], a["n_cited_web"], a["n_cited_product"], a["n_cited_user"]) == (6, 2, 4, 1)
    assert (b["fp"], b["fp_web"], b["fr"], b["fr_supported"]) == (exact(0.5), None, exact(1), exact(0.5))
    assert (c["fp"], c["fr"], c["fr_supported"], c["n_cited"]) == (None, 0, 0, 0)
    assert (d["fp"], d["fp_strict"], d["fp_reachable"]) == (exact(2 / 3), exact(2 / 3), exact(1))
    assert (e["fp"], e["fr"], e["fr_supported"], e["n_cited"]) == (exact(0.5), 1, 1, 3)


def test_corpus_values_to_1e_9():
    reports = [JudgedClaims(f"q{i}", 0, claims) for i, claims in enumerate((A, B, C, D, E))]
    v = corpus_values(reports)
    expected = {
        "fp": (0.6875 + 0.5 + 2 / 3 + 0.5) / 4,
        "fp_strict": (0.6875 + 0.5 + 2 / 3 + 0.5) / 4,
        "fp_reachable": (0.6875 + 0.5 + 1 + 0.5) / 4,
        "fp_seen": (0.8125 + 0.5 + 2 / 3 + 0.5) / 4,
        "fp_web": (0.75 + 1 / 3 + 0) / 3,
        "fp_web_zero_filled": (0.75 + 0 + 0 + 1 / 3 + 0) / 5,
        "fp_product": (0.625 + 0.5 + 1 + 1) / 4,
        "fp_product_zero_filled": (0.625 + 0.5 + 0 + 1 + 1) / 5,
        "fp_user": 1.0,
        "fp_3types": ((0.75 + 0.625 + 1) / 3 + 0.5 + 2 / 3 + 0.5) / 4,
        # web 1 .5 0 0 1 0 is 2.5, product 1 0 .5 1 1 0 1 1 is 5.5: 8 of 14
        "fp_micro": 8 / 14,
        # two unreadable of the fourteen scored units
        "unreadable_rate": 2 / 14,
        "fr": (7 / 8 + 1 + 0 + 1 + 1) / 5,
        "fr_supported": (6 / 8 + 1 / 2 + 0 + 2 / 4 + 1) / 5,
        "n_claims": (8 + 2 + 3 + 4 + 2) / 5,
        "n_cited": (6 + 2 + 0 + 4 + 3) / 5,
        "n_cited_web": (2 + 0 + 0 + 3 + 2) / 5,
        "n_cited_product": (4 + 2 + 0 + 1 + 1) / 5,
        "n_cited_user": 1 / 5,
    }
    assert {name: v[name].value for name in expected} == pytest.approx(expected, abs=1e-9)
    assert set(expected) == set(v)
    assert (v["fp"].n, v["fp"].n_unscored) == (4, 1)
    assert (v["fp_web"].n, v["fp_web"].n_unscored) == (3, 2)
    assert (v["fp_micro"].n, v["fr"].n) == (4, 5)


def test_a_report_without_claims_is_unknown_not_perfect():
    values = report_values([])
    assert values["fp"] is values["fr"] is values["fr_supported"] is None
    assert values["n_claims"] == 0


def test_a_failed_extraction_is_unknown_and_counted():
    v = corpus_values([JudgedClaims("q1", 0, B), JudgedClaims("q2", 0, None)])
    assert all(
        (v[name].n, v[name].n_unscored) == (1, 1)
        for name in ("fp", "fr", "fr_supported", "n_cited", "fp_micro")
    )
    assert v["fp"].value == 0.5


def test_a_judge_failure_is_never_a_number():
    assert report_values([claim("1", web="judge_error")])["fp"] is None
    assert report_values([claim("1", web="not_frozen")])["fp"] is None
    assert report_values([claim("1", web=None)])["fp"] is None
    assert report_values([claim("1", web="judge_error")])["fr_supported"] is None


def test_trials_of_one_query_are_one_cluster():
    v = corpus_values(
        [JudgedClaims("q", t, claims) for t, claims in enumerate((B, B, D))] + [JudgedClaims("r", 0, D)]
    )
    assert v["fp"].value == pytest.approx(((0.5 + 0.5 + 2 / 3) / 3 + 2 / 3) / 2, abs=1e-9)
    assert v["fp"].n == 4
