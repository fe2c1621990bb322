"""The judge without a model lays a claim beside its evidence: what speaks against it is seen, whatever the words in common."""

from __future__ import annotations

from hashlib import sha256

import pytest
from drr.eval.evidence.graded import WordVerdict, counted, settled
from drr.eval.evidence.laid_pair import LaidPair
from drr.eval.evidence.lexical import laid, sentences_of, support
from drr.eval.evidence.meant import Meaning
from drr.eval.evidence.weighed import LABELS as WEIGHED
from drr.eval.evidence.weighed import TraitTree, fitted, likelihoods, weigh
from drr.eval.stats.agreement import cohen_kappa
from pydantic import ValidationError

from benchmarks.support_fit import FOR, NEUTRAL, trait_names
from benchmarks.support_forms import LABELS, read_pairs
from benchmarks.support_pairs import FOLDER, judged

SHOP = (
    "The Alder kettle holds 1.7 litres and costs $48. The Birch kettle holds 1.2 litres. Its lid may loosen after a year. "
    "Sales of the Alder kettle rose in May. The shop refuses to sell the Alder kettle abroad. Of nine kettles in the test the Alder was best and the Cedar worst. "
    "The test began in 2019 and ended three years later. Most buyers kept the Alder kettle."
)


def ruled(claim: str, text: str) -> str:
    """What the rules say, before it is weighed."""
    return counted(laid(claim, sentences_of(text))).ruled.label


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
    assert ruled(claim, SHOP) == label and which == 0
    assert label == "full" or found.label != "full", found.reason
    assert found.span is None or SHOP[found.span.start : found.span.end].strip()


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Alder kettle holds 1.7 litres and costs $48.", "full"),
        ("The shop refuses to sell the Alder kettle abroad.", "full"),
        ("Its lid may loosen after a year.", "full"),
        (
            "The Birch kettle holds 1.2 litres, and it boils them in under two minutes by the maker's own test.",
            "partial",
        ),
        ("The Alder kettle does not hold 1.7 litres and costs $48.", "none"),
        ("Ferries to the islands leave on Tuesdays at noon.", "none"),
    ],
)
def test_what_stands_there_is_full_and_one_thing_exchanged_is_not(claim: str, label: str) -> None:
    found, _ = support(claim, [SHOP])
    assert found.label == label, found.reason


def _below(tree: TraitTree, node: int) -> list[float]:
    """All that a tree may add behind a question or an answer of its."""
    inner = len(tree.traits)
    if node >= inner:
        return [tree.adds[node - inner]]
    return _below(tree, 2 * node + 1) + (_below(tree, 2 * node + 2) if tree.traits[node] else [])


def test_no_trait_counts_on_the_other_side() -> None:
    """What is found never lowers what is to be expected, and what speaks against a claim never raises it, whatever writers' habits are."""
    weights = fitted()
    assert weights.traits <= set(trait_names()) >= FOR | NEUTRAL
    questions = [(tree, at, name) for tree in weights.trees for at, name in enumerate(tree.traits) if name]
    assert len(questions) > 100
    for tree, at, name in questions:
        lower, higher = _below(tree, 2 * at + 1), _below(tree, 2 * at + 2)
        if name in FOR:
            assert max(lower) <= min(higher), name
        elif name not in NEUTRAL:
            assert min(lower) >= max(higher), name


SURVEY = "A ladder should stand one foot out for each four feet up. A survey of 412 gardens found that 63 species visit feeders in winter. Builders say that screws hold more weight than nails."


@pytest.mark.parametrize(
    "claim",
    [
        "63 species visit feeders in summer, a survey of 412 gardens found.",
        "64 species visit feeders in winter, a survey of 412 gardens found.",
        "Nails hold more weight than screws, builders say.",
    ],
)
def test_a_copy_turned_round_with_something_exchanged_is_seen(claim: str) -> None:
    assert support(claim, [SURVEY])[0].label != "full"


@pytest.mark.parametrize(
    "claim",
    [
        "63 species visit feeders in winter, a survey of 412 gardens found.",
        "Screws hold more weight than nails, builders say.",
    ],
)
def test_a_copy_turned_round_alone_is_not_unsupported(claim: str) -> None:
    assert support(claim, [SURVEY])[0].label != "none"


def test_a_claim_of_which_a_part_is_not_there_is_not_full() -> None:
    text = "The Alder kettle holds 1.7 litres and is made of steel. It boils a litre in three minutes."
    whole = "The Alder kettle holds 1.7 litres and boils a litre in three minutes"
    more = f"{whole}, and its handle stays cool thanks to a cork sleeve."
    assert not counted(laid(whole, sentences_of(text))).ruled.lacking
    assert counted(laid(more, sentences_of(text))).ruled.lacking
    assert support(more, [text])[0].label == "partial"
    assert settled(WordVerdict("full", "", lacking=True), "full") == "partial"


def test_a_tree_adds_what_stands_behind_its_answers() -> None:
    tree = TraitTree(
        traits=("covered", "", "unsaid", "", "", "", ""),
        above=(0.5, 0, 0.2, 0, 0, 0, 0),
        adds=(-1, 0, 0, 0, 3, 0, 2, 0),
    )
    assert tree.adding({"covered": 0.5, "unsaid": 0.9}) == -1
    assert tree.adding({"covered": 0.6, "unsaid": 0.2}) == 3
    assert tree.adding({"covered": 0.6, "unsaid": 0.3}) == 2
    with pytest.raises(ValidationError, match="7 questions and 8 answers"):
        TraitTree(traits=("covered",), above=(0.5,), adds=(0, 1))


def test_the_more_is_to_be_expected_the_likelier_is_a_good_label() -> None:
    weights, found = fitted(), list[list[float]]()
    for step in range(41):
        likely = likelihoods(weights.likely, step / 20)
        assert min(likely.values()) >= 0 and sum(likely.values()) == pytest.approx(1)
        found.append([likely["none"], -likely["full"]])
    assert found == sorted(found, reverse=True)
    assert [weights.cuts.label(one) for one in (0.0, weights.cuts.partial, weights.cuts.full)] == list(
        WEIGHED
    )


RESTORED = "The restoration cost 10 million pounds. The heritage lottery paid 7.5 million pounds of it. Work ended in May."


@pytest.mark.parametrize(
    "claim",
    [
        "The church spent 17.5 million pounds on the gardens.",
        "The architects were paid 2.5 million pounds by the city council.",
    ],
)
def test_a_figure_that_only_may_be_worked_out_makes_no_claim_full(claim: str) -> None:
    found, _ = support(claim, [RESTORED])
    assert found.label != "full", found.reason


def test_a_figure_that_is_not_there_stands_below_the_weights() -> None:
    assert settled(WordVerdict("partial", "", scant=True), "full") == "partial"
    assert settled(WordVerdict("partial", ""), "full") == "full"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            RESTORED,
            "Some 2.5 million pounds of the cost of the restoration came from sources other than the lottery.",
        ),
        (SHOP, "Abroad nobody can buy the Alder kettle from the shop."),
        pytest.param(
            SHOP,
            "The nine kettles were tested for three years from 2019.",
            marks=pytest.mark.xfail(
                strict=True,
                reason="what is added is the closest sentence then, and the rest stands too far from it to be read with it",
            ),
        ),
        (SHOP, "Ferries to the islands leave on Tuesdays at noon."),
    ],
)
def test_words_that_are_added_to_the_evidence_lower_no_label(text: str, claim: str) -> None:
    words = claim.rstrip(".").split()
    for many in range(3, len(words) + 1):
        more = f"{text} {' '.join(words[:many])}."
        before, after = support(claim, [text])[0], support(claim, [more])[0]
        assert WEIGHED.index(after.label) >= WEIGHED.index(before.label), (more, before, after)


def test_the_weights_name_the_pairs_they_were_fitted_to() -> None:
    for one in fitted().fitted:
        if one.set.endswith("by people, not kept here"):
            continue
        name = one.set.partition(",")[0]
        (file,) = FOLDER.glob(f"*/{name}.jsonl")
        assert one.sha256 == sha256(file.read_bytes()).hexdigest(), one.set


def test_a_likelihood_below_the_bar_is_unsure() -> None:
    found = weigh(dict.fromkeys(fitted().traits, 0.0))
    assert sum(found.likely.values()) == pytest.approx(1) and tuple(found.likely) == WEIGHED
    assert found.unsure == (found.likely[found.label] < 0.6)
    assert settled(WordVerdict("none", "", contradicted=True, outvalued=True), "full") == "partial"
    assert settled(WordVerdict("none", "", contradicted=True), "full") == "full"
    assert settled(WordVerdict("none", "", absent=True), "full") == "none"
    assert settled(WordVerdict("full", "", there=True), "none") == "partial"


DESK = (
    "The Talma desk lifts 120 kg and is guaranteed for five years, its motor for two. It goes from 62 to 127 cm. A single costs $40, with a drawer $12 more. "
    "The drawer is sold separately. The old Talma I was made in Spain. Is it loud? No, at 48 dB you hardly hear it. "
    "Anna Roth, who founded the firm in 1998, sold it five years later. Her brother Karl runs the shop in Ghent. "
    "The maker hopes to bring a darker top. The Rivo desk is quieter than the Talma. Of nine buyers, seven would buy it again."
)


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The motor of the Talma is guaranteed for five years.", "none"),
        ("The Talma goes over a range of 65 cm.", "full"),
        ("With a drawer the Talma costs $52.", "full"),
        ("The Talma comes with a drawer.", "none"),
        ("The Talma is loud.", "none"),
        ("Anna Roth sold the firm in 2003.", "full"),
        ("Anna Roth runs the shop in Ghent.", "none"),
        ("The Talma is quieter than the Rivo desk.", "none"),
        ("The maker brings a darker top.", "partial"),
        ("The Talma lifts 102 kg.", "none"),
        ("The Talma lifts 120 kg and folds flat for transport by train.", "partial"),
        ("The Talma lifts 264.6 lb.", "full"),
        ("Most of the desks are shipped by sea from a port that nobody names.", "partial"),
    ],
)
def test_figures_names_and_denials_are_held_against_what_they_are_of(claim: str, label: str) -> None:
    assert ruled(claim, DESK) == label


@pytest.mark.parametrize(
    "claim",
    [
        "The Talma desk lifts 102 kg and is guaranteed for five years, its motor for two.",
        "The Rivo desk lifts 120 kg and is guaranteed for five years, its motor for two.",
        "The Talma desk lifts 120 kg and is not guaranteed for five years, its motor for two.",
        "Of nine buyers, seven would sell it again.",
    ],
)
def test_a_copy_with_something_exchanged_is_never_said(claim: str) -> None:
    found, _ = support(claim, [DESK])
    assert found.label == "none" and found.reason.startswith("the evidence has '"), found


@pytest.mark.parametrize(
    "claim",
    [
        "The Talma desk lifts 264.6 lb and is guaranteed for five years, its motor for two.",
        "The Talma desk raises 120 kg and is guaranteed for five years, its motor for two.",
        "The Talma desk lifts 120 kg and is guaranteed for five years.",
        "Of nine buyers, seven would purchase it again.",
    ],
)
def test_another_telling_of_a_figure_or_a_word_is_no_exchange(claim: str) -> None:
    assert LaidPair(laid(claim, sentences_of(DESK))).exchanged is None
    assert support(claim, [DESK])[0].label != "none"


@pytest.mark.parametrize(
    ("claim", "text", "least"),
    [
        ("The device is costly.", "The laptop is expensive. It is blue.", 0.6),
        ("The laptop is not cheap.", "The laptop is expensive. It is blue.", 0.5),
        ("The laptop was bought in May.", "They purchased the laptop in May. It is blue.", 0.9),
    ],
)
def test_a_word_is_said_by_another_of_its_meaning_by_one_of_its_kind_and_by_its_opposite_denied(
    claim: str, text: str, least: float
) -> None:
    found = Meaning(laid(claim, sentences_of(text)))
    assert found.said >= least and found.otherwise > 0


def test_a_kind_does_not_say_what_is_one_of_it() -> None:
    broad = Meaning(
        laid("The kettle broke in May.", sentences_of("The appliance broke in May. It was blue."))
    )
    assert broad.unsaid > 0


def test_opposites_are_opposed_where_both_are_said_and_not_where_one_is_denied() -> None:
    said = "The fan of the heater is loud at night. It is blue."
    denied = said.replace("loud", "not loud")
    claim = "The fan of the heater is quiet at night."
    assert (
        Meaning(laid(claim, sentences_of(said))).opposed
        > 0
        == Meaning(laid(claim, sentences_of(denied))).opposed
    )


def test_what_a_clause_tells_of_another_is_told_of_that_other() -> None:
    text = "We tried the Alder and the Birch. The Alder filled the tank quickly, but the Birch dripped on the floor."
    of_own = Meaning(laid("The Birch dripped on the floor.", sentences_of(text)))
    of_other = Meaning(laid("The Alder dripped on the floor.", sentences_of(text)))
    assert of_own.of_other == 0 < of_other.of_other


RECORD = """http://shop.example/B040VLCCZ7
Product: Tidewell Hypoallergenic Laundry Detergent Sheets, 60 Loads
Product id: B040VLCCZ7
Price: $15.99
Average rating: 4.0 out of 5 stars
Number of ratings: 64
Brand: Tidewell
Order: 2021-08-14, Tidewell Hypoallergenic Laundry Detergent Sheets"""


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        (
            "For: detergent sheets; Product: Tidewell Hypoallergenic Laundry Detergent Sheets; Price: $15.99; Rating: 4/5; Ratings: 64; Store: Tidewell",
            "full",
        ),
        ("On 2021-08-14 you ordered Tidewell Hypoallergenic Laundry Detergent Sheets.", "full"),
        ("On 2021-08-17 you ordered Tidewell Hypoallergenic Laundry Detergent Sheets.", "none"),
        ("You bought it before, on 2021-08-14.", "full"),
        ("Ordered by you on 2021-08-14: Tidewell Hypoallergenic Laundry Detergent Sheets.", "full"),
    ],
)
def test_a_row_about_a_record_is_held_against_its_fields(claim: str, label: str) -> None:
    found, _ = support(claim, [RECORD])
    assert found.label == label, found.reason


@pytest.mark.parametrize(
    ("name", "floor"),
    [
        ("strangers/support1", 0.43),
        ("strangers/support17", 0.58),
        ("strangers/support18", 0.47),
        ("strangers/support19", 0.6),
        ("pairs/products", 0.43),
        ("pairs/changed", 0.43),
        ("pairs/guides", 0.57),
    ],
)
def test_what_it_is_worth_does_not_fall(name: str, floor: float) -> None:
    found = judged(read_pairs(FOLDER / f"{name}.jsonl"))
    said, people = [one.said for one in found], [one.pair.label for one in found]
    value = cohen_kappa(said, people, categories=LABELS, weights="quadratic").value
    assert value is not None and value >= floor


def test_what_stands_nearly_whole_in_a_record_is_not_called_unsupported() -> None:
    rows = read_pairs(FOLDER / "pairs" / "records.jsonl")
    told = [
        row for row in rows if row.claim.startswith("Best choice: Gridline Stackable Desk Organizer, $15.00")
    ]
    assert [(row.label, one.said) for row in told for one in judged([row])] == [("full", "partial")]
