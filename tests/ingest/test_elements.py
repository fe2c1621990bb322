"""Files whose rows have no header: XML and JSON lines. A mapped field that is nowhere, a lost text and a lost row are told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from drr.data_ingest.catalogue.rows import open_table
from drr.env.errors import DrrError

from tests.commands import Drr

ROWS = [{"kod": f"P{k}", "nazwa": f"Lampa {k}", "cena": "9,90 zł", "kategoria": "Dom"} for k in range(3)]
MAP = '[products]\nid = "kod"\ntitle = "nazwa"\n'


def xml(rows: Sequence[Mapping[str, str]], name: str = "item", root: str = "sklep") -> str:
    cells = ("".join(f"<{key}>{text}</{key}>" for key, text in row.items()) for row in rows)
    return f"<{root}>{''.join(f'<{name}>{one}</{name}>' for one in cells)}</{root}>"


def lines(rows: Sequence[Mapping[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def wrote(folder: Path, mapping: str, **files: str) -> list[str | Path]:
    """Write the files and return the words that ingest them."""
    (folder / "map.toml").write_text(mapping, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    paths = [folder / name.replace("_", ".") for name in files]
    return ["data", "ingest", *paths, "--map", folder / "map.toml", "--shop", folder / "shop"]


@pytest.mark.parametrize("files", [{"p_xml": xml(ROWS)}, {"p_jsonl": lines(ROWS)}], ids=["xml", "jsonl"])
@pytest.mark.parametrize(
    ("field", "column", "near"),
    [
        ("category", "kat", "columns: kod, nazwa, cena, kategoria"),
        ("ratings", "xx", "columns: kod, nazwa, cena, kategoria"),
        ("price", "cennik", "columns: kod, nazwa, cena, kategoria"),
        ("brand", "kategorja", "did you mean 'kategoria'?"),
        ("price", '["cena", "cennik"]', "columns: kod"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_mapped_field_that_no_row_has_is_misuse(
    files: dict[str, str], field: str, column: str, near: str, dry: tuple[str, ...], tmp_path: Path, drr: Drr
) -> None:
    """A shop without any price was made, and its mapping looked as if it had been used."""
    told = column if column[0] == "[" else f'"{column}"'
    said = drr.err(*wrote(tmp_path, f"{MAP}{field} = {told}\n", **files), *dry, code=2)
    (name,) = files
    column = "cennik" if column[0] == "[" else column
    assert f"{name.replace('_', '.')}: has no column '{column}', the mapping's [products] {field}" in said
    assert near in said and not (tmp_path / "shop").exists()


def test_a_field_that_one_row_has_is_there(tmp_path: Path, drr: Drr) -> None:
    rows = [*({**ROWS[0], "kod": f"P{k}"} for k in range(1500)), {**ROWS[0], "kod": "Q", "marka": "Żubr"}]
    asked = wrote(tmp_path, f'{MAP}brand = "marka"\n', p_jsonl=lines(rows))
    assert drr.json(*asked, "--quiet")["counts"]["products"] == 1501


def test_a_field_may_be_in_one_of_several_files_and_needed_ones_tell_the_table(
    tmp_path: Path, drr: Drr
) -> None:
    orders = [{"kod": "P1", "klient": "k", "data": "2024-03-01"}]
    mapping = (
        f'{MAP}price = "cena"\nbrand = "marka"\n[orders]\nproduct = "kod"\nuser = "klient"\ndate = "data"\n'
    )
    files = {"p_jsonl": lines(ROWS), "o_jsonl": lines(orders)}
    asked = wrote(tmp_path, mapping, **files, q_xml=xml([{**ROWS[0], "kod": "Q", "marka": "Żubr"}] * 1))
    assert "4 products, 1 user, 1 order\n" in drr.out(*asked)
    asked = wrote(tmp_path, mapping.replace("klient", "kupujący"), **files)
    said = drr.err(*asked, "--replace", code=2)
    assert "o.jsonl" in said and "kupujący" in said and "[orders] user" in said


@pytest.mark.parametrize("name", ["produkt", "product", "row", "item", "entry"])
@pytest.mark.parametrize("around", ["{}", "<shop>{}</shop>"], ids=["root", "its only child"])
def test_rows_are_items_or_what_repeats_in_the_root(name: str, around: str, tmp_path: Path, drr: Drr) -> None:
    """A feed of `produkt` had "0 rows", and "all files are empty"."""
    nested = [{**row, "zestaw": f"<{name}><kod>X</kod></{name}>"} for row in ROWS]
    rows = nested if name not in ("item", "entry") else ROWS
    asked = wrote(tmp_path, f'{MAP}price = "cena"\n', p_xml=around.format(xml(rows, name)))
    assert drr.out(*asked, "--dry-run").startswith("3 products")


def test_one_header_among_rows_is_none(tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text("<shop><date/><row><id>1</id></row><row><id>2</id></row></shop>")
    table = open_table(tmp_path / "p.xml")
    assert [batch.cells for batch in table.batches(["id"])] == [{"id": ["1", "2"]}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<shop><a/><b><c/></b></shop>", "the elements 'shop', 'a', 'b', 'c' are no rows"),
        ("<rss><channel><title>x</title></channel></rss>", "the elements 'rss', 'channel', 'title' are no rows"),
        ("<shop><a/><b/><a/><b/></shop>", "'a', 'b' repeat in 'shop'"),
        ("<shop/>", "the elements 'shop' are no rows"),
        ("<!DOCTYPE r [<!ENTITY a 'zq'>]><r><p>&a;</p><p>&a;</p></r>", "DOCTYPE"),
        ("<r><p><id>zq</r>", "well-formed"),
        ("", "well-formed"),
    ],
)  # fmt: skip
def test_a_file_without_rows_says_which_elements_it_has(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(text)
    with pytest.raises(DrrError, match=r"p\.xml: ") as caught:
        open_table(tmp_path / "p.xml")
    assert told in str(caught.value) and "zq" not in str(caught.value)


@pytest.mark.slow
def test_a_row_that_never_ends_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "p.xml").write_text(
        "<r><p><id>1</id></p><p>" + "<a>xxxxxxxxxxxx</a>" * 1_000_000 + "</p></r>"
    )
    with pytest.raises(DrrError, match="hold no whole item"):
        open_table(tmp_path / "p.xml")


@pytest.mark.parametrize(
    ("inside", "values"),
    [
        ("<d>raz <b>dwa</b> trzy</d>", {"d": "raz dwa trzy"}),
        ("<d>raz <b>dwa</b>, <i>(trzy)</i>.</d>", {"d": "raz dwa, (trzy)."}),
        ("<d><p>raz.</p><p>dwa.</p></d>", {"d": "raz. dwa.", "d.p": ["raz.", "dwa."]}),
        ("<d>a <!-- b --><?c?><![CDATA[<b>c</b>]]></d>", {"d": "a <b>c</b>"}),
        ("<c><brutto>12,50 zł</brutto></c>", {"c": "12,50 zł", "c.brutto": "12,50 zł"}),
        ("<c>12<sup>50</sup> zł</c>", {"c": "12\n\n50 zł"}),
        ("<c waluta='PLN'>1 299</c>", {"c": "1 299", "c@waluta": "PLN"}),
        ("<d>a</d><d>b</d>", {"d": ["a", "b"]}),
    ],
)  # fmt: skip
def test_markup_within_an_element_is_part_of_its_text(
    inside: str, values: dict[str, object], tmp_path: Path
) -> None:
    """Only what stood before the first mark was read."""
    (tmp_path / "p.xml").write_text(f"<r><p nr='1'>{inside}</p><p/></r>", encoding="utf-8")
    table = open_table(tmp_path / "p.xml")
    (batch,) = table.batches(table.columns)
    assert {name: cells[0] for name, cells in batch.cells.items()} == {"@nr": "1", **values}


def test_figures_that_markup_parts_are_no_other_figure_and_attributes_are_named(
    tmp_path: Path, drr: Drr
) -> None:
    prices = ["9,90 zł"] * 9 + ["12<sup>50</sup> zł", "<netto>10</netto><brutto>125,00 zł</brutto>"]
    rows = [{**ROWS[0], "kod": f"P{k}", "cena": price} for k, price in enumerate(prices)]
    text = xml(rows, "produkt").replace("<cena>", "<cena jedn='szt.'>")
    asked = wrote(tmp_path, f'{MAP}price = "cena"\n', p_xml=text)
    said = drr.out(*asked, "--dry-run")
    assert "no field takes cena@jedn, kategoria;" in said and "price_unreadable 2" in said
    (tmp_path / "map.toml").write_text(f'{MAP}price = "cena.brutto"\n')
    assert "price_unknown 10" in drr.out(*asked, "--dry-run")
