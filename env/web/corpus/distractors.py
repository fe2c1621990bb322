"""Pages that lead astray: rankings for sale, outdated advice, threads full of opinion, things nearly asked for."""

from __future__ import annotations

from drr.env.web.corpus.fact_rows import Near, Outdated, Ranking, Thread
from drr.env.web.corpus.page import Doc, day, doc, slug

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
_FORUMS = ("askaround-board.example", "thread-town.example")


def ranking(number: int, row: Ranking) -> Doc:
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
    return doc(host, f"best-{slug(thing)}-{year}", title, day(thing, year), text, "distractor", row["topics"])


def outdated(row: Outdated) -> Doc:
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
    return doc(
        row["host"],
        slug(row["title"]),
        f"{row['title']} ({row['year']})",
        day(row["title"], row["year"]),
        text,
        "distractor",
        row["topics"],
        "archive",
    )


def thread(number: int, row: Thread) -> Doc:
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
    return doc(
        host,
        f"{4100 + number * 13}-{slug(row['title'])}",
        row["title"],
        day(row["title"], 2017 + number % 6),
        text,
        "distractor",
        row["topics"],
        "t",
    )


def near(row: Near) -> Doc:
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
    return doc(
        row["host"],
        slug(row["title"]),
        row["title"],
        day(row["title"], 2019),
        text,
        "distractor",
        row["topics"],
        "articles",
    )
