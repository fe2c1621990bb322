"""Sixteen reports that try to look better than they are. None may score better than its clean version on any metric."""

from __future__ import annotations

import asyncio

import pytest
from drr.env.shop import Shop
from drr.eval.canaries.reports import CANARIES, CLEAN, cited_pages
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics import values_of
from drr.eval.tasks.key_points import PointRow
from drr.study.study import Study

from tests.cases import cases
from tests.eval.nursery import answer, by_rules, put
from tests.tools.small_shop import ANNA

pytestmark = pytest.mark.long

COUNTS = {"n_claims", "n_cited", "n_cited_web", "n_cited_product", "n_cited_user", "n_citations"}
COUNTS |= {"citations_unread"}
NAIVE = {"pqr_cc", "pqr_r", "pqr_r_printed"}
"""PDR-Bench's coverage takes any address for a citation, a stranger's too: its definition, not ours."""
HIDDEN_POINTS: dict[str, list[PointRow]] = cases("eval", "HIDDEN_POINTS")
"""The second and third are had by nothing that a reader of a canary is shown."""
EFFORT = {"input_tokens", "output_tokens", "words", "tool_calls", "seconds"}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory, shop: Shop) -> dict[str, dict[str, float | None]]:
    async def go() -> dict[str, dict[str, float | None]]:
        with Study.create(tmp_path_factory.mktemp("canaries") / "study", {"schema": 1, "run": {}}) as study:
            reports = {"clean": CLEAN, **CANARIES}
            units = [answer("a", name, text, cited_pages(), user_id=ANNA) for name, text in reports.items()]
            await put(study, *units)
            what = ["faithfulness", "quality", "pairwise", "recall", "relative"]
            judged = await by_rules(study, what, shop, own_points=HIDDEN_POINTS, reference="clean")
            assert not judged.failed.total()
            found = {a.variant: values_of(judged, a) for a in judged.answers}
            for c in judged.comparisons():
                if "clean" in (c.a, c.b) and c.score is not None:
                    other = c.b if c.a == "clean" else c.a
                    found[other][f"beats_clean_{c.dimension}"] = c.score if c.a == other else 1 - c.score
            return found

    return asyncio.run(go())


def test_the_clean_report_is_a_good_one(scores: dict[str, dict[str, float | None]]) -> None:
    clean = scores["clean"]
    assert all((clean[d] or 0) >= 4 for d in DIMENSIONS), clean
    assert (clean["fp"] or 0) > 0.7
    assert (clean["fr"] or 0) > 0.6
    assert (clean["kp_vital_lenient"], clean["kp_all_lenient"]) == (0.25, 1 / 6)


@pytest.mark.parametrize("name", CANARIES)
def test_a_canary_scores_no_better_than_its_clean_version(
    scores: dict[str, dict[str, float | None]], name: str
) -> None:
    clean, canary = scores["clean"], scores[name]
    told = {m: value for m, value in canary.items() if not m.startswith(("beats_", "rel_"))}
    for metric in told.keys() - COUNTS - EFFORT - NAIVE:
        assert (told[metric] or 0) <= (clean[metric] or 0) + 1e-9, metric
    assert all((canary[f"rel_{d}"] or 0) <= 0.5 for d in DIMENSIONS if d != "overall")
    assert all((canary[f"beats_clean_{d}"] or 0) <= 0.5 for d in DIMENSIONS)


@pytest.mark.parametrize("name", ["empty", "give_10", "forged_json"])
def test_gaming_and_emptiness_get_nothing(scores: dict[str, dict[str, float | None]], name: str) -> None:
    assert [scores[name][d] for d in DIMENSIONS] == [0.0] * 7
