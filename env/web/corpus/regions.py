"""Pages about places: the birds of a state, a region's pollen and its garden calendar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.env.web.corpus.fact_rows import BirdFacts, Region, StateBirds
from drr.env.web.corpus.page import Doc, day, doc, slug, table


def states(facts: BirdFacts) -> Iterator[Doc]:
    for state, row in facts["states"].items():
        region = facts["regions"][row["region"]]
        birds = [*row["specials"], *region["species"]]
        foods = table(["Bird", "Offer"], [[name, facts["species"][name]] for name in birds])
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
        yield doc(
            "backyard-wings.example",
            f"winter-birds-{slug(state)}",
            title,
            day(state, 2022),
            text,
            "supportive",
            topics,
            "states",
        )


_FEEDERS = (
    (("Woodpecker", "Nuthatch"), "a suet cage"),
    (("Goldfinch", "Siskin", "Redpoll"), "a fine-mesh tube with nyjer"),
    (("Junco", "Sparrow", "Towhee", "Dove"), "a low tray or bare ground with white millet"),
    (("Bluebird",), "a cup of mealworms"),
)
"""What birds eat from, by a word of their names."""


def _feeders(birds: Sequence[str]) -> str:
    wanted = ["a hopper or tray with black oil sunflower"]
    wanted += [
        feeder for guests, feeder in _FEEDERS if any(guest in bird for bird in birds for guest in guests)
    ]
    return "To serve all of them you want " + ", ".join(wanted[:-1]) + f" and {wanted[-1]}."


def _hummingbirds(state: str, row: StateBirds) -> str:
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


def pollen(region: Region) -> Doc:
    text = f"""The pollen year in {region["name"]} ({region["states"]}), and how dry the air indoors becomes.

## What flies when

{table(["Pollen", "Season"], [["Trees", region["tree"]], ["Grass", region["grass"]], ["Weeds", region["weed"]]])}

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
    return doc(
        "clear-rooms.example",
        region["slug"],
        f"Pollen seasons and indoor air in {region['name']}",
        day(region["slug"], 2022),
        text,
        "supportive",
        ["allergy", "air purifier", "humidifier", "furnace filter", "saline rinse", region["name"]],
        "pollen",
    )


def calendar(region: Region) -> Doc:
    rows = [
        ["Start tomatoes and peppers under light", region["seed_tomato"]],
        ["Sow peas outside", region["plant_peas"]],
        ["Set tomatoes out", region["plant_tomato"]],
        ["Plant garlic", region["garlic"]],
    ]
    text = f"""Dates for a kitchen garden in {region["name"]} ({region["states"]}). They are for middling heights; add a week for each 800
feet above that.

## The four dates

{table(["What", "When"], rows)}

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
    return doc(
        "plot-and-trowel.example",
        region["slug"],
        f"A planting calendar for {region['name']}",
        day("calendar" + region["slug"], 2021),
        text,
        "supportive",
        ["gardening", "seed starting", "soaker hose", "raised garden bed", region["name"]],
        "calendar",
    )
