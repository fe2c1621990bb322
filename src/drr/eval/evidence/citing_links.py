"""Decides whether a link's text is part of its sentence or a citation mark, as in `costs $18.99 [source](...)`.

A text that the sentence needs, as subject, object or behind a preposition, stays. A link behind a complete statement is a mark where
its text is one by nature (`source`, a host, `Acme, 2024`, a sign), names the linked site or repeats what the statement says. In
doubt the text stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from drr.citations.parse import Marker


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_LAST_WORD = re.compile(r"([^\W\d_][\w'’-]*)[.*_\s]*\Z")
_GENERIC = _words(
    "source sources src link links ref refs reference references cite cited citation citations here url "
    "page pages website webpage site listing see view read more details detail info information learn "
    "product item shop store article original full 来源 链接 出处 参考 "
)
"""Words that can form a mark by themselves, because they say nothing about their source."""
_COLUMNS = _words("source sources link links url reference references citation")
_SIGNS = re.compile(r"[\W_]*\Z")
_NUMBERS = re.compile(r"[\[(【]\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3}){0,9}\s*[\])】]\Z")
_LETTER = re.compile(r"[\W_]?[a-z][\W_]?\Z")
_NAMED = re.compile(r"[\[(]?(?:sources?|refs?|references?|via)\s?(?:[:#]\s*\S|\d{1,3}\b)", re.I)
_HOST = re.compile(r"(?:www\.)?((?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12})\Z", re.I)
_SITE = re.compile(r"[a-z]+://(?:www\.)?([^/:?#]+)", re.I)
_AUTHOR_YEAR = re.compile(
    r"[\[(]?[^\W\d_][^\d]{1,80}?(?:,\s?|\bet al\.?,?\s?|\s?\()(?:(?:19|20)\d\d[a-z]?|n\.d\.)[\])]{0,2}\Z"
)
_DETERMINERS = _words(
    "a an the this that these those its their his her our your my each every any no some another other both "
    "either neither two three four five six "
)
_NEEDS = _DETERMINERS | _words(
    "of in on at to by from with without for as than like per via about against between among into onto "
    "over under near behind beside beyond during through toward towards within upon across around vs "
    "versus unlike such what which whose is are was were be been being am isn't aren't wasn't weren't "
    "becomes became remains remained called named means and or but nor if when while because although "
    "though whether where how only just even also not will would can could should may might must shall "
    "do does did have has had see visit read check click use try view consult recommend prefer choose "
    "pick buy get order include includes including "
)
"""Words that need a word after them: a link right behind them is part of the sentence."""
_POINTING = re.compile(
    r"[\W_]*(?:see(?: also)?|sources?|via|cf\.?|refs?|more (?:at|on|in)|read more(?: at)?)\s?:?\s*\Z", re.I
)
_ATTRIBUTING = re.compile(
    r"(?:\s*[;,.—–]|\s-)\s*(?:see(?: also)?|sources?|via|cf\.?|refs?|(?:as )?per|according to)\s?:?\s*\Z|\saccording to\s*\Z",
    re.I,
)
"""Words before a link that are removed together with the mark."""
_PRICED = re.compile(
    r"\b(?:costs?|is|are|was|were|at|for|to|of|about|around|only|under|over|below)\s[$€£¥]\s?\d(?:[\d,.]*\d)?\Z",
    re.I,
)
_MEASURED = re.compile(
    r"(?:\A|(\S+)\s)\d[\d,.]*(?:\s?%|[\s-]?(?:feet|ft|in|oz|lb|kg|g|mm|cm|ml|[^\W\d_]{2,20}s))\Z", re.I
)
_OPENED = re.compile(
    r"[(（](?:[\s,;:]|\b(?:and|see|also|via|sources?|refs?|per|from|cf\.|according to)(?!\w))*\Z", re.I
)
_BEHIND_STOP = re.compile(r"[.!?。！？…][\"'”’)*_]*\s*\Z")
_NO_WORD = re.compile(r"(?:[^\w|]|_)*(?:\||\Z)")
_PARTED = re.compile(rf"{_NO_WORD.pattern}|\s*[,;]")
_GOES_ON = re.compile(
    r"\s*(?:[,;:.!?)）|。，；]|[-–—]\s|(?:and|but|or|while|with|which|for|in|at|on|so|because|whereas|though|although|as|by|from"
    r"|than|when|where|yet|plus)\b)",
    re.I,
)
_SEPARATORS = " \t,;，；、"
_LOOSE_END = re.compile(r"(?:\s*[,;:—–·•]|\s-)*\s*\Z")
_LOOK = 100
"""Number of characters on either side that are examined."""


def words_of(report: str, start: int, end: int, markers: list[Marker], citing: Collection[int] = ()) -> str:
    """Return the words of a span with the link texts that are part of it. `citing` are the columns of a row that hold only citations."""
    statement = _Statement(report, end, start)
    column, counted = -(report[start : start + 1] == "|"), start
    for marker, run_end in zip(markers, _ends_of_runs(report, markers), strict=True):
        if marker.start < statement.position:
            continue
        if citing:
            column += report.count("|", counted, marker.start)
            counted = marker.end
        statement.take(marker, report[run_end : min(run_end + _LOOK, end)], cites=column in citing)
    return statement.whole()


def only_points(words: str) -> bool:
    """Tell whether the words only introduce a citation: `See`, `Source:`."""
    return _POINTING.match(words.rstrip(".!。 ")) is not None


def names_citing(column: str) -> bool:
    """Tell whether a column's heading names links: `Source`, `Product link`."""
    words = [word.casefold() for word in _WORD.findall(column)]
    return bool(words) and words[-1] in _COLUMNS


def _ends_of_runs(report: str, markers: list[Marker]) -> list[int]:
    """Return for each citation the end of the run of citations that it begins."""
    if not markers:
        return []
    ends = [markers[-1].end]
    for marker, after in reversed(list(pairwise(markers))):
        together = after.start < marker.end or not report[marker.end : after.start].strip(_SEPARATORS)
        ends.append(ends[-1] if together else marker.end)
    return ends[::-1]


class _Statement:
    """The words of a statement collected so far, and the position reached in the report."""

    def __init__(self, report: str, end: int, position: int) -> None:
        self.position = position
        self._report, self._end = report, end
        self._parts: list[str] = []
        self._words: set[str] = set()
        self._last_text = ""
        self._after_mark = False

    def take(self, marker: Marker, after: str, *, cites: bool) -> None:
        between = self._report[self.position : marker.start]
        self.position = marker.end
        again = self._after_mark and not between.strip(_SEPARATORS)
        if not again:
            self._add(between)
        is_link = marker.form in ("link", "html") and not marker.id.startswith(("http://", "https://"))
        self._after_mark = not is_link or cites or self._is_mark(marker, after)
        if not self._after_mark:
            self._add(between + marker.id if again else marker.id)
        elif (
            (is_link or marker.form == "numbered_link")
            and _PARTED.match(after)
            and not _OPENED.search(self._last_text)
        ):
            self._close()

    def whole(self) -> str:
        return "".join([*self._parts, self._report[self.position : self._end]])

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._words.update(word.casefold() for word in _WORD.findall(text))
        self._last_text = (self._last_text + text)[-_LOOK:]

    def _close(self) -> None:
        """Remove the words that led to the mark behind the last word: a comma, a dash, `according to`."""
        kept = self._last_text
        led = _ATTRIBUTING.search(kept)
        kept = kept[: led.start() + (kept[led.start()] == ".")] if led else kept
        loose = _LOOSE_END.search(kept)
        kept = kept[: loose.start()] if loose else kept
        cut = len(self._last_text) - len(kept)
        while cut:
            last = self._parts.pop()
            if len(last) > cut:
                self._parts.append(last[:-cut])
            cut = max(0, cut - len(last))
        self._last_text = kept

    def _is_mark(self, marker: Marker, after: str) -> bool:
        words = marker.id
        before = self._last_text.rpartition("|")[2]
        closed = after.startswith((")", "）"))
        opened = _OPENED.search(before)
        if opened and (closed or opened[0] in ("(", "（")):
            return True
        if len(words) > _LOOK:
            return False
        ends = _NO_WORD.match(after) is not None
        alone = not _WORD.search(before)
        if alone or not (ends or _GOES_ON.match(after)):
            return "|" in self._last_text and alone and ends and is_mark_by_nature(words)
        if _POINTING.match(before):
            return ends
        if ends and _ATTRIBUTING.search(before):
            return self._states()
        last = _LAST_WORD.search(before)
        if before.rstrip("* _").endswith((":", "：")) or (last and last[1].casefold() in _NEEDS):
            return False
        if is_mark_by_nature(words):
            return True
        if not self._states():
            return False
        return _is_source(words, marker.url) or self._adds_nothing(words, before.rstrip(" *_"), ends)

    def _states(self) -> bool:
        return len(self._words) >= 3 or any(word[0].isdecimal() for word in self._words)

    def _adds_nothing(self, name: str, before: str, ends: bool) -> bool:
        if ends and _BEHIND_STOP.search(before):
            return True
        measured = _MEASURED.search(before)
        counted = measured is not None and (measured[1] or "").casefold() not in _DETERMINERS
        if (name[:1].isupper() or _HOST.match(name)) and (counted or _PRICED.search(before)):
            return True
        content = {word.casefold() for word in _WORD.findall(name)} - _GENERIC
        return ends and content <= self._words


def is_mark_by_nature(words: str) -> bool:
    if _SIGNS.match(words) or _NUMBERS.match(words) or _LETTER.match(words) or _NAMED.match(words):
        return True
    found = [word.casefold() for word in _WORD.findall(words)]
    return 0 < len(found) <= 4 and all(
        word in _GENERIC or word in ("on", "at", "the", "in", "to") for word in found
    )


def _is_source(words: str, url: str | None) -> bool:
    """Tell whether the words are an author with a year, or the linked site's host or name."""
    if _AUTHOR_YEAR.match(words):
        return True
    site = _SITE.match(url or "")
    if site is None:
        return False
    host = _HOST.match(words.strip())
    if host:
        return site[1].casefold().endswith(host[1].casefold())
    name = "".join(word.casefold() for word in _WORD.findall(words) if word.casefold() not in _GENERIC)
    return len(name) >= 4 and name in site[1].casefold().replace("-", "").split(".")
