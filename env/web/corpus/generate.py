"""From fact tables, templates and hand-written pages to the documents of the sandbox."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from drr.env.web.build import build_sandbox
from drr.env.web.corpus.tables import TABLES
from drr.env.web.sandbox import DOCUMENTS, MANIFEST

FOLDER = Path(__file__).parent
Doc = dict[str, Any]

_RANKERS = ("topten-picks.example", "dealhound.example", "bestly-reviews.example", "gear-crowd.example")
_BRANDS = (
    "Primora",
    "Zentek",
    "Ultrahaus",
    "Nordvik",
    "Everplus",
    "Kordiva",
    "Maxellence",
    "Trufab",
    "Halcyo",
)
_COLOPHON = """## Imprint

Written by hand and put on the net for those who care for such things. There are no advertisements on these pages and nothing is for
sale. Letters reach us by mail only and are answered in the order in which they come, which may take until spring."""
_FORUMS = ("askaround-board.example", "thread-town.example")


def write(target: Path) -> dict[str, Any]:
    """`documents.jsonl` and `sandbox.json` in `target`, by the same code that `drr web build` runs."""
    with tempfile.TemporaryDirectory() as scratch:
        source, built = Path(scratch, "source"), Path(scratch, "built")
        source.mkdir()
        built.mkdir()
        for page in sorted((FOLDER / "pages").glob("*.md")):
            shutil.copy(page, source / page.name)
        lines = [orjson.dumps(document) for document in generated()]
        (source / DOCUMENTS).write_bytes(b"\n".join(lines) + b"\n")
        manifest = build_sandbox(source, built)
        for name in (DOCUMENTS, MANIFEST):
            (target / name).write_bytes((built / name).read_bytes())
    return manifest


def generated() -> Iterator[Doc]:
    yield from _states(_facts("birds"))
    for region in _facts("regions")["region"]:
        yield _pollen(region)
        yield _calendar(region)
    for guide in _facts("guides")["guide"]:
        yield _guide(guide)
    distractors = _facts("distractors")
    for number, row in enumerate(distractors["ranking"]):
        yield _ranking(number, row)
    for row in distractors["outdated"]:
        yield _outdated(row)
    for number, row in enumerate(distractors["thread"]):
        yield _thread(number, row)
    for row in distractors["near"]:
        yield _near(row)
    for row in _facts("noise")["page"]:
        yield _doc(
            row["host"], row["slug"], row["title"], row["date"], f"{row['text']}\n\n{_COLOPHON}", "noise", []
        )


def _facts(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / "facts" / f"{name}.toml").read_text(encoding="utf-8"))


def _doc(
    host: str, slug: str, title: str, date: str, text: str, kind: str, topics: Sequence[str], folder: str = ""
) -> Doc:
    path = f"{folder}/{slug}" if folder else slug
    return {
        "url": f"https://{host}/{path}",
        "title": title,
        "text": text.strip(),
        "date": date,
        "kind": kind,
        "topics": list(topics),
        "injection": False,
    }


def _slug(text: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _day(seed: str, year: int) -> str:
    """A day of the year that depends on the page alone."""
    number = int(sha256(seed.encode()).hexdigest()[:8], 16)
    return f"{year}-{number % 12 + 1:02d}-{number // 12 % 28 + 1:02d}"


def _states(facts: dict[str, Any]) -> Iterator[Doc]:
    for state, row in facts["states"].items():
        region = facts["regions"][row["region"]]
        birds = [*row["specials"], *region["species"]]
        foods = _table(["Bird", "Offer"], [[name, facts["species"][name]] for name in birds])
        text = f"""Which birds come to a feeder in {state} between December and February, what to offer them, and what to plant so that
they stay. The list holds for yards at ordinary heights in most of the state; mountains and coasts differ.

## Winter birds of {state}

{foods}

{_feeders(birds)}

The state bird of {state} is the {row["bird"]}.

## Water

{region["water"]} Keep it at two inches or less and change it every second day.

## Hummingbirds

{_hummingbirds(state, row)}

## Native plants that feed birds

{state} lies in hardiness zones {row["zones"]}. Plants of the region that carry fruit, seed or nectar for birds:
{", ".join(region["plants"])}. Average last spring frost: {row["last_frost"]}; average first frost in fall: {row["first_frost"]}.
Ask your county's extension office for your own valley. Plant shrubs in fall where winters are mild and in spring where the
ground freezes deep. Leave seed heads standing until March: they are feeders that need no filling.

## Keeping them well

Wash feeders every two weeks in a mix of one part bleach and nine parts water. Hang them within three feet of a window or more
than thirty feet away. If you find a sick bird, take everything down for two weeks."""
        title = f"Winter feeder birds of {state}: who comes, what they eat, what to plant"
        topics = ["birds", "bird feeder", "bird seed", "bird bath", "native plants", state]
        yield _doc(
            "backyard-wings.example",
            f"winter-birds-{_slug(state)}",
            title,
            _day(state, 2022),
            text,
            "supportive",
            topics,
            "states",
        )


def _feeders(birds: Sequence[str]) -> str:
    wanted = ["a hopper or tray with black oil sunflower"]
    if any("Woodpecker" in bird or "Nuthatch" in bird for bird in birds):
        wanted.append("a suet cage")
    if any("Goldfinch" in bird or "Siskin" in bird or "Redpoll" in bird for bird in birds):
        wanted.append("a fine-mesh tube with nyjer")
    if any(word in bird for bird in birds for word in ("Junco", "Sparrow", "Towhee", "Dove")):
        wanted.append("a low tray or bare ground with white millet")
    if any("Bluebird" in bird for bird in birds):
        wanted.append("a cup of mealworms")
    return "To serve all of them you want " + ", ".join(wanted[:-1]) + f" and {wanted[-1]}."


def _hummingbirds(state: str, row: dict[str, Any]) -> str:
    if row["arrives"].startswith("none"):
        return f"Do not hang a nectar feeder in {state}: {row['arrives'].removeprefix('none: ')}."
    if row["arrives"].startswith("resident"):
        return (
            f"The {row['hummingbird']} Hummingbird is {row['arrives']} in {state} and {row['leaves']}. Keep a feeder up all year "
            "and warm it on frosty mornings. One part white sugar to four parts water, without dye."
        )
    return (
        f"{row['hummingbird']} Hummingbird in {state}. Arrives: {row['arrives']}. Leaves: {row['leaves']}. Hang the feeder a week before "
        "the first arrive and leave it two weeks after you saw the last. One part white sugar to four parts water, without dye."
    )


def _pollen(region: dict[str, Any]) -> Doc:
    text = f"""The pollen year in {region["name"]} ({region["states"]}), and how dry the air indoors becomes.

## What flies when

{_table(["Pollen", "Season"], [["Trees", region["tree"]], ["Grass", region["grass"]], ["Weeds", region["weed"]]])}

Counts are highest from five to ten in the morning on dry, windy days and fall after rain. Start an antihistamine spray or tablets
that your doctor agreed to about two weeks before your season, not in the middle of it.

## Indoors

Close windows at night in the season, change clothes at the door, and rinse hair before bed. A purifier in the bedroom with a CADR of
two thirds of the floor area in square feet takes out what comes in. A furnace filter of MERV 11 catches 85 percent of pollen grains;
change it at the start and in the middle of the season. Rinse the nose with saline made of distilled or boiled water only.

## Humidity

Without a humidifier expect {region["winter_humidity"]}. Between 30 and 50 percent is right: below it noses dry and bleed,
above it mites and mold grow. Dust mites die slowly below 45 percent. A hygrometer costs ten dollars and ends most arguments.

## Bedding

Covers with pores of 6 microns or less on mattress and pillows, and a wash at 130 degrees Fahrenheit each week, do more against mites
than any purifier. In cold water use an additive made for allergen."""
    return _doc(
        "clear-rooms.example",
        region["slug"],
        f"Pollen seasons and indoor air in {region['name']}",
        _day(region["slug"], 2022),
        text,
        "supportive",
        ["allergy", "air purifier", "humidifier", "furnace filter", "saline rinse", region["name"]],
        "pollen",
    )


def _calendar(region: dict[str, Any]) -> Doc:
    rows = [
        ["Start tomatoes and peppers under light", region["seed_tomato"]],
        ["Sow peas outside", region["plant_peas"]],
        ["Set tomatoes out", region["plant_tomato"]],
        ["Plant garlic", region["garlic"]],
    ]
    text = f"""Dates for a kitchen garden in {region["name"]} ({region["states"]}). They are for middling heights; add a week for each 800
feet above that.

## The four dates

{_table(["What", "When"], rows)}

Tomatoes spend six to eight weeks inside. They go out when nights stay above 50 degrees Fahrenheit, hardened off for a week: an hour
outside on the first day, all day on the seventh.

## Under light

Fourteen to sixteen hours a day, two inches above the leaves for weak lamps and six for strong ones. Sow a quarter inch deep at 75
degrees, and take the dome off at the first leaves. Feed at half strength from the second pair of leaves.

## Water

An inch a week, rain included: 0.62 gallons for each square foot. A soaker hose under mulch, run twice a week, wastes least. Water in the
morning and leave the leaves dry.

## Beds

Raised beds warm up about two weeks sooner than the ground and dry out sooner too. Twelve inches of soil carry lettuce and beans; tomatoes
and carrots want seventeen. Add an inch of compost each spring."""
    return _doc(
        "plot-and-trowel.example",
        region["slug"],
        f"A planting calendar for {region['name']}",
        _day("calendar" + region["slug"], 2021),
        text,
        "supportive",
        ["gardening", "seed starting", "soaker hose", "raised garden bed", region["name"]],
        "calendar",
    )


def _guide(guide: dict[str, Any]) -> Doc:
    columns, rows = TABLES[guide["computed"]]() if "computed" in guide else (guide["columns"], guide["rows"])
    sections = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in guide["sections"])
    ends = "\n".join(
        f"- {row[0]}: "
        + "; ".join(f"{name.lower()} {cell}" for name, cell in zip(columns[1:], row[1:], strict=True) if name)
        for row in (rows[0], rows[-1])
    )
    # Rows that begin with a number are steps of a scale; others are things beside one another.
    scale = all(row[0][0].isdigit() for row in rows)
    in_words = "The two ends of the table in words:" if scale else "The first and the last row in words:"
    between = "In between, take the next larger figure. " if scale else ""
    text = f"""{guide["lead"]}

## The rule and the table

{guide["rule"]}

{_table(columns, rows)}

{sections}

## In short

{in_words}

{ends}

{between}This page is checked once a year; the date above is that of the last check."""
    return _doc(
        guide["host"],
        guide["slug"],
        guide["title"],
        guide["date"],
        text,
        "supportive",
        guide["topics"],
        "guides",
    )


def _ranking(number: int, row: dict[str, Any]) -> Doc:
    year, count = 2020 + number % 4, 5 + number % 5
    thing = row["thing"]
    brands = [_BRANDS[(number + place) % len(_BRANDS)] for place in range(4)]
    places = "\n".join(
        f"{place}. **{brand} {thing[:1].upper() + thing[1:]} {'Pro' if place == 1 else 'Plus'} {100 * (number % 7 + place)}** - "
        f"score {9.9 - 0.2 * place:.1f} of 10. [See today's price](https://{_RANKERS[number % 4]}/go/{number}{place})"
        for place, brand in enumerate(brands, 1)
    )
    text = f"""*This page holds affiliate links. If you buy through them we may earn a commission, at no cost to you.*

Looking for the very best {thing}? You have come to the right place. Our editors read thousands of reviews so that you do not have to,
and have put together the only list of {thing} that you will ever need.

## Our top picks

{places}

## Why trust us?

We love {thing}. Every product on this page was chosen by our team on the strength of its description, its pictures and the mood of its
reviews. We do not accept samples, since nobody offers us any. Scores are updated by our proprietary system every night.

## What to look for

{row["claim"]} Apart from that, look at color, brand and above all at the rating: anything below 4.7 stars is not worth your time.
Price is a good sign of quality, so do not be shy. And hurry: our winner sells out often!

## Frequently asked questions

**Are {thing} worth it?** Absolutely. **Which is the best brand?** {brands[0]}, which is our number one for the third year in a row.
**Is there a discount?** Use the button above; the coupon is applied by itself. **How long do they last?** With proper care, a lifetime.

## Bottom line

If money is no object take the {brands[0]}. If it is, take the {brands[1]}, and save for the {brands[0]}."""
    title = f"The {count + 4} best {thing} of {year} (number 3 will surprise you)"
    host = _RANKERS[number % 4]
    return _doc(
        host, f"best-{_slug(thing)}-{year}", title, _day(thing, year), text, "distractor", row["topics"]
    )


def _outdated(row: dict[str, Any]) -> Doc:
    text = f"""*From our archive. First printed in {row["year"]}; the wording has not been changed.*

{row["body"]}

## Questions from readers

A reader asks whether this still holds for her house, which is new. We see no reason why it should not: what was good enough for our
parents is good enough for us. Another writes that his doctor told him something else. Doctors change their minds every ten years; we
print what has been found good.

## From the same issue

The price of a subscription rises to {row["year"] % 40 + 3} dollars from January. The recipe for corn relish was missing a cup of vinegar; we
regret the upset stomachs. Letters to the editor should be written on one side of the sheet only and signed. The raffle of the auxiliary
brought in {row["year"] % 700 + 120} dollars for the new ambulance.

## About this archive

Pages were scanned and read by machine, so that a letter may be wrong here and there. They are kept for their interest to local history.
Figures, products and advice are of their time, and the persons named may be dead. Nobody checks whether they are still right, and no
one answers letters sent to the addresses given."""
    return _doc(
        row["host"],
        _slug(row["title"]),
        f"{row['title']} ({row['year']})",
        _day(row["title"], row["year"]),
        text,
        "distractor",
        row["topics"],
        "archive",
    )


def _thread(number: int, row: dict[str, Any]) -> Doc:
    names = ("mossy_hat", "BigLarry61", "quietcorner", "nanaof5", "torque_fan", "userunknown", "pinecone22")
    posts = "\n\n".join(
        f"**{names[(number + place) % len(names)]}** wrote, {'to open the thread' if place == 0 else f'{place * 3} hours later'}:\n\n{post}"
        + (" (Seen this in two places, so it must be true.)" if place == 2 else "")
        for place, post in enumerate(row["posts"])
    )
    text = f"""*Forum: General. {len(row["posts"])} posts, {number * 37 + 212} views. Posts are the opinions of those who wrote them.*

{posts}

**{names[(number + 5) % len(names)]}** wrote, a day later:

Following, same question here. I tried what the second post says for a week and what the fourth says for another, and could not tell
you which was better. My neighbor does the opposite of both and swears by it. If somebody who knows this from work could speak up I
would be grateful, since the package says nothing and the shop says whatever sells.

**moderator** wrote, a month later:

This thread has drifted into an argument about something that was said in another thread, so I am closing it. A reminder of the house
rules: no links to shops, no medical or legal advice, no shouting. Nobody here has been asked for a diploma, and nothing here was checked by
anyone. Use the search before you open a new topic; there are {number + 14} older threads with the same question and as many different answers."""
    host = _FORUMS[number % 2]
    return _doc(
        host,
        f"{4100 + number * 13}-{_slug(row['title'])}",
        row["title"],
        _day(row["title"], 2017 + number % 6),
        text,
        "distractor",
        row["topics"],
        "t",
    )


def _near(row: dict[str, Any]) -> Doc:
    text = f"""{row["body"]}

## Why people end up on this page

The words are the same and the matter is not. Every month some hundreds of readers arrive here from a search for something they want to
buy for house, garden or pet, read the first lines, and leave. That is as it should be: nothing on this page was written for them, and
the figures given above would mislead them if they were carried over.

## Sources and limits

The figures are those of the trade bodies and societies of the field, rounded. They apply to the case described and to nothing else; a
figure without its case is worth nothing. Corrections are welcome and are printed at the foot of the page with the date. So far there
have been two, both about spelling, one of which we have accepted.

## See also

Our pages on neighboring matters are listed in the index by letter. The index is printed once a year and costs three dollars by mail.
Back numbers can be read in the larger libraries. We do not sell goods, do not recommend makers, and do not answer questions about single
products, however politely they are put."""
    return _doc(
        row["host"],
        _slug(row["title"]),
        row["title"],
        _day(row["title"], 2019),
        text,
        "distractor",
        row["topics"],
        "articles",
    )
