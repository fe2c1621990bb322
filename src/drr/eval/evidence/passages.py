"""Finds the content words of a text, similar texts, and the passages of a source that concern a claim.

Offsets count characters of the stored text, so that a viewer can mark what a judge was shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import log
from typing import Literal, NamedTuple

import numpy as np
from drr.env.records.lines import Span
from drr.env.text import Bm25, tokens
from drr.wording.figures import Quantity, same_number
from drr.wording.quantities import numbers

_TARGET = r"\([^)\s\[]{0,2000}\)"
_MARKS = re.compile(rf"\[\^?\d+(?:\s*[,\u2013-]\s*\d+)*\](?:{_TARGET})?|\u3010[^\u3011]{{0,500}}\u3011")
_LINK = re.compile(rf"\[([^\]]{{0,500}})\]{_TARGET}")
_URL = re.compile(r"(?:https?|user)://\S+")
_EMPHASIS = str.maketrans({"*": "", "`": "", "_": " "})
GRAMMAR = frozenset(
    tokens(
        "a an the this that these those it its they their them he his she her you your yours we our i me my of in on at to for from by with "
        "as is are was were be been being am do does did have has had having and or but if then than so such also too very can could will would "
        "should may might must there here which who whom whose what when where how why all any each every both more most other some into over "
        "about up out off only own same just per via one"
    )
)
_OF_SHOPS = frozenset(
    tokens(
        "offer offers include includes including feature features make makes made come comes provide provides product item customer rated rating star "
        "reviewer review reviews cost price priced sell according available usd dollar"
    )
)
"""Words that shops use for any product."""
_ENDED = (
    ("ations", "nesses"),
    ("ation", "ments"),
    ("ment", "ness", "ings", "edly", "ally", "ance", "ence", "ions", "able", "ible"),
    ("ing", "ers", "ors", "ies", "ied", "ily", "ive", "ion", "ful", "ity"),
    ("ed", "er", "or", "ly", "es", "al"),
    ("s", "e", "y"),
)
"""Endings that grammar adds to a word, longest first."""


def plain(text: str) -> str:
    """Remove citation marks, URLs and emphasis."""
    return _URL.sub(" ", _LINK.sub(r"\1", _MARKS.sub(" ", text))).translate(_EMPHASIS)


@lru_cache(maxsize=65536)
def content_words(sentence: str) -> frozenset[str]:
    """Return the words that carry meaning. Numbers are left out, because they are compared as numbers."""
    words = (word for word in tokens(plain(sentence)) if not word.replace(".", "").isdigit())
    return frozenset(words) - GRAMMAR - _OF_SHOPS


@lru_cache(maxsize=65536)
def word_stem(word: str) -> str:
    """Cut the grammatical ending of a word, so that `fermented` equals `fermentation`."""
    for ended in _ENDED:
        if word.endswith(ended) and len(word) - len(ended[0]) >= 3:
            word = word[: -len(ended[0])]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def content_stems(text: str) -> frozenset[str]:
    """Return the content words of a text without their endings."""
    return frozenset(map(word_stem, content_words(text)))


_MOST_AMOUNTS = 16
"""Most amounts of a text that are added up; groups of three grow with the cube of their number."""
_MULTIPLES = range(2, 13)


def missing_numbers(claim: str, text: str) -> list[str]:
    """List the figures of a claim that the text neither states nor gives as a sum of its amounts."""
    stated = numbers(text, words=True)
    return [
        n.text
        for n in numbers(plain(claim))
        if not any(same_number(n, s) for s in stated) and not _worked_out(n, stated)
    ]


def _worked_out(claimed: Quantity, stated: Sequence[Quantity]) -> bool:
    """Tell whether an amount is a sum, a difference or a small multiple of stated amounts."""
    if claimed.kind != "money":
        return False
    amounts = list(dict.fromkeys(s.value for s in stated if s.kind == "money"))[:_MOST_AMOUNTS]
    results = [sum(group) for size in (2, 3) for group in combinations(amounts, size)]
    results += [abs(a - b) for a, b in combinations(amounts, 2)]
    results += [count * amount for amount in amounts for count in _MULTIPLES]
    return any(same_number(claimed, claimed._replace(value=r, base=r, decimals=2)) for r in results)


Label = Literal["none", "partial", "full"]
_ORDER: tuple[Label, ...] = ("none", "partial", "full")
FULL, SOME = 0.6, 0.3
"""Shares of a claim's words. From the first on it is `full`, below the second `none` unless a figure is stated."""
_BORDER = re.compile(r"(?<=[.!?;])\s+|\n")
_CUT = "[...]"
"""Mark between passages that are not adjacent."""
_SHORT = 60
"""Length below which a sentence or line is joined with the next: fields of a record, items of a list."""
_HEADING = 200
"""Most characters of a first line that may be a heading."""
_MOST_FIGURES = 24
"""Most figures of a claim that are compared, so that work stays linear; no real sentence has more."""


class WindowVerdict(NamedTuple):
    label: Label
    reason: str
    share: float = 0.0
    """Share of the claim's words and figures that were found."""
    text: int = 0
    """Index of the text that holds the span."""
    span: Span | None = None
    """Sentences that share most with the claim."""


class _Window(NamedTuple):
    span: Span
    terms: frozenset[str | int]
    """Words of the claim, and indexes of its figures, in this window."""


class _Asked(NamedTuple):
    """The words and figures of a claim that are looked for."""

    words: frozenset[str]
    figures: Sequence[Quantity]

    def stated(self, found: Sequence[Quantity]) -> frozenset[str | int]:
        """Return the indexes of the claim's figures that are among those found."""
        return frozenset(i for i, one in enumerate(self.figures) if any(same_number(one, s) for s in found))

    def terms_in(self, sentence: str) -> frozenset[str | int]:
        stated = self.stated(numbers(sentence, words=True)) if self.figures else frozenset()
        return stated | (self.words & content_stems(sentence))


def label_support(claim: str, texts: Iterable[str]) -> WindowVerdict:
    """Label how far texts support a claim, with the place that shows most of it. These are the rules of `rules-2`.

    Counted are the claim's content words, each once and without its ending, and its figures. Words of a text's heading (its first line, where
    that ends no sentence) count only where nothing else is left, because all claims about a product share its name. Where one text states all figures of a claim
    and the claim has 60 % of the words of the text's heading, the heading counts as much as the figures, because they are of that very record. From each
    text count the words of the one or two adjacent sentences that share most; a sentence of fewer than 60 characters, or a field of a
    record, is joined with the next. The words of all texts are united. From 60 % on a claim is `full`, below 30 % `none`,
    in between `partial`. A figure is found where any text states it, whatever its thousands separators and units, rounded as in the
    claim. A claim with a missing or unfilled figure (`$None`) is never `full`; a claim with a found figure is never `none`. Nothing
    is fitted; the round numbers were chosen once, with WiCE dev, AttributionBench dev and claims about a shop's records in sight.

    The rules know no meaning: a claim that negates or swaps the words of its evidence is called `full`, a paraphrase in other words
    `none`. More evidence never lowers the label: the best of all texts together and of each alone counts.
    """
    bodies = list(texts)
    alone = [_of_texts(claim, [body])._replace(text=n) for n, body in enumerate(bodies)] if bodies[1:] else []
    return max([_of_texts(claim, bodies), *alone], key=lambda one: (_ORDER.index(one.label), one.share))


def _of_texts(claim: str, bodies: Sequence[str]) -> WindowVerdict:
    asked = _asked(claim, bodies)
    whole = len(asked.words) + len(asked.figures)
    best = [(window, which) for which, body in enumerate(bodies) if (window := _best(asked, body))]
    if not whole or not best:
        return WindowVerdict("none", "the claim shares no word with the evidence, its heading aside")
    stated = [one for body in bodies for one in numbers(body, words=True)] if asked.figures else []
    found_terms = frozenset().union(asked.stated(stated), *(window.terms for window, _ in best))
    shown, which = max(best, key=lambda one: len(one[0].terms))
    absent = [one.text for i, one in enumerate(asked.figures) if i not in found_terms]
    named = _weight_of_name(claim, asked.figures, bodies)
    share = (len(found_terms) + named) / (whole + named)
    nothing = share < SOME and len(absent) == len(asked.figures)
    absent += [one for one in _unfilled_amounts(claim) if not any(one in body for body in bodies)]
    label: Label = "none" if nothing else "full" if share >= FULL and not absent else "partial"
    return WindowVerdict(label, _explanation(asked, found_terms, absent), share, which, shown.span)


def _weight_of_name(claim: str, figures: Sequence[Quantity], bodies: Iterable[str]) -> int:
    """Return the weight of a record's name, up to the number of the claim's figures. It is 0 unless the record states all of them."""
    words, found = content_stems(claim), 0
    for body in bodies if figures else ():
        heading, stated = content_stems(body[: _heading(body)]), numbers(body, words=True)
        shared, whole = len(heading & words), len(heading)
        if shared >= max(1, FULL * whole) and all(any(same_number(n, s) for s in stated) for n in figures):
            found = max(found, min(shared, len(figures)))
    return found


def _unfilled_amounts(claim: str) -> list[str]:
    """List amounts that were never filled in: `$None`, `${price}`."""
    words = (word.strip(".,;:!?()") for word in plain(claim).split())
    return [word for word in words if word[:1] == "$" and (word[1:2].isalpha() or word[1:2] == "{")]


def _asked(claim: str, bodies: Sequence[str]) -> _Asked:
    figures = numbers(plain(claim))[:_MOST_FIGURES]
    words = content_stems(claim)
    headings = frozenset[str]().union(*(content_stems(body[: _heading(body)]) for body in bodies))
    return _Asked(words - headings if figures or words - headings else words, figures)


def _heading(text: str) -> int:
    """Return the end of the text's heading; 0 where there is none."""
    first, _, rest = text.partition("\n")
    is_heading = bool(rest) and len(first) <= _HEADING and not first.rstrip().endswith((".", "!", "?"))
    return len(first) if is_heading else 0


def _best(asked: _Asked, text: str) -> _Window | None:
    """Return the first window with most of the claim's terms: one sentence, or two where the second adds terms."""
    best: _Window | None = None
    last: _Window | None = None
    for span in _sentences(text):
        here = _Window(span, asked.terms_in(text[span.start : span.end]))
        both = here if last is None else _Window(Span(last.span.start, span.end), last.terms | here.terms)
        for one in (here, both):
            if one.terms and (best is None or len(one.terms) > len(best.terms)):
                best = one
        last = here
    return best


def _sentences(text: str) -> Iterator[Span]:
    """Yield the sentences, each short sentence joined with the next. A heading and the mark of a cut stand alone."""
    heading, begun, start = _heading(text), 0, 0
    for end, following in (*(m.span() for m in _BORDER.finditer(text)), (len(text), len(text))):
        here = text[start:end].strip()
        if here == _CUT and begun < start:
            yield Span(begun, start)
            begun = start
        if not here and begun == start:
            begun = following
        elif end - begun >= _SHORT or here == _CUT or end in (heading, len(text)):
            yield Span(begun, end)
            begun = following
        start = following


def _explanation(asked: _Asked, shared: frozenset[str | int], absent: Sequence[str]) -> str:
    words = len(asked.words & shared)
    place = "words (those of its heading not counted) are in neighbouring sentences of the evidence"
    parts = [f"{words} of the claim's {len(asked.words)} {place}"] if asked.words else []
    if asked.figures:
        parts.append(f"the evidence states {len(shared) - words} of the claim's {len(asked.figures)} figures")
    return "; ".join([*parts, *([f"not stated there: {', '.join(absent[:4])}"] if absent else [])])


_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
"""Scripts that are written without spaces, or whose words change their endings."""


@lru_cache(maxsize=4096)
def words_in_order(text: str) -> tuple[str, ...]:
    """List the words in order; in scripts without spaces, single characters."""
    found: list[str] = []
    for word in tokens(plain(text)):
        found += list(word) if _UNSPACED.search(word) else [word]
    return tuple(found)


@lru_cache(maxsize=4096)
def search_terms(text: str) -> frozenset[str]:
    """Return a text's terms: words without endings, pairs of characters in scripts without spaces, and figures."""
    found: set[str] = set()
    for word in content_words(text):
        if _UNSPACED.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        else:
            found.add(word_stem(word))
    return frozenset(found | {f"#{one.value:g}" for one in numbers(plain(text))})


def most_alike(texts: Sequence[str]) -> list[tuple[int, int]]:
    """List all pairs of texts, most similar first. Shared terms that few texts have weigh more; of equal pairs, the closest in the list come first."""
    term_sets = [search_terms(text) for text in texts]
    pairs = list(combinations(range(len(texts)), 2))
    if not pairs:
        return []
    counts = Counter(term for own in term_sets for term in own)
    places = {term: place for place, term in enumerate(sorted(counts))}
    weights = np.array([log((len(texts) + 1) / (counts[term] + 0.5)) for term in sorted(counts)])
    shown = np.zeros((len(texts), max(1, len(places))))
    for row, own in enumerate(term_sets):
        shown[row, [places[term] for term in own]] = 1
    weighed = shown * np.clip(weights, 0, None) if places else shown
    common, whole = np.einsum("it,jt->ij", weighed, shown), weighed.sum(axis=1)
    alike = {(i, j): round(float(common[i, j] / (min(whole[i], whole[j]) or 1)), 6) for i, j in pairs}
    return sorted(pairs, key=lambda pair: (-alike[pair], pair[1] - pair[0], pair))


WHOLE = 6000
"""Length below which a text is shown whole."""
PASSAGE = 1000
PASSAGES = 5


class Cut(NamedTuple):
    """The amount of a text that a judge is shown. A long text is cut to its beginning and the passages that rank first for the claim."""

    whole: int = WHOLE
    passages: int = PASSAGES
    fills: bool = False
    """True if passages without a word of the claim are shown too, as room allows."""


CONCERNING = Cut()


def whole_within(room: int) -> Cut:
    """Return a cut that shows texts of at most this many characters whole. Longer texts are shown up to about that length."""
    return Cut(room + 1, max(0, room // PASSAGE - 1), fills=True)


class _Index(NamedTuple):
    spans: tuple[Span, ...]
    ranking: Bm25


_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[#\-*|])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


def passages(text: str) -> list[Span]:
    """Split the text at paragraphs, then sentences, then anywhere, into spans of at most `PASSAGE` characters."""
    pieces: list[Span] = []
    for start, end in _cut_at_borders(text, 0, len(text), _PARAGRAPH):
        if end - start <= PASSAGE:
            pieces.append(Span(start, end))
            continue
        for low, high in _cut_at_borders(text, start, end, _SENTENCE_END):
            pieces += [Span(at, min(at + PASSAGE, high)) for at in range(low, high, PASSAGE)]
    return [span for span in _join_spans(pieces, PASSAGE) if text[span.start : span.end].strip()]


def _cut_at_borders(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterable[tuple[int, int]]:
    at = start
    for match in border.finditer(text, start, end):
        if match.end() > at:
            yield at, match.end()
            at = match.end()
    if at < end:
        yield at, end


@lru_cache(maxsize=256)
def _index(text: str) -> _Index:
    spans = tuple(passages(text))
    return _Index(spans, Bm25([text[span.start : span.end] for span in spans]))


def shown_spans(claim: str, text: str, cut: Cut = CONCERNING) -> list[Span]:
    """Return the spans of a text that are shown. These are all of a short text, else its beginning and the passages that BM25 ranks first, in order."""
    if len(text) < cut.whole:
        return [Span(0, len(text))]
    index = _index(text)
    ranked = sorted((-score, i) for i, score in enumerate(index.ranking.scores(claim)))
    if cut.fills:
        best = [i for _, i in ranked if i][: cut.passages]
        return _join_spans((index.spans[i] for i in sorted({0, *best})), len(text))
    best = [i for s, i in ranked[: cut.passages] if s < 0]
    return [index.spans[i] for i in sorted({0, *best})]


def _join_spans(spans: Iterable[Span], most: int) -> list[Span]:
    """Join adjacent spans to at most so many characters, so that no gap is shown between them."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].end == span.start and span.end - found[-1].start <= most:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return found
