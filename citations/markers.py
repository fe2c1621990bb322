"""Markers in the body that point into a reference list: `[1, 4]`, `[3-5]`, `【1】`, `[^2]`, a number glued to a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters
from typing import Literal, NamedTuple

MarkForm = Literal["bracket", "range", "footnote", "label", "superscript", "glued"]
Mark = tuple[int, int, str, MarkForm, str]
"""Start, end, id, form, and `malformed` for an id that no list could have (`4-2`, `41-23`), `blanket` for a member of a range
of more than ten. A plain tuple, because there may be hundreds of thousands."""
_RATION = 20_000
"""Members that ranges may stand for in one report; a range beyond it counts once."""

_BRACKET = re.compile(
    r"(\\?)[\[【［](\^[^\s\[\]【】\\]{1,60}|[ \t]*(?:[A-Za-z\u4e00-\u9fff]{1,10}[ \t:#.,：]{0,3}){0,2}[#^]?\d[^\[\]【】［］\n\\]{0,300}?)\\?[\]】］]"
)
_PREFIX = re.compile(
    r"(?:sources?|refs?|references?|citations?|cites?|see|web ?pages?|web|docs?|documents?|search results?|results?|e\.g|cf|来源|引用|参考|文献|参考文献)\s*[:#.：]?,?\s*(?=\d)",
    re.I,
)
_SPLIT = re.compile(r"\s*[,;，、；&]\s*|\s+and\s+|\s+")
_LOCATED = re.compile(
    r"(\d{1,4})\s*[,:;]\s*(?:pp?\.|pages?|sec(?:tion)?\b|§|tab(?:le)?\b|fig(?:ure)?\b|ch(?:apter)?\b|para\b|eq\b|line)",
    re.I,
)
_NO_COMMAS = str.maketrans("", "", ", \t")
_ONLY_NUMBERS = str.maketrans("", "", "^,- \t")
_NUMBER = re.compile(r"[#^]?(\d{1,4})$")
_RANGE = re.compile(r"\^?(\d{1,4})(?:-|–|—|‑|−|~|～|\.\.|至|到)\^?(\d{1,4})$")
_SPACED_RANGE = re.compile(r"(?<=\d)\s*(-|–|—|‑|−|~|～|\bto\b|至)\s*(?=\d)")
_SUFFIXED = re.compile(r"(\d{1,4})(?::\d{1,4})?(?:†|‡|\+L\d|:L\d|#L\d).{0,40}$")
_NAMED = re.compile(r"[A-Za-z]{1,3}\d{1,4}$")
_ARRAY = re.compile(r"\[\s*\[\s*-?[\d.]+\s*,[-\d\s.,]*\]\s*(?:,\s*\[[-\d\s.,]*\]\s*)*\]?")
_LABEL_BEFORE = re.compile(r"[^\W\d_][\w %()-]*\Z")
_SOURCE_WORD = re.compile(
    r"(?:sources?|references?|refs?|see|citations?|cited|via|from|evidence|support(?:ed by)?|来源|参考|引用|见|出处|文献|资料)\W*$",
    re.I,
)
_INTERVAL_WORDS = (
    "interval",
    "range",
    "range of",
    "between",
    "from",
    "within",
    "∈",
    "区间",
    "范围",
    "$",
    "ci",
    "in",
)
_SHORT_WORDS = ("ci", "in")

_PUNCTUATION = ".,;:!?。，；：！？"
_TAIL = (
    rf"[{_PUNCTUATION}][\"'”’)）*]{{0,3}}"
    r"(\d{1,3}(?:,\d{1,3}){0,4})(?=\s|$|[)）|*\]”\"<—–]|_(?=\s|$))"
)
_GLUED = re.compile(
    r"(?<=[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af)\]）%’”\"'*|_;:+…™®°])"
    + _TAIL
)
_GLUED_TAIL = re.compile(_TAIL)
_BEFORE_TAIL = re.compile(r"(\d{1,3}(?:, ?\d{1,3}){0,4})(?=[.;:!?。，；：！？、](?:[\s*|]|$))")
_BEFORE_STOP = re.compile(
    r"(?:(?<=[a-z\u00df-\u00ff\u0430-\u044f][a-z\u00df-\u00ff\u0430-\u044f])|(?<=[\"”’»)）\]*]))"
    r"(\d{1,3}(?:, ?\d{1,3}){0,4})(?=[.;:!?](?:[\s*|]|$)|, |[ \t]*(?:\n|$|\|))"
    r"|(?<=[A-Za-z\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af”』」）》】\"*)])[ \u00a0]?(\d{1,3}(?:[,，、] ?\d{1,3}){0,4})(?=[。，；：！？、])"
)
"""`Blender3.`, `地图 3。`: the number stands before the sentence's mark."""
_RAISED = re.compile(
    r"(?:(?<=[^\W\d_][^\W\d_])|(?<=[.,;:!?)”\"'’%\]»*。，；：！？）」』】]))(?<![kcdmn]m)(?<!ft)(?<!\bin)[⁰¹²³⁴-⁹]{1,3}"
    r"|(?<![\d\[\\^])(?<![^\W\d_]\^)\^\d{1,3}(?:,\\? ?\d{1,3}){0,9}\^"
)
"""`growth²`, and `growth^2^` as Pandoc writes it."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DIGITS = re.compile(r"\d{1,4}")
_ANY_DIGIT = re.compile(r"[\d⁰¹²³⁴-⁹]")
_PAIR = re.compile(r"([0-9]{1,4}) ?, ?([0-9]{1,4})")
_GLUED_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d[.。](\d{1,3})(?=\s+[A-Z\u4e00-\u9fff]|\s*$)", re.M)
_ABBREVIATED = re.compile(
    r"(?:nos?|figs?|vols?|pp?|pg|ch|sec|eqs?|vs?|ver|ca|approx|art|para?|app|tab|table|item|st|mt|nr|ref|rev|ed|rule|step|pt|ser|ex|al|www)"
)
_MAY_END = frozenset(
    ["art", "app", "table", "tab", "item", "rule", "step", "para", "ex", "al", "no", "pt", "st", "ch", "ed"]
)
"""Abbreviations that are also what a sentence may end with: `the state of the art.3 The next`."""
_NEXT_SENTENCE = re.compile(r"\s+[A-Z\"“*(\[\u4e00-\u9fff]|\s*(?:\n|$)")


def find_marks(
    text: str,
    known: frozenset[str],
    *,
    numbered: bool,
    labels: frozenset[str],
    raised: list[tuple[int, int, str]],
    closed: list[int],
) -> list[Mark]:
    """All markers of the text; `known` are the ids of the lists, `labels` those of them that are words, `closed` where code and
    images end that are blank now, `raised` what
    stood in superscript tags."""
    marks, candidates = _bracketed(text, known)
    some_resolve = any(mark[2] in known for mark in marks) or any(
        item in known for _, _, _, group in candidates for item, _, _ in group.items
    )
    escapes_cite = any(mark[2] in known and text[mark[0]] == "\\" for mark in marks)
    ration = _RATION
    decided: dict[tuple[int, bool], bool] = {}
    for start, end, esc, group in candidates:
        last = text[start - 1 : start]
        if last in " *\u00a0\u202f":
            last = text[max(0, start - 60) : start].rstrip(" *\u00a0\u202f")[-1:]
        spoken = last.isalpha() or last in (":", "：", "=", "$", "∈")
        # Behind a word the words decide; elsewhere the same brackets mean the same.
        key = (id(group), esc)
        cites = None if spoken else decided.get(key)
        if cites is None:
            cites = _is_citation(text, start, group, some_resolve, esc, escapes_cite, spoken)
            if not spoken:
                decided[key] = cites
        if cites:
            members = group.members if len(group.members) <= ration else group.items
            if len(members) > len(group.items):
                ration -= len(members)
            marks += [(start, end, name, form, note) for name, form, note in members]
    marks += [
        (start, end, number, "superscript", "")
        for start, end, content in raised
        for number in re.findall(r"\d{1,4}", content)
        if number in known
    ]
    if labels:
        marks += _labelled(text, labels)
    if numbered and not some_resolve and not any(mark[3] == "footnote" for mark in marks):
        marks += _unbracketed(text, known, closed)
    marks.sort()
    return marks


_Item = tuple[str, str]
"""The id, and `number`, `range`, `malformed`, `footnote` or `named`."""
_Member = tuple[str, MarkForm, str]
"""Id, form and note of a mark."""


class _Group(NamedTuple):
    """What stands between two brackets, worked out once however often it stands in the text."""

    items: list[_Member]
    members: list[_Member]
    """The same with its ranges expanded, where both ends are known."""
    only: tuple[str, str] | None
    """Both ends, where it is one item."""
    resolved: int
    footnotes: bool
    """All are."""
    strange: bool
    """Some name is in no list."""
    named: bool
    repeats: bool
    """Some number stands there twice, or a nought."""
    ascending: bool
    small: bool
    """All between 1 and 999."""


_Candidate = tuple[int, int, bool, _Group]
"""Start, end, whether the bracket was escaped, and what is inside."""


def _bracketed(text: str, known: frozenset[str]) -> tuple[list[Mark], list[_Candidate]]:
    """Single numbers as they are, and the rest, which has to be looked at more closely."""
    marks: list[Mark] = []
    rest: list[_Candidate] = []
    read: dict[str, str | _Group | None] = {}
    ration = _RATION
    arrays_end = -1
    for match in _BRACKET.finditer(text):
        start, end = match.span()
        body = match[2]
        if text[max(0, start - 2) : start] == "# ":
            continue  # the number of the heading itself
        if text[start + 1 : start + 2] == "[" or text[start - 1 : start] == "[":
            if start < arrays_end:
                continue
            array = _ARRAY.match(text, start - 1 if text[start - 1 : start] == "[" else start)
            if array and array[0].count("[") > 2:
                arrays_end = array.end()
                continue
        elif start < arrays_end:
            continue
        if body not in read:
            items = _items(body.strip())
            if len(items) == 1 and items[0][1] == "number":
                number = items[0][0]
                plausible = 0 < int(number) < 1000 and "#" not in body  # `[#456]` is an issue of a tracker
                read[body] = number if number in known or plausible else None
            else:
                read[body] = group = _group(items, known, ration) if items else None
                ration -= len(group.members) if group and len(group.members) > len(group.items) else 0
        held = read[body]
        if isinstance(held, str):
            marks.append((start, end, held, "bracket", ""))
        elif held is not None:
            rest.append((start, end, match[1] != "", held))
    return marks, rest


def _group(items: list[_Item], known: frozenset[str], ration: int) -> _Group:
    plain: list[_Member] = []
    members: list[_Member] = []
    numbers: list[int] = []
    if (
        len(items) == 2 and items[0][1] == items[1][1] == "number"
    ):  # most, and a report may hold many thousands
        (low, _), (high, _) = items
        plain, first, last = [(low, "bracket", ""), (high, "bracket", "")], int(low), int(high)
        return _Group(
            plain,
            plain,
            None,
            (low in known) + (high in known),
            False,
            False,
            False,
            first == last or not first or not last,
            first <= last,
            0 < first < 1000 and 0 < last < 1000,
        )
    resolved = footnotes = 0
    strange = named = False
    for name, kind in items:
        if kind == "number":
            low = high = name
            numbers.append(int(name))
        else:
            low, _, high = name.partition("-") if kind in ("range", "malformed") else (name, "", name)
            numbers += [int(one) for one in ((low,) if low == high else (low, high)) if one.isdecimal()]
        resolved += low in known or high in known
        if kind == "range":
            plain.append((name, "range", ""))
            first, last = int(low), int(high)
            if low in known and high in known and len(members) + last - first < ration:
                blanket = "blanket" if last - first + 1 > 10 else ""
                members += [(str(number), "range", blanket) for number in range(first, last + 1)]
                continue
        elif kind == "malformed":
            plain.append((name, "bracket", "malformed"))
        elif kind == "footnote":
            plain.append((name, "footnote", ""))
            footnotes += 1
        else:
            plain.append((name, "bracket", ""))
            if kind == "named":
                named = True
                strange = strange or name not in known
        members.append(plain[-1])
    in_order = sorted(numbers)
    return _Group(
        plain,
        members,
        (low, high) if len(items) == 1 else None,
        resolved,
        footnotes == len(items),
        strange,
        named,
        len(set(numbers)) < len(numbers) or ("0", "number") in items,
        numbers == in_order,
        not numbers or (in_order[0] > 0 and in_order[-1] < 1000),
    )


def _items(body: str) -> list[_Item]:
    if body[0] == "^" and not body.translate(_ONLY_NUMBERS).isdecimal():
        return [(body[1:].rstrip("^").casefold(), "footnote")]
    if body.isascii() and body.isdecimal():
        return [(str(int(body)), "number")] if len(body) <= 4 else []
    pair = _PAIR.fullmatch(body)
    if pair:
        return [(str(int(pair[1])), "number"), (str(int(pair[2])), "number")]
    if body.isascii() and body.translate(_NO_COMMAS).isdecimal():
        parts = body.replace(",", " ").split()
        return [(str(int(part)), "number") for part in parts] if max(map(len, parts)) <= 4 else []
    footnote = body[0] == "^"
    if footnote and body[-1] == "^":
        body = body[:-1]
    body = _PREFIX.sub("", body, count=1) if not body[0].isdecimal() else body
    located = _LOCATED.match(body)
    if located:
        return [(str(int(located[1])), "number")]
    suffixed = _SUFFIXED.match(body)
    if suffixed and not re.search(r"[,;]\s*\d+\s*†", body):
        return [(str(int(suffixed[1])), "number")]
    found: list[_Item] = []
    for part in _SPLIT.split(_SPACED_RANGE.sub(lambda m: "-" if m[1] == "to" else m[1], body)):
        if not part:
            continue
        number = _NUMBER.match(part)
        if number:
            found.append((str(int(number[1])), "footnote" if footnote else "number"))
            continue
        both = _RANGE.match(part)
        if both:
            low, high = int(both[1]), int(both[2])
            found.append((f"{low}-{high}", "range" if low < high else "malformed"))
            continue
        cut = _SUFFIXED.match(part)
        if cut:
            found.append((str(int(cut[1])), "number"))
        elif _NAMED.match(part):
            found.append((part.casefold(), "named"))
        else:
            return []
    return found


def _is_citation(
    text: str, start: int, group: _Group, some_resolve: bool, escaped: bool, escapes_cite: bool, spoken: bool
) -> bool:
    """Numbers in brackets may also be ratings, intervals, arrays, formulas."""
    if group.footnotes:
        return True
    if group.strange:
        return False
    before = text[max(0, start - 60) : start].rstrip(" *\u00a0\u202f")
    if group.only is not None:
        if group.named:
            return False  # a label
        low, high = group.only
        if not group.resolved and (int(low) > 999 or int(high) > 999 or int(low) == 0):
            return False
        return not spoken or not _tells_interval(before)
    if escaped and not (escapes_cite and group.resolved):
        return False
    if group.repeats:
        return False
    last = before[-1:]
    if (
        last in (":", "：", "=")
        and _is_label(before)
        and not _SOURCE_WORD.search(before, max(0, len(before) - 40))
    ):
        quoted = before[:-1].rstrip().endswith(('"', "'", "`"))
        return group.resolved == len(group.items) < 3 and group.ascending and last != "=" and not quoted
    if len(group.items) == 2 and spoken and _tells_interval(before):
        return False
    return group.resolved > 0 or (some_resolve and group.ascending and group.small)


def _is_label(before: str) -> bool:
    """Words and a colon or an equals sign: `Ratings (of 5):`."""
    bare = before[:-1].rstrip().rstrip("\"'`")
    end = bare[-1:]
    return end.isalnum() or end == "_" or _LABEL_BEFORE.search(bare) is not None


def _tells_interval(before: str) -> bool:
    """`95% CI:`, `between`, `a range of`: what follows is an interval."""
    bare = before.rstrip()
    if bare.endswith((":", "：")):
        bare = bare[:-1].rstrip()
    bare = bare.lower()
    if not bare.endswith(_INTERVAL_WORDS):
        return False
    if not bare.endswith(_SHORT_WORDS) or bare.endswith("within"):
        return True
    ahead = bare[-3:-2]
    return not (ahead.isalnum() or ahead == "_")


def _labelled(text: str, labels: frozenset[str]) -> Iterator[Mark]:
    """`[words][id]` and `[id]`, where `[id]: url` stands somewhere."""
    for match in re.finditer(r"\[([^\[\]\n]{1,80})\](?![(:])(?:\[([^\[\]\n]{0,80})\])?", text):
        label = (match[2] or match[1]).strip().casefold()
        if label in labels:
            yield match.start(), match.end(), label, "label", ""


def _unbracketed(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    """Numbers without brackets. After a stop they can hardly mean anything else; before it, and raised, they may be a name
    (`GT3.`) or a power (`m²`), so that they have to name half of the list to count."""
    if _ANY_DIGIT.search(text) is None:
        return []
    after = list(_glued(text, known, closed))
    enough = (sum(name.isdecimal() for name in known) + 1) // 2
    for found in (_before_stop(text, known, closed), _raised(text, known)):
        if len(found) > len(after) and len({mark[2] for mark in found}) >= max(2, enough):
            return found
    return after


def _before_stop(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    found: list[Mark] = []
    for match in [*_BEFORE_STOP.finditer(text), *_behind(closed, _BEFORE_TAIL, text)]:
        group = 1 if match[1] else 2
        numbers = [str(int(one)) for one in _DIGITS.findall(match[group])]
        if known.issuperset(numbers):
            found += [(match.start(group), match.end(group), number, "glued", "") for number in numbers]
    return found


def _behind(closed: list[int], tail: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return filter(None, (tail.match(text, end) for end in closed))


def _raised(text: str, known: frozenset[str]) -> list[Mark]:
    found: list[Mark] = []
    for match in _RAISED.finditer(text):
        numbers = [str(int(one)) for one in _DIGITS.findall(match[0].translate(_SUPERSCRIPTS))]
        if known.issuperset(numbers):
            found += [(match.start(), match.end(), number, "superscript", "") for number in numbers]
    return found


def _glued(text: str, known: frozenset[str], closed: list[int]) -> Iterator[Mark]:
    for found in (_GLUED.finditer(text), _GLUED_YEAR.finditer(text), _behind(closed, _GLUED_TAIL, text)):
        for match in found:
            numbers = [str(int(one)) for one in match[1].split(",")]
            if not known.issuperset(numbers):
                continue
            if match.re is _GLUED and _is_abbreviation(text, match):
                continue
            for number in numbers:
                yield match.start(1), match.end(1), number, "glued", ""


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    """`fig.2`, `vol.3`: a number of something."""
    before = text[max(0, match.start() - 12) : match.start()]
    bare = before.rstrip(ascii_letters)
    word = before[len(bare) :]
    if _ABBREVIATED.fullmatch(word.lower()) is None or not (
        not bare or bare[-1].isspace() or bare[-1] in "(（["
    ):
        return False
    return word not in _MAY_END or _NEXT_SENTENCE.match(text, match.end()) is None
