"""Traces, logs and reports are evidence of their own shopper alone: nothing of a stranger, nothing that only the shop knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.env.entities import Order, User
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.study.bundle.archive import unpack_archive
from drr.study.study import Study

from tests.app.test_traces import WHOLE, otlp
from tests.commands import Drr
from tests.kept import unpack_kept


class People:
    """Two shoppers of the sample shop, with an order each."""

    def __init__(self, shop: Path) -> None:
        self.shop = shop
        with open_shop(str(shop), Settings()) as opened:
            users = (one for one in opened.store.iter_users() if opened.store.orders(one.user_id).total)
            self.ann, self.bob = next(users), next(users)
            (self.of_ann,), (self.of_bob,) = (
                opened.store.orders(one.user_id, limit=1).items for one in (self.ann, self.bob)
            )


@pytest.fixture(scope="module")
def people(sample_home: Path) -> People:
    return People(sample_home / "shop")


def personal(user: User) -> list[str]:
    address = user.address
    return [user.first_name, user.last_name, user.email, user.phone_number, address.address1, address.zip]


def everything(home: Path) -> str:
    """Return all that a study holds of its units, with their texts."""
    parts = []
    with Study.read(home) as study:
        for unit, _ in study.ledger.units.known():
            record = study.record(unit.key)
            assert record is not None
            parts.append(json.dumps([unit.key_fields, unit.spec, record.result], ensure_ascii=False))
            parts += [study.blobs.get(one).decode() for one in record.blobs.values()]
    return "\n".join(parts)


def address_of(user: User, order: Order | None = None) -> str:
    return f"user://{user.user_id}/" + ("profile" if order is None else f"orders/{order.order_id}")


def structured(text: str, url: str) -> str:
    rows = [{"url": url, "type": "user", "title": text, "sha256": ""}]
    return json.dumps({"content": [{"type": "text", "text": text}], "_meta": {"sources": rows}})


def as_otlp(user: User | None, result: str) -> Any:
    whose = {} if user is None else {"user.id": user.user_id}
    tool = {"openinference.span.kind": "TOOL", "tool.name": "find", "output.value": result}
    return otlp({"told": WHOLE | whose}, {"told": tool})


def as_sources(user: User | None, result: str) -> Any:
    seen = json.loads(result)
    rows = [{**one, "seen": seen["content"][0]["text"]} for one in seen["_meta"]["sources"]]
    return otlp({"told": WHOLE | {"user.id": user and user.user_id, "drr.sources": json.dumps(rows)}})


def as_atif(user: User | None, result: str) -> Any:
    call = {"tool_call_id": "c", "function_name": "find", "arguments": {}}
    seen = {"results": [{"source_call_id": "c", "content": result}]}
    asked = {"source": "user", "message": "Which soap?"}
    steps = [asked, {"source": "agent", "message": "", "tool_calls": [call], "observation": seen}]
    whose = {"extra": {"user_id": user.user_id}} if user else {}
    said = {"source": "agent", "message": "None."}
    return {"schema_version": "ATIF-v1.6", "agent": {"name": "a"}, "steps": [*steps, said], **whose}


def as_report(user: User | None, result: str) -> Any:
    row = {"system": "a", "query": "Which soap?", "report_markdown": "None."}
    seen = json.loads(result)
    rows = [{**one, "text": seen["content"][0]["text"]} for one in seen["_meta"]["sources"]]
    calls = [{"number": 1, "name": "find", "kind": "api", "arguments": {}, "result": result, "ok": True}]
    whose = {"user_id": user.user_id} if user else {}
    return row | whose | {"evidence": rows, "tool_calls": calls}


FORMS = {"otlp": as_otlp, "sources": as_sources, "atif": as_atif, "report": as_report}


def imported(drr: Drr, home: Path, form: str, row: Any, shop: Path) -> Any:
    file = home.with_suffix(".jsonl")
    file.write_text(json.dumps(row), encoding="utf-8")
    words = [] if form == "report" else ["--format", "atif" if form == "atif" else "otlp"]
    return drr.json("study", "import", home, file, *words, "--shop", shop, "--quiet")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("what", ["profile", "order"])
@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_stranger_is_taken_over(
    form: str, what: str, named: bool, people: People, tmp_path: Path, drr: Drr
) -> None:
    bob, order = people.bob, people.of_bob if what == "order" else None
    row = FORMS[form](
        people.ann if named else None, structured(" | ".join(personal(bob)), address_of(bob, order))
    )
    taken = imported(drr, tmp_path / "s", form, row, people.shop)
    assert (taken["added"], taken["kept_out"]) == (1, 1)
    text = everything(tmp_path / "s")
    assert not [one for one in [*personal(bob), people.of_bob.order_date] if one in text]


@pytest.mark.parametrize("form", ["otlp", "sources", "atif"])
def test_of_the_own_record_counts_what_the_trace_says(
    form: str, people: People, tmp_path: Path, drr: Drr
) -> None:
    ann = people.ann
    row = FORMS[form](ann, structured(f"Call {ann.phone_number}; ref 9{ann.address.zip}7", address_of(ann)))
    assert imported(drr, tmp_path / "s", form, row, people.shop)["kept_out"] == 0
    text = everything(tmp_path / "s")
    said = ann.phone_number, ann.address.zip
    assert not [one for one in personal(ann) if one not in said and one in text]
    with Study.read(tmp_path / "s") as study:
        (record,) = study.records("answer")
        (source,) = record.result["sources"]
        if form == "sources":  # all that tools returned is told, so the record is kept
            kept = json.loads(study.blobs.get(source["record_sha256"]))
            assert kept["phone_number"] == ann.phone_number and not {"email", "address"} & kept.keys()
        assert source["title"] in ("Profile", None)


def test_an_order_that_is_named_alone_tells_no_day_and_no_product(
    people: People, tmp_path: Path, drr: Drr
) -> None:
    mine, bobs = people.of_ann, people.of_bob
    both = as_atif(people.ann, json.dumps({"orders": [mine.order_id, bobs.order_id]}))
    assert imported(drr, tmp_path / "both", "atif", both, people.shop)["kept_out"] == 1
    alone = as_atif(people.ann, json.dumps({"orders": [mine.order_id]}))
    assert imported(drr, tmp_path / "one", "atif", alone, people.shop)["kept_out"] == 0
    for home in ("both", "one"):
        text = everything(tmp_path / home)
        assert not [one for o in (mine, bobs) for one in (o.order_date[:10], o.product_id) if one in text]
    assert bobs.order_id not in everything(tmp_path / "both") and mine.order_id in everything(
        tmp_path / "one"
    )


def test_nobodys_records_are_looked_up_for_a_report_of_nobody(
    people: People, tmp_path: Path, drr: Drr
) -> None:
    url = address_of(people.bob)
    row = {
        "system": "a",
        "query": "Who is it?",
        "report_markdown": f"He [1].\n\n## Sources\n\n[1] P: {url}\n",
    }
    imported(drr, tmp_path / "s", "report", row, people.shop)
    assert drr("judge", tmp_path / "s", "--judge", "offline", "--quiet")[0] == 0
    drr.out("view", tmp_path / "s", "--static", tmp_path / "pages", "--quiet")
    pages = "".join(one.read_text("utf-8") for one in (tmp_path / "pages").rglob("*.html"))
    assert url in pages and not [one for one in personal(people.bob) if one in pages]


def redacted(drr: Drr, home: Path, *words: object) -> str:
    """Return all of a redacted bundle, which holds."""
    bundle, folder = home.with_suffix(".bundle"), home.with_suffix(".files")
    drr.out("bundle", "make", home, "--redact", "--out", bundle, *words)
    found = drr.json("bundle", "verify", bundle)
    assert found["failed"] == [] and found["tier"] == "consistent in part"
    folder.mkdir()
    unpack_archive(bundle, folder)
    files = [one.read_text("utf-8") for one in sorted(folder.iterdir()) if one.name != "packages.json"]
    text = "\n".join(files)
    return text + json.dumps(text, ensure_ascii=True)


@pytest.mark.parametrize("form", FORMS)
def test_a_redacted_bundle_has_no_field_of_the_shopper(
    form: str, people: People, tmp_path: Path, drr: Drr
) -> None:
    ann = people.ann
    row = json.dumps(FORMS[form](ann, structured(" | ".join(personal(ann)), address_of(ann))))
    said = (
        f"None, {ann.first_name}: ({ann.phone_number[-12:-9]}) {ann.phone_number[-8:]}, {ann.email.upper()}."
    )
    question = f"I am {ann.first_name} {ann.last_name}. Which soap"
    row = row.replace("None.", said).replace("Which soap", question)
    imported(drr, tmp_path / "s", form, json.loads(row), people.shop)
    drr.out("judge", tmp_path / "s", "--judge", "offline", "--quiet")
    text = redacted(drr, tmp_path / "s")
    found = [one for one in [*personal(ann), ann.phone_number[-8:]] if one.casefold() in text.casefold()]
    assert not found and "I am \u2588" in text and ann.user_id in text


SPELLED = {
    "an address of the profile": lambda one: f"user://{one.user_id}/profile {one.phone_number}",
    "the name alone": lambda one: f"{one.first_name} {one.last_name} at {one.address.address1}",
    "a telephone alone": lambda one: f"call {one.phone_number}",
    "a telephone in one": lambda one: "tel:+1" + "".join(filter(str.isdigit, one.phone_number))[-10:],
    "a street in bold": lambda one: f"{one.email}: **{one.address.address1.replace(' ', '**, ', 1)}",
    "a name in one": lambda one: f"{one.email} {one.first_name}{one.last_name}",
}


@pytest.mark.parametrize("how", SPELLED)
def test_a_redacted_bundle_has_no_field_of_a_stranger_however_it_is_spelled(
    how: str, people: People, tmp_path: Path, drr: Drr
) -> None:
    bob = people.bob
    row = as_atif(people.ann, structured("Ann", address_of(people.ann)))
    row["steps"][1]["tool_calls"][0]["arguments"] = {bob.email: 1}
    text = json.dumps(row).replace("None.", SPELLED[how](bob))
    imported(drr, tmp_path / "s", "atif", json.loads(text), people.shop)
    found = redacted(drr, tmp_path / "s").casefold()
    digits = "".join(filter(str.isdigit, bob.phone_number))[-10:]
    words = [bob.email, bob.last_name, bob.phone_number, digits, bob.address.address1.split(maxsplit=1)[1]]
    assert not [one for one in words if one.casefold() in found]


def test_a_study_that_0_3_0_imported_is_cleaned(people: People, tmp_path: Path, drr: Drr) -> None:
    unpack_kept("traced", tmp_path)
    values = json.loads((tmp_path / "people.json").read_text("utf-8"))
    before = everything(tmp_path / "traced")
    assert all(one in before for one in values), "0.3.0 took a stranger's record over"
    said = drr.err("bundle", "make", tmp_path / "traced", "--redact", "--out", tmp_path / "b", code=2)
    assert "only its records say what is personal" in said and not (tmp_path / "b").exists()
    text = redacted(drr, tmp_path / "traced", "--shop", people.shop)
    assert not [one for one in values if one.casefold() in text.casefold()]
