"""Contexts hold to their standard, the same seed gives the same bytes, a planted fault is found wherever it lies, and a changed file is never read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from random import Random

import pytest
from drr.env.entities import User
from drr.env.errors import DrrError, Misuse
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.papers.pdr.build import draw_attributes
from drr.papers.pdr.context import (
    BuiltContext,
    ContextItem,
    Contexts,
    ItemTruth,
    parse_sizes,
    rarely_expressed,
    read_contexts,
    read_truth,
    text_of,
    tokens_of,
)
from drr.papers.pdr.context_build import ContextWorks, build_context
from drr.papers.pdr.context_check import item_faults, persons_of
from drr.papers.pdr.material import PersonMaterial, ProductSample
from drr.papers.pdr.person import Attribute, Person, read_persons
from drr.papers.pdr.words import invented_traits, key_of, record_traits, values_of
from drr.wording.states import STATES

from tests.cases import cases
from tests.commands import Drr, drr
from tests.persons.remembering import write_contexts
from tests.persons.shopper import ANNA

DOG = Attribute(id="pets-dogs", block="pets", statement="shares the household with a dog", basis="records")
PERSON = Person(person_id="p-1", attributes=(DOG,))
ITEMS = [
    ContextItem(
        id=f"x{9 - n}", date=f"2022-0{9 - n}-01", kind="note", text=f"Remember the treats, number {n}."
    )
    for n in range(5)
]
TRUTHS = [ItemTruth(id=item.id, expresses=("pets-dogs",)) for item in ITEMS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "contexts"
    built = BuiltContext(PERSON, ITEMS, TRUTHS, {"1k": 2, "2k": 5})
    write_contexts(path, [built], sizes={"1k": 1000, "2k": 2000})
    return path


def test_a_larger_size_holds_the_smaller_and_the_oldest_come_first(folder: Path) -> None:
    contexts = read_contexts(folder)
    small, large = (contexts.items("p-1", size) for size in contexts.sizes)
    assert set(small) == set(ITEMS[:2]) < set(large)
    assert [item.date for item in large] == sorted(item.date for item in large)
    text = contexts.text("p-1", "2k")
    assert tokens_of(text) == contexts.manifest.persons["p-1"].tokens["2k"]
    assert "pets-dogs" not in text and ITEMS[0].id not in text
    assert contexts.hash("p-1", "1k") != contexts.hash("p-1", "2k")
    assert contexts.manifest.persons["p-1"].few == {"1k": {"pets-dogs": 2}}


def test_the_truth_is_read_on_its_own(folder: Path) -> None:
    contexts = read_contexts(folder)
    (folder / "p-1" / "truth.jsonl").unlink()
    assert contexts.text("p-1", "2k")
    with pytest.raises(Misuse, match="cannot be read"):
        read_truth(contexts, "p-1")


def test_the_same_items_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    built = BuiltContext(PERSON, ITEMS, TRUTHS, {"1k": 2, "2k": 5})
    write_contexts(again, [built], sizes={"1k": 1000, "2k": 2000})
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(names) == 5
    assert all((folder / name).read_bytes() == (again / name).read_bytes() for name in names)


def test_what_was_changed_is_told(folder: Path) -> None:
    items, manifest = folder / "p-1" / "items.jsonl", folder / "manifest.json"
    items.write_text(items.read_text().replace("treats", "sweets"))
    with pytest.raises(DrrError, match="not what the manifest names"):
        read_contexts(folder).text("p-1", "1k")
    document = json.loads(manifest.read_text())
    document["persons"]["p-1"]["tokens"]["1k"] += 1
    manifest.write_text(json.dumps(document))
    with pytest.raises(Misuse, match="was changed"):
        read_contexts(folder)


def test_what_is_not_there_is_misuse(folder: Path) -> None:
    for person, size, why in (("p-1", "4k", "it has 1k, 2k"), ("p-2", "1k", "no context of the person p-2")):
        with pytest.raises(Misuse, match=why):
            read_contexts(folder).text(person, size)
    with pytest.raises(Misuse, match="no folder of contexts"):
        read_contexts(folder.parent)


def test_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(Misuse, match="not empty"):
        write_contexts(tmp_path, [], sizes={"1k": 1000})
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_sizes_are_read_as_people_write_them() -> None:
    assert parse_sizes("32k, 8k,500") == {"500": 500, "8k": 8000, "32k": 32000}
    for wrong in ("8K", "", "0k", "8k;9k", "10"):
        with pytest.raises(Misuse, match="--tokens"):
            parse_sizes(wrong)


Plant = tuple[Person, User | None, ContextItem]
PLANTED = 100


@pytest.fixture(scope="module")
def contexts(contexts_folder: Path) -> Contexts:
    return read_contexts(contexts_folder)


@pytest.fixture(scope="module")
def persons(contexts: Contexts) -> list[Person]:
    return list(persons_of(contexts).values())


@pytest.fixture(scope="module")
def users(persons: list[Person], sample_shop: Path) -> dict[str, User]:
    with open_shop(str(sample_shop), Settings()) as shop:
        found = {one.person_id: shop.store.user(one.user_id or "") for one in persons}
    return {key: user for key, user in found.items() if user is not None}


@pytest.mark.long
def test_every_context_passes_every_check(contexts_folder: Path, sample_shop: Path, drr: Drr) -> None:
    document = drr.json("papers", "context", "check", contexts_folder, "--shop", sample_shop)
    assert document["faults"] == []
    for size in document["sizes"].values():
        assert 0.98 * size["asked"] <= size["tokens"]["fewest"] <= size["tokens"]["most"] <= size["asked"]
        assert 0.2 <= size["conversational"] <= 0.5
        assert size["noise"] > 0.1


def test_five_items_show_each_attribute_where_there_is_room_and_the_rest_is_said(contexts: Contexts) -> None:
    entries = contexts.manifest.persons.values()
    assert all("8k" not in one.few for one in entries)
    assert any(one.few.get("4k") for one in entries)


@pytest.mark.long
def test_a_size_is_full_whatever_streams_had_to_say_last(sample_shop: Path, persons: list[Person]) -> None:
    """Of a person without a theme a dozen notes about the app were all that was tried: 7,750 of 8,000 tokens; and
    in a small shop a stream that had no more to say ended a size though others had: 15,185 of 32,000."""
    sizes = {"1k": 1000, "3k": 3000, "8k": 8000, "48k": 48_000}
    plain = [one.model_copy(update={"attributes": one.attributes[:1]}) for one in persons[5:15]]
    assert {one.attributes[0].block for one in plain} == {"place"}
    with open_shop(str(sample_shop), Settings()) as shop:
        works = ContextWorks(shop, [*persons[:5], *plain], sizes, 7)
        every = [works.built(person) for person in [*persons[:5], *plain]]
    assert any(rarely_expressed(one, one.counts["1k"]) for one in every)
    off = [
        (one.person.person_id, size, tokens)
        for one in every
        for size, asked in sizes.items()
        if not 0.98 * asked <= (tokens := tokens_of(text_of(tuple(one.items[: one.counts[size]])))) <= asked
    ]
    assert off == []


def test_where_there_is_nothing_more_to_say_the_manifest_says_so_and_the_check_reports_it(
    sample_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    person, sizes = Person(person_id="p-1", attributes=()), {"2k": 2000, "64k": 64_000}
    with open_shop(str(sample_shop), Settings()) as shop:
        wares = ProductSample(islice(shop.store.iter_products(), 1), 7)
    material = PersonMaterial(person, None, [], wares, Random(7))
    write_contexts(tmp_path, [build_context(person, material, None, sizes, 7)], sizes=sizes)
    made = read_contexts(tmp_path).manifest.persons["p-1"]
    assert made.tokens["2k"] >= 1960 and made.tokens["64k"] < 0.98 * 64_000
    assert made.short == {"64k": "all that can be said of the person is there"}
    assert drr("papers", "context", "check", tmp_path) == 1
    told = capsys.readouterr().out
    assert (
        f"tokens: 64k: {made.tokens['64k']:,} tokens, 64,000 were asked for; all that can be said of" in told
    )


def test_what_expresses_nothing_is_noise_and_the_orders_express_what_they_are_evidence_for(
    contexts: Contexts, persons: list[Person]
) -> None:
    for person in persons[:5]:
        truths = read_truth(contexts, person.person_id)
        assert all(truth.noise == (not truth.expresses) for truth in truths.values())
        kinds = {item.kind for item in contexts.items(person.person_id, "8k") if truths[item.id].expresses}
        assert {"purchase", "dialogue", "note"} <= kinds


@pytest.mark.long
def test_the_number_of_workers_changes_no_byte(
    contexts_folder: Path, sample_persons: Path, sample_shop: Path, tmp_path: Path
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(sample_persons.read_text().splitlines(keepends=True)[:2]))
    again = tmp_path / "again"
    words = ("--shop", sample_shop, "--tokens", "4k,8k", "--out", again, "--workers", "2", "--quiet")
    assert drr("papers", "context", "build", few, *words) == 0
    parts = [path for path in again.rglob("*") if path.is_file() and path.parent != again]
    assert len(parts) == 6
    for path in parts:
        assert path.read_bytes() == (contexts_folder / path.relative_to(again)).read_bytes()


# -- planted faults


def future(person: Person, rng: Random) -> tuple[str, str]:
    return f"{rng.randint(2024, 2031)}-05-11", "Oil the hinges."


def own_words(person: Person, rng: Random) -> tuple[str, str]:
    return (
        "2020-01-01",
        f"They know that this household {rng.choice(person.attributes).statement}, so they say.",
    )


def name(person: Person, rng: Random) -> tuple[str, str]:
    user = USERS[person.person_id]
    return "2020-01-01", rng.choice(
        [
            f"Parcel for {user.first_name} at the door.",
            f"Mrs. {user.last_name} called about the hose.",
            f"Write from {user.email} again.",
            f"Send it to {user.address.address1}, please.",
            f"Call {user.phone_number} before noon.",
        ]
    )


def contradiction(person: Person, rng: Random) -> tuple[str, str]:
    """A home elsewhere, a pet or child or thing denied, a text of another value of the block."""
    return "2020-01-01", rng.choice(list(denials(person, rng)))


def denials(person: Person, rng: Random) -> Iterator[str]:
    nouns = {"pets-dogs": "dog", "pets-cats": "cat", "children-baby": "baby", "pets-fish": "aquarium"}
    for one in person.attributes:
        if one.block == "place":
            other = rng.choice(sorted(set(STATES.values()) - set(one.names)))
            yield f"We live here in {other}, so mind the weather."
        elif one.id in nouns:
            yield rng.choice(
                ["I have no {}.", "We don't have a {} any more.", "I am allergic to {}s."]
            ).format(nouns[one.id])
        elif one.block in ("brands", "goods", "replenishment"):
            yield f"I would avoid {one.names[0]} from now on."
        elif "any" not in (values := values_of(one)) and values:
            other = rng.choice(sorted(set(values) - {key_of(one)}))
            long = [text for text in values[other].texts() if len(text.split()) >= 6]
            yield rng.choice(long)


USERS: dict[str, User] = {}


@pytest.mark.parametrize(
    ("plant", "check"),
    [(future, "future"), (own_words, "said"), (name, "private"), (contradiction, "contradiction")],
    ids=["future", "own words", "name", "contradiction"],
)
@pytest.mark.parametrize("kind", ["note", "dialogue"])
def test_every_planted_fault_is_found(
    plant: Callable[[Person, Random], tuple[str, str]],
    check: str,
    kind: str,
    persons: list[Person],
    users: dict[str, User],
) -> None:
    USERS.update(users)
    rng = Random(f"{check}{kind}")
    missed = []
    for number, person in enumerate(islice(cycle(persons), PLANTED)):
        date, text = plant(person, rng)
        said = text if kind == "note" else f"Shopper: {text}\nAssistant: I see."
        item = ContextItem.model_validate({"id": f"x{number}", "date": date, "kind": kind, "text": said})
        found = {fault.check for fault in item_faults(person, [item], users[person.person_id])}
        if check not in found:
            missed.append((text, found))
    assert missed == []


@pytest.mark.parametrize("text", cases("persons", "test_what_only_looks_like_a_contradiction_is_none"))
def test_what_only_looks_like_a_contradiction_is_none(text: str) -> None:
    person = Person(
        person_id="p-1",
        attributes=(
            Attribute(
                id="pets-dogs", block="pets", statement="shares the household with a dog", basis="records"
            ),
            Attribute(
                id="place-oklahoma",
                block="place",
                statement="lives in Oklahoma",
                basis="records",
                names=("Oklahoma",),
            ),
        ),
    )
    item = ContextItem(id="x", date="2022-01-01", kind="note", text=text)
    assert list(item_faults(person, [item], ANNA)) == []


# -- invented attributes


def test_what_is_invented_is_one_value_of_a_block_and_has_no_evidence() -> None:
    drawn = [one for number in range(60) for one in draw_attributes(f"p-{number}", 7)]
    assert {one.block for one in drawn} == set(invented_traits())
    assert all(one.basis == "invented" and one.evidence == () for one in drawn)
    for number in range(60):
        blocks = [one.block for one in draw_attributes(f"p-{number}", 7)]
        assert len(blocks) == len(set(blocks))
    assert draw_attributes("p-1", 7) == draw_attributes("p-1", 7) != draw_attributes("p-1", 8)


def test_nothing_is_invented_where_people_may_be_real(
    sample_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.agents.garden import write_shop

    real = tmp_path / "real"
    write_shop(str(real), Settings())
    out = tmp_path / "p.jsonl"

    def bases(shop: Path, *words: str) -> set[str]:
        assert (
            drr("papers", "persons", "build", "--shop", shop, "--out", out, "--min-orders", "1", *words) == 0
        )
        return {one.basis for person in read_persons(out).values() for one in person.attributes}

    assert bases(real) == {"records"}
    assert "invented" in bases(sample_shop)
    assert "invented" not in bases(sample_shop, "--invented", "none")


def test_each_text_of_a_trait_shows_it_without_its_own_words() -> None:
    for traits in (record_traits(), invented_traits()):
        for block, values in traits.items():
            for value, texts in values.items():
                assert len(texts.texts()) >= 5, (block, value)
                one = Attribute(
                    id=f"{block}-{value}", block=block, statement=texts.statement or "-", basis="invented"
                )
                person = Person(person_id="p", attributes=(one,))
                items = [
                    ContextItem(id=f"x{at}", date="2022-01-01", kind="note", text=text)
                    for at, text in enumerate(texts.texts())
                ]
                assert list(item_faults(person, items)) == []


def test_a_person_of_another_shop_is_refused(sample_persons: Path, tmp_path: Path, drr: Drr) -> None:
    from tests.agents.garden import write_shop

    other = tmp_path / "other"
    write_shop(str(other), Settings())
    words = ("--shop", other, "--tokens", "1k", "--out", tmp_path / "c", "--workers", "1", "--quiet")
    assert "made of another shop" in drr.err("papers", "context", "build", sample_persons, *words, code=1)
    assert not (tmp_path / "c").exists()
