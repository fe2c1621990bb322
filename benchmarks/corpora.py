"""The frozen pages of file tasks. Measured are time, memory, likeness of pages, and whether any single feature shows what a page is for.

python -m benchmarks.corpora [--tasks 100] [--pages 3000] [--sizes 32k,64k,128k,256k,512k] [--seed 7] [--record]

Likeness is the share of common runs of three words (Jaccard): of all pairs of pages of the pool that share a theme, once as they
are and once as skeletons, with names and figures masked. The area under the curve (AUC) of each single feature is that of supportive pages
against distractors and against noise; .5 is chance, and words are scored by how often pages of the other tasks have them.

`grep` looks at every passage and row with a figure that names a brand, a shop or a product of the case: how often it has a month where it says what is
asked (rightly or wrongly), how often where it says something else, and so what share of those that a grep of name and month meets is about what is asked.
`search by form` is that of a reader who knows no more of the question than names and units (`corpora_form`), `search by dates` that of one who counts months (`corpora_dates`).
Sentences of more than 45 characters are counted where they recur on more than five pages of the pool, and those of more than 35 where they stand in more than
one of ten tasks of the smallest size, with those that stand on most pages. No network.
"""

from __future__ import annotations

import argparse
import math
import re
import resource
import tempfile
import time
from calendar import month_name
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from statistics import mean

from drr.app.cli import main as drr
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.text import shingles, similarity, tokens
from drr.papers.dr3.asking.question import written_question
from drr.papers.dr3.corpus.build import Corpora, corpora
from drr.papers.dr3.corpus.known import CasePages
from drr.papers.dr3.corpus.pool import LONG_SENTENCE, PagePool, PoolPage, build_pool
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.planning.planner import first_cases
from drr.papers.dr3.values import month_of

from benchmarks.corpora_dates import DateSearch
from benchmarks.corpora_form import FormSearch
from benchmarks.results import machine, record, table

_FIGURE = re.compile(r"\$?\d[\d.,:x-]*")
_OFTEN, _FEW_TASKS = 5, 10
"""Pages on which a sentence is often, and tasks of one reader."""
_SENTENCE, _MOST = 35, 8
"""Characters above which a reader of several tasks knows a sentence again, and how many of those that recur most are named."""
Sample = tuple[int, CorpusPage]
"""A page and the number of its task."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--pages", type=int, default=3_000)
    parser.add_argument("--sizes", default="32k,64k,128k,256k,512k")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = measured(Path(folder), asked)
    if asked.record:
        record("Corpora of file tasks", text)
    else:
        print(text)


def measured(folder: Path, asked: argparse.Namespace) -> str:
    drr(["sample", str(folder / "raw"), "--seed", "7", "--quiet"])
    drr(["ingest", str(folder / "raw"), "--shop", str(folder / "shop"), "--quiet"])
    sizes = {name: int(name[:-1]) * 1_000 for name in asked.sizes.split(",")}
    with open_shop(str(folder / "shop"), Settings()) as shop:
        start = time.process_time()
        pool = build_pool(shop.store.iter_products(), asked.seed, asked.pages)
        pool_seconds = time.process_time() - start
        cases = first_cases(shop, asked.seed, asked.tasks)
        start = time.process_time()
        known: dict[str, list[Sample]] = {"supportive": [], "distractor": [], "noise": []}
        signals, wanted, digest = 0, 0, sha256()
        passages: list[tuple[bool, bool]] = []
        read: list[list[str]] = []
        before: set[str] = set()
        forms, dates = FormSearch(), DateSearch()
        for number, case in enumerate(cases):
            made = corpora(case, asked.seed, sizes, pool, written_question(case), before=before)
            before |= made.first_titles
            for line in made.lines:
                digest.update(line)
            signals += sum(term.role == "signal" for term in made.terms)
            wanted += len(case.of("page"))
            sort_pages(made, number, known)
            passages += named_passages(made, CasePages(case, pool, asked.seed).apart)
            smallest = made.pages[: made.sizes.sizes[min(sizes, key=sizes.__getitem__)].pages]
            forms.look(made, smallest)
            dates.look(made, smallest)
            if number < _FEW_TASKS:
                read.append([page.text for page in smallest])
        seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    facts = [
        ["pool", f"{len(pool.pages):,} pages, {pool.tokens:,} tokens, {pool_seconds:.1f} s"],
        ["corpora", f"{len(cases)} tasks x {len(sizes)} sizes, {seconds:.1f} s of one processor"],
        ["peak memory", f"{peak:,.0f} MiB"],
        ["signal terms found", f"{signals} of {wanted} supportive pages"],
        ["hash of all lines", digest.hexdigest()[:16]],
    ]
    return "\n\n".join(
        (
            f"{machine()}.",
            table(["what", "measured"], facts),
            likeness(pool),
            table(["grep of a name and a month", "measured"], grepped(passages)),
            table(["sentences that recur", "measured"], recurring([page.text for page in pool.pages], read)),
            table(
                ["search by form, in the smallest size", "needed", "others", "missed", "precision", "recall"],
                forms.rows(),
            ),
            table(
                [
                    "search by dates, in the smallest size",
                    "needed",
                    "astray",
                    "others",
                    "precision",
                    "recall",
                ],
                dates.rows(),
            ),
            told(known, _things(pool)),
        )
    )


def sort_pages(made: Corpora, number: int, known: dict[str, list[Sample]]) -> None:
    """Sort the pages by what they are for."""
    kinds = {page.url: page.kind for page in made.known}
    for page in made.pages:
        known[kinds.get(page.url, "noise")].append((number, page))


def named_passages(made: Corpora, names: Iterable[str]) -> list[tuple[bool, bool]]:
    """List each passage or row that names somebody of the case and has a figure. It is given as (about what is asked, with a month)."""
    facts, kinds = {fact.id: fact for fact in made.facts}, {page.url: page for page in made.known}
    called, found = tuple(names), []
    for page in made.pages:
        one = kinds.get(page.url)
        stated = {facts[key].value for key in one.facts} if one else set()
        if one and one.change and one.change.stated:
            stated.add(one.change.stated)
        for said in re.split(r"\n\n|\n(?=\|)", page.text):
            if any(name in said for name in called) and re.search(r"\d", said):
                found.append((any(value in said for value in stated), bool(_MONTH.search(said))))
    return found


def grepped(passages: Sequence[tuple[bool, bool]]) -> list[list[str]]:
    asked = [month for about, month in passages if about]
    other = [month for about, month in passages if not about]
    met = sum(asked) + sum(other)
    area = auc([float(month) for month in asked], [float(month) for month in other])
    return [
        [
            "passages that name somebody of the case, with a figure",
            f"{len(passages):,}, {len(asked):,} about what is asked",
        ],
        ["with a month, about what is asked", f"{sum(asked) / max(1, len(asked)):.3f}"],
        ["with a month, about something else", f"{sum(other) / max(1, len(other)):.3f}"],
        ["AUC of a month", f"{area:.3f}"],
        ["of those that a grep meets, about what is asked", f"{sum(asked) / max(1, met):.3f}"],
    ]


def sentences(text: str, longer: int = LONG_SENTENCE) -> list[str]:
    """The long ones."""
    return [said for said in re.split(r"(?<=[.?!:])\s+|\n+", text) if len(said) > longer]


def shared(tasks: Iterable[Iterable[str]]) -> tuple[float, list[tuple[str, int]]]:
    """Return the share of all uses of sentences in some tasks' pages that is of sentences standing in several
    tasks. Return too on how many pages each of these stands, most first."""
    uses, within, pages = Counter[str](), Counter[str](), Counter[str]()
    for texts in tasks:
        seen: set[str] = set()
        for text in texts:
            said = sentences(text, _SENTENCE)
            uses.update(said)
            pages.update(set(said))
            seen.update(said)
        within.update(seen)
    again = {said for said, times in within.items() if times > 1}
    share = sum(uses[said] for said in again) / max(1, uses.total())
    return share, [(said, times) for said, times in pages.most_common() if said in again]


def recurring(pool: Iterable[str], read: Sequence[Sequence[str]]) -> list[list[str]]:
    """`read`: by task, the pages that a reader has before him."""
    pages = Counter(said for text in pool for said in set(sentences(text)))
    uses = sum(pages.values())
    often = sum(times for times in pages.values() if times > _OFTEN)
    share, most = shared(read)
    return [
        ["uses of long sentences in the pool", f"{uses:,}, {len(pages):,} distinct"],
        [f"of sentences on more than {_OFTEN} pages", f"{often / max(1, uses):.3f}"],
        [f"in {len(read)} tasks of the smallest size: of sentences in more than one", f"{share:.3f}"],
        *([f"on {times} of their pages", said] for said, times in most[:_MOST]),
    ]


def first_seen(samples: Iterable[Sample]) -> list[Sample]:
    """Keep a page of the pool only in the first task that has it. Its dates and address differ in each, but
    having seen its words in another task would give it away."""
    found: dict[tuple[str, int], Sample] = {}
    for sample in samples:
        found.setdefault((sample[1].title, len(sample[1].text)), sample)
    return list(found.values())


def likeness(pool: PagePool) -> str:
    names = _names(pool)
    rows = []
    for label, cut in (("as they are", _plain), ("skeletons", lambda page: _skeleton(page, names))):
        cuts = [(page.theme, shingles(cut(page))) for page in pool.pages]
        by_theme: dict[str, list[frozenset[tuple[str, ...]]]] = {}
        for theme, own in cuts:
            by_theme.setdefault(theme, []).append(own)
        found = [similarity(a, b) for group in by_theme.values() for a, b in combinations(group, 2)]
        found.sort()
        rows.append(
            [
                label,
                f"{len(found):,}",
                f"{mean(found):.3f}",
                f"{found[len(found) * 99 // 100]:.3f}",
                f"{found[-1]:.3f}",
            ]
        )
    return table(["pairs of one theme", "pairs", "mean", "99 of 100 below", "largest"], rows)


def _plain(page: PoolPage) -> str:
    return f"{page.title}\n{page.text}"


def _names(pool: PagePool) -> re.Pattern[str]:
    book = stock().names
    said = {
        name
        for group in (
            "given",
            "family",
            "handles",
            "towns",
            "papers",
            "sellers",
            "states",
            "months",
            "weekdays",
        )
        for name in book[group]
    }
    said |= {
        part for one in pool.shelf["general"] for part in (one.thing.name, one.thing.brand, one.thing.noun)
    }
    return re.compile(
        r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(said, key=len, reverse=True))) + r")(?!\w)",
        re.IGNORECASE,
    )


def _skeleton(page: PoolPage, names: re.Pattern[str]) -> str:
    return _FIGURE.sub(" n ", names.sub(" x ", _plain(page)))


_MONTH = re.compile(r"\b(?:" + "|".join(month_name[1:]) + r") (?:19|20)\d\d\b")


def _months(page: CorpusPage) -> list[int]:
    """List the months that it states."""
    return [month_of(found).toordinal() for found in _MONTH.findall(page.text)]


FEATURES: dict[str, Callable[[CorpusPage], float | None]] = {
    "length": lambda page: len(page.text),
    "length of the title": lambda page: len(page.title),
    "length of the address": lambda page: len(page.url),
    "depth of the address": lambda page: page.url.count("/"),
    "digits in the address": lambda page: sum(c.isdigit() for c in page.url),
    "dated at all": lambda page: float(page.date is not None),
    "date": lambda page: date.fromisoformat(page.date).toordinal() if page.date else None,
    "lines": lambda page: page.text.count("\n"),
    "newest month stated": lambda page: max(_months(page), default=None),
    "oldest month stated": lambda page: min(_months(page), default=None),
    "figures": lambda page: len(_FIGURE.findall(page.text)),
}
WORDS: dict[str, Callable[[CorpusPage], set[str]]] = {
    "host": lambda page: {page.url.split("/")[2]},
    "path": lambda page: set(tokens(page.url.partition(".example/")[2])),
    "words of the title": lambda page: set(tokens(page.title)),
    "year and month": lambda page: {str(page.date)[:7]},
}


def _things(pool: PagePool) -> set[str]:
    """The words of what pages are about: these differ by theme, and noise is of all themes."""
    book = stock()
    said = [part for one in pool.shelf["general"] for part in (one.thing.name, one.thing.noun)]
    said += [word for theme in book.themes.values() for words in theme.values() for word in words]
    return {word for text in said for word in tokens(text)}


def told(known: dict[str, list[Sample]], things: set[str]) -> str:
    """Dates are compared within a task, as each has a day of its own."""
    rows = []
    every = WORDS | {"words of the title, things left out": lambda page: set(tokens(page.title)) - things}
    for other in ("distractor", "noise"):
        for name, value in FEATURES.items():
            yes, no = numbers(known["supportive"], value), numbers(known[other], value)
            if name == "date":
                yes, no = _within(known["supportive"], known[other], value)
            rows.append([f"supportive against {other}", name, f"{auc(yes, no):.3f}"])
        for name, words in every.items():
            yes, no = scored(known["supportive"], first_seen(known[other]), words)
            rows.append([f"supportive against {other}", name, f"{auc(yes, no):.3f}"])
    n = {kind: len(pages) for kind, pages in known.items()}
    return f"{n} pages.\n\n" + table(["pages", "by", "AUC"], rows)


def numbers(samples: Iterable[Sample], value: Callable[[CorpusPage], float | None]) -> list[float]:
    return [found for _, page in samples if (found := value(page)) is not None]


def _within(
    yes: Sequence[Sample], no: Sequence[Sample], value: Callable[[CorpusPage], float | None]
) -> tuple[list[float], list[float]]:
    newest: dict[int, float] = {}
    for task, page in (*yes, *no):
        newest[task] = max(newest.get(task, 0.0), value(page) or 0.0)
    sides = [
        [found - newest[task] for task, page in side if (found := value(page)) is not None]
        for side in (yes, no)
    ]
    return sides[0], sides[1]


def scored(
    yes: Sequence[Sample], no: Sequence[Sample], words: Callable[[CorpusPage], set[str]]
) -> tuple[list[float], list[float]]:
    """A naive Bayes that learned on the tasks of the other half."""
    sides: tuple[list[float], list[float]] = ([], [])
    for half in (0, 1):
        seen = [
            Counter(w for task, page in side if task % 2 != half for w in words(page)) for side in (yes, no)
        ]
        count = [max(1, sum(task % 2 != half for task, _ in side)) for side in (yes, no)]
        for into, side in zip(sides, (yes, no), strict=True):
            for task, page in side:
                if task % 2 == half:
                    into.append(
                        sum(_lean(seen[0][w], seen[1][w], count[0], count[1]) for w in sorted(words(page)))
                    )
    return sides


def _lean(a: int, b: int, of_a: int, of_b: int) -> float:
    return math.log((a + 0.5) / (of_a + 1)) - math.log((b + 0.5) / (of_b + 1))


def auc(yes: Sequence[float], no: Sequence[float]) -> float:
    """Return how often one of the first is above one of the second, ties half."""
    marked = sorted([(value, 1) for value in yes] + [(value, 0) for value in no])
    total, at = 0.0, 0
    below = 0
    while at < len(marked):
        end = at
        while end < len(marked) and marked[end][0] == marked[at][0]:
            end += 1
        ones = sum(mark for _, mark in marked[at:end])
        zeros = end - at - ones
        total += ones * (below + zeros / 2)
        below += zeros
        at = end
    return total / max(1, len(yes) * len(no))


if __name__ == "__main__":
    main()
