"""Reference lists: by their shape first, by their heading second, in whatever language, with or without numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from drr.citations.links import Link, Scan, number_in

EntryForm = Literal["bracket", "definition", "dot", "label", "row", "plain"]


@dataclass(slots=True)
class Entry:
    numbers: list[str]
    """As in the list; empty where the list has none. Footnotes may have names."""
    start: int
    end: int
    links: list[Link]
    form: EntryForm
    indent: int = 0


@dataclass(slots=True)
class ReferenceList:
    entries: list[Entry]
    by_number: dict[str, Entry] = field(default_factory=dict)

    @property
    def start(self) -> int:
        return self.entries[0].start


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str
    first: str
    """Its first character behind spaces and quotation marks."""
    after_blank: bool
    links: Sequence[Link]


class _Lines:
    """The lines that are not blank. Each is made when it is asked for: most of half a million need not be."""

    def __init__(self, scan: Scan) -> None:
        self.texts: list[str] = []
        self.links: dict[int, list[Link]] = {}
        self._starts: list[int] = []
        self._parted: set[int] = set()
        blank = True
        upcoming = iter(scan.links)
        link = next(upcoming, None)
        start = 0
        windows = "\r" in scan.plain
        for text in scan.plain.split("\n"):
            end = start + len(text)
            if windows:
                text = text.rstrip("\r")
            said = text != "" and not text.isspace()
            while link is not None and link.start < end:
                if said:
                    self.links.setdefault(len(self.texts), []).append(link)
                link = next(upcoming, None)
            if said:
                if blank:
                    self._parted.add(len(self.texts))
                self.texts.append(text)
                self._starts.append(start)
            blank = not said
            start = end + 1

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> _Line:
        text, start = self.texts[index], self._starts[index]
        first = text[0] if text[0].isalnum() else text.lstrip(_MARGIN)[:1]
        return _Line(start, start + len(text), text, first, index in self._parted, self.links.get(index, ()))

    def says_nothing(self, index: int) -> bool:
        """Outside any list: neither a heading nor an entry nor the label of a list."""
        if index in self.links:
            return False
        text = self.texts[index]
        first = text[0]
        if first in _SPECIAL or first.isspace() or first.isdecimal():
            return False
        return _MAY_NAME.search(text[:60].lower()) is None


_HEADING = re.compile(r"[\s>]*(#{1,6})\s*(.+?)\s*#*\s*$")
_BOLD_LINE = re.compile(r"[\s>]*(?:\*\*|__)([^*_\n]{1,80})(?:\*\*|__)\s*[:：]?\s*$")
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|⁂|\* \* \*)\s*$")
_APPENDIX = re.compile(r"(?:appendix|附录|附錄)\s?(?:[A-Z\d一二三四五]{1,2}\b)?\s*[:：.–—-]\s*", re.I)
_ORDINAL = re.compile(
    r"^(?:\d+(?:\\?\.\d+)*\\?[.)、:：]?|[ivxlc]+\\?[.)]|[一二三四五六七八九十]+[、.．]|[A-Z]\\?[.)])\s+|^[一二三四五六七八九十]+[、.．]",
    re.I,
)
_NAMED = re.compile(
    r"(?:(?:annotated|cited|links to|key|main|selected|primary|full|complete|additional|supporting|web|online|external|all|numbered|product|other|and|&|source|reference|citation|further|useful|related|relevant|research|my|the|list of|data|notes|information|consulted|verified|referenced)\s+)*"
    r"(?:references?|sources?|citations?|bibliography|works?(?:\s+(?:cited|consulted))?|literature(?:\s+cited)?|cited works|referenced works|footnotes?|endnotes?|links?|reading|resources?|urls?|evidence"
    r"|(?:source|reference) (?:materials?|documents?|notes|summary))"
    r"(?:\s+(?:list|cited|used|consulted|reviewed|analy[sz]ed|referenced|section|links?|urls?|index|list(?:ing)?|for this report|in (?:this|the) report|by section|with (?:links|urls)"
    r"|(?:and|&) (?:references|sources|links|citations|further reading|notes|resources|credits)|and (?:methodology|methods|data)|/ (?:references|sources)))*"
    r"|learn more",
    re.I,
)
_NOT_ALONE = re.compile(
    r"^(?:(?:related )?links?|reading|resources?|urls?|evidence|literature|data sources?)$", re.I
)
_LINKS = re.compile(r"\W*(?:(?:useful|related|helpful) )?(?:links?|resources|urls?|链接)\W*", re.I)
"""What may be a list of links or a section about them: what stands below decides."""
_FOREIGN = re.compile(
    r"(?:主要|关键|核心|重要|全部|相关|部分|数据|信息|资料|官方|网络|本文|报告|附录|注释与)*(?:的)?"
    r"(?:参考文献|参考资料|参考来源|参考链接|参考网址|参考书目|参考|引用的?著作|引用文献|引用来源|引用资料|引用列表|引用链接|引用出处|引用|引文|文献|来源|资料来源|信息来源|数据来源|相关链接|链接|出处|脚注|注释|參考文獻|參考資料|引用的文獻|資料來源|來源)"
    r"(?:列表|清单|目录|与链接|和链接|及链接|汇总|与来源|和来源|及来源|与引用|与参考资料|说明|链接)?"
    r"|参考(?:サイト|URL|情報源|リンク|文献一覧)|出典|引用元|参照|情報源|引用文献一覧|참고 ?문헌|참고 ?자료|출처|인용(?: ?문헌)?"
    r"|(?:verwendete |zitierte )?quellen(?:verzeichnis|angaben)?|literatur(?:verzeichnis)?|referenzen|einzelnachweise"
    r"|références?(?: (?:bibliographiques|citées))?|bibliographie|ouvrages cités|sources (?:citées|principales)"
    r"|(?:fuentes|referencias|obras)(?: (?:consultadas|citadas|principales|bibliográficas))?|bibliografía"
    r"|fonti(?: citate)?|opere citate|riferimenti(?: bibliografici)?|bibliografia"
    r"|(?:fontes|referências)(?: (?:consultadas|citadas|bibliográficas))?"
    r"|(?:цитируемые |использованные )?источники|литература|список (?:литературы|источников)|ссылки|(?:цитовані )?джерела|список використаних джерел"
    r"|المراجع|المصادر|مصادر|מקורות|kaynaklar|kaynakça|alıntılanan çalışmalar|referanslar|bronnen|bronvermelding|geciteerd werk|referenties"
    r"|źródła|cytowane prace|literatura|(?:použité )?zdroje|citovaná díla|källor|referenser|citerade verk|kilder|referencer|lähteet"
    r"|nguồn(?: trích dẫn| tham khảo)?|tài liệu tham khảo|daftar pustaka|referensi|sumber|karya yang dikutip"
    r"|उद्धृत कार्य|स्रोत|संदर्भ सूची|อ้างอิง|แหล่งอ้างอิง|ผลงานที่อ้างอิง|surse|lucrări citate|hivatkozások|források|idézett művek|πηγές|αναφορές",
    re.I,
)
_JOINED = re.compile(r"\s+(?:and|und|et|y|e|и|та|i|en|ve|và|dan|og|och)\s+|\s*(?:و|、|和|与|及)\s*")

_ID = r"[A-Za-z]{0,3}\d{1,4}"
_START = r"[\s>]*(?:[-*+•·‣▪–]\s+)?(?:\*\*|__|\*|<)?"
_BRACKETED = re.compile(
    rf"{_START}(?P<ids>(?:\\?[\[【［]\^?{_ID}\\?[\]】］][\s,]*)+|\\?\[\[\^?{_ID}\]\])(?:\*\*|__|\*)?(?P<colon>[:：])?"
)
_DEFINITION = re.compile(r"[ \t>]*\\?\[(\^?[^\s\[\]\\][^\[\]\n\\]{0,80})\\?\]:(?=\s|<|http|$)")
_DOTTED = re.compile(rf"{_START}(?P<n>\d{{1,4}})(?:\\?[.．)）]|、)(?:\*\*|__)?(?=\s|\*|\[|<|https?:|[^\d\s])")
_PARENTHESISED = re.compile(rf"{_START}[(（](?P<n>\d{{1,4}})[)）]\s")
_INSIDE_LINK = re.compile(
    rf"{_START}\[(?:\\?\[(?=\d{{1,4}}\\?\]\s))?(?P<n>\d{{1,4}})(?:\\?\](?=\s)|(?:\\?[.．、)])(?:\s+|(?=\D)))"
)
_DASHED = re.compile(rf"{_START}#?(?P<n>\d{{1,3}})\s*[-–—:：|]\s")
_LABELLED = re.compile(
    rf"{_START}(?:source|ref(?:erence)?|citation|来源|引用|参考)\s*#?\[?(?P<n>\d{{1,4}})\]?(?:\*\*)?\s*[:：.]\s*",
    re.I,
)
_SUPERSCRIPT = re.compile(rf"{_START}(?P<n>[⁰¹²³⁴-⁹]{{1,3}})\s+")
_HALF_ESCAPED = re.compile(rf"{_START}\\\[(?P<n>\d{{1,4}})\]?\s")
_ROW = re.compile(r"\s*\|\s*(?:\*\*)?\\?\[?(?P<n>\d{1,4})\\?\]?\.?(?:\*\*)?\s*\|")
_NUMBER_BEHIND = re.compile(r"\[(\d{1,4})\]\s{0,5}$")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPTS = str.maketrans(_RAISED, "0123456789")
_MARGIN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ">"
_OPENS_ENTRY = frozenset("[\\【［(（|sSrRcC来引参" + _RAISED)
"""What an entry begins with besides a digit: brackets, a row, or the word before its number."""
_SPECIAL = frozenset("[\\【［(（|#>-*+•·‣▪–_<=⁂.…" + _RAISED)
"""What a line begins with that may be a heading, a rule or an entry, besides spaces and digits."""
_MAY_NAME = re.compile(
    "refer|sourc|citation|bibliogra|work|litera|note|link|reading|url|evidence|learn|quelle|einzeln|référ|ouvrage|fuente|obras|fonti|opere|riferim"
    "|fontes|kaynak|alıntı|bron|geciteerd|źród|cytowan|zdroj|citovan|käll|citerade|kilder|lähte|nguồn|tham khảo|pustaka|sumber|dikutip"
    "|surse|lucrări|hivatk|forrás|idézett|πηγές|αναφορ|источ|литер|список|ссылк|джерел|راجع|صادر|מקורות|उद्धृत|स्रोत|संदर्भ|อ้างอิง"
    "|参考|參考|引用|引文|文献|文獻|来源|來源|链接|出处|脚注|注释|資料|出典|参照|情報源|참고|출처|인용"
)
"""Some part of every name that `is_reference_heading` knows, in lower case: most lines are ruled out by it."""
_BULLET = re.compile(r"[\s>]*(?:[-*+•·‣▪–])\s+")
_IDS = re.compile(_ID)
_WORD = re.compile(r"\w+", re.U)
_RULES = frozenset("-*_=⁂")
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…+)\s*$")
_ACADEMIC = re.compile(r"\((?:19|20)\d\d[a-z]?(?:,[^()]{0,20})?\)|\b(?:19|20)\d\d\b|n\.d\.|et al\.", re.I)
_MARKED = re.compile(r"\[\d+\]")
_END = re.compile(r"[\s*_⁂-]*\Z")
_PRICE = re.compile(r"[$€£¥]\s?\d")


@lru_cache(maxsize=4096)
def is_reference_heading(text: str) -> bool:
    """`## 10. References:`, `Key Citations`, `**参考文献**`: whatever the decoration."""
    if _MAY_NAME.search(text.lower()) is None:
        return False
    bare = re.sub(r"[*_#`\\]+|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]", "", text).strip(
        " \t\r:：.—-–|【】[]<>§"
    )
    bare = re.sub(r"(?<=\S)\s*[(（][^()（）]{0,60}[)）]$", "", bare).strip(" \t:：()（）")
    bare = _ORDINAL.sub("", _APPENDIX.sub("", bare)).strip(" \t:：【】")
    if not bare or len(bare) > 60:
        return False
    for part in (bare, *re.split(r"\s*[/|&／｜]\s*", bare)):
        if _FOREIGN.fullmatch(part):
            return True
    if _NAMED.fullmatch(bare) is not None:
        return _NOT_ALONE.fullmatch(bare) is None
    if " | " in bare and re.search("[\u4e00-\u9fff]", bare) and any(map(_NAMED.fullmatch, bare.split(" | "))):
        return True
    parts = _JOINED.split(bare)
    return len(parts) > 1 and all(_FOREIGN.fullmatch(part) or part.casefold() == "sources" for part in parts)


def _entry(line: _Line, *, in_section: bool) -> Entry | None:
    """The line as the first of an entry, by what it begins with."""
    first = line.first if line.first.isalnum() else line.text[:200].lstrip(" \t>-*+•·‣▪–_<")[:1]
    if not (first in _OPENS_ENTRY or first.isdecimal()):
        return None
    text = line.text[:200]
    form: EntryForm
    if first in "[\\【［":
        definition = _DEFINITION.match(text)
        if definition:
            label = definition[1].strip("^ ")
            return Entry([_plain_number(label)], line.start, line.end, [*line.links], "definition")
        bracketed = _BRACKETED.match(text)
        if bracketed:
            numbers = [_plain_number(one) for one in _IDS.findall(bracketed["ids"])]
            return Entry(numbers, line.start, line.end, [*line.links], "bracket")
        half = _HALF_ESCAPED.match(text)
        if half:
            return Entry([_plain_number(half["n"])], line.start, line.end, [*line.links], "bracket")
        match = _INSIDE_LINK.match(text)
        form = "bracket"
    elif first.isdecimal():
        match, form = _DOTTED.match(text) or (_DASHED.match(text) if in_section else None), "dot"
    elif first in "(（":
        match, form = _PARENTHESISED.match(text), "dot"
    elif first == "|":
        match, form = (_ROW.match(text) if in_section else None), "row"
    elif first in _RAISED:
        match, form = _SUPERSCRIPT.match(text), "dot"
    else:
        match, form = _LABELLED.match(text), "label"
    if match is None:
        return None
    number = match["n"] if first not in _RAISED else match["n"].translate(_SUPERSCRIPTS)
    return Entry([_plain_number(number)], line.start, line.end, [*line.links], form)


def _plain_number(text: str) -> str:
    if not (text.isascii() and text.isdecimal()):
        return text.casefold()
    return text.lstrip("0") or "0"


def find_lists(scan: Scan) -> list[ReferenceList]:
    """Every reference list, in the order of the text."""
    lines = _Lines(scan)
    accepted: list[list[Entry]] = []
    loose: list[list[Entry]] = []
    run: list[Entry] = []
    run_in_section = False
    section_level: int | None = None
    section_entries = 0

    def close() -> None:
        nonlocal run
        if run and (run_in_section or _is_list(run, scan.plain) or _is_lone(run, scan.plain)):
            accepted.append(run)
            if not run_in_section and run[0].form == "dot":
                loose.append(run)
        elif run:
            definitions = [
                entry for entry in run if entry.form == "definition" and _defines(entry, scan.plain)
            ]
            if definitions:
                accepted.append(definitions)
        run = []

    for index in range(len(lines)):
        if not run and section_level is None and lines.says_nothing(index):
            continue
        line = lines[index]
        heading = _heading_level(line)
        if heading is not None:
            level, title = heading
            if is_reference_heading(title) or (_LINKS.fullmatch(title) and _is_lone_link(lines, index + 1)):
                close()
                section_level, section_entries = level, 0
                continue
            named = (
                _named_by_heading(line) if section_level is not None and section_level < level < 7 else None
            )
            if named is not None:
                if not run:
                    run_in_section = True
                run.append(named)
                section_entries += 1
                continue
            if level < 7 or not line.links:
                ends = section_level is not None and (
                    level <= section_level or (level == 7 and section_level == 7)
                )
                close()
                if ends:
                    section_level = None
                continue
        in_section = section_level is not None
        if in_section and run and run[-1].indent < 0:
            run[-1].end = line.end
            run[-1].links.extend(line.links)
            continue
        if in_section and _is_label(line):
            continue
        entry = _entry(line, in_section=in_section)
        labelled = _LABELLED_RUN.match(line.text) if len(line.links) > 1 else None
        if labelled and is_reference_heading(labelled[1]):
            first = line.start + labelled.end(1)
            split = _split_run_on(Entry([], first, line.end, [*line.links], "bracket"), scan.plain)
            if split:
                close()
                accepted.append(split)
                continue
        if entry is not None and entry.form == "row" and not entry.links:
            entry = None
        if (
            entry is not None
            and entry.form == "definition"
            and not in_section
            and not _defines(entry, scan.plain)
        ):
            entry = None if not line.text.lstrip(" >").startswith("[^") else entry
        if entry is not None and in_section and len(entry.links) > 1:
            split = _split_run_on(entry, scan.plain)
            if split:
                if not run:
                    run_in_section = True
                run += split
                section_entries += len(split)
                continue
        if entry is None and in_section and _is_plain_entry(line) and not (run and _is_remark(run[-1], line)):
            bulleted = _BULLET.match(line.text) is not None
            under = run and run[-1].numbers and _indent(line.text) > run[-1].indent
            if under:
                run[-1].end = line.end
                run[-1].links.extend(line.links)
                continue
            if not (run and not bulleted and _continues(run[-1], line)):
                behind = _NUMBER_BEHIND.search(line.text)
                numbers = [_plain_number(behind[1])] if behind and line.links else []
                entry = Entry(numbers, line.start, line.end, [*line.links], "plain")
        if entry is not None:
            entry.indent = _indent(line.text)
            if run and (run_in_section != in_section or (not in_section and not _same_kind(run[-1], entry))):
                close()
            if not run:
                run_in_section = in_section
            run.append(entry)
            section_entries += 1
            continue
        if run and _continues(run[-1], line):
            run[-1].end = line.end
            run[-1].links.extend(line.links)
            continue
        if line.first in _RULES and _RULE.match(line.text):
            if not in_section:
                close()
            continue
        if line.first in (".", "…") and _ELLIPSIS.match(line.text):
            continue
        if in_section:
            prose = line.after_blank and (section_level == 7 or len(line.text) >= 120)
            if section_entries and prose and not line.links:
                close()
                section_level = None
            continue
        close()
        if index + 1 < len(lines) and _is_label(line):
            after = lines[index + 1]
            if after.links or _is_plain_entry(after) or _entry(after, in_section=True) is not None:
                section_level, section_entries = 7, 0
    close()
    accepted = _without_body_lists(accepted, loose, scan.plain)
    taken = {entry.start for entries in accepted for entry in entries}
    tail = _closing_links(lines, taken)
    if tail:
        accepted.append(tail)
    accepted.sort(key=lambda entries: entries[0].start)
    return [_numbered(entries) for entries in _joined(accepted, scan.plain)]


_CITING = re.compile(
    r"[\[【［][\d\s,，、;^\[\]–—-]{1,80}[\]】］](?!\()|(?<=[^\W\d_])\d{1,3}(?=[\s.,;，。]|$)|(?<=[.!?,;:)”\"%。])\d{1,3}(?=[\s,，]|$)|[¹²³⁴-⁹]+"
)
_DIGITS = re.compile(r"\d{1,4}")


def _without_body_lists(
    accepted: list[list[Entry]], loose: list[list[Entry]], text: str
) -> list[list[Entry]]:
    """Leaves out numbered links that are the answer itself: no number of theirs is cited and they do not end the report.

    Where another list defines the numbers, the markers mean that one.
    """
    if not loose:
        return accepted
    cited: set[str] = set()
    position = 0
    for start, end in [*sorted((run[0].start, run[-1].end) for run in accepted), (len(text), len(text))]:
        for match in _CITING.finditer(text, position, start):
            cited.update(str(int(n)) for n in _DIGITS.findall(match[0].translate(_SUPERSCRIPTS)))
        position = max(position, end)
    own = {id(entries) for entries in loose}
    defined = {
        n for entries in accepted if id(entries) not in own for entry in entries for n in entry.numbers
    }

    def is_body(entries: list[Entry]) -> bool:
        numbers = {n for entry in entries for n in entry.numbers}
        if numbers & defined:
            return True
        if all(link.kind == "bare" for entry in entries for link in entry.links):
            return False
        return not numbers & cited and _END.match(text, entries[-1].end) is None

    return [entries for entries in accepted if id(entries) not in own or not is_body(entries)]


def _heading_level(line: _Line) -> tuple[int, str] | None:
    """Depth and title; 7 for a bold line on its own."""
    if line.first == "#":
        match = _HEADING.match(line.text[:300])
        return (len(match[1]), match[2]) if match else None
    if line.first not in ("*", "_"):
        return None
    bold = _BOLD_LINE.match(line.text) if len(line.text) < 120 else None
    return (7, bold[1]) if bold and not _DOTTED.match(line.text) and not line.links else None


def _named_by_heading(line: _Line) -> Entry | None:
    """`### [3] Title` among references: all under it is the entry, as its negative indent says."""
    entry = _entry(replace(line, text=line.text.replace("#", " ")), in_section=True)
    if entry is None or entry.form != "bracket":
        return None
    entry.indent = -1
    return entry


def _is_label(line: _Line) -> bool:
    """A line on its own that names a list without being a heading."""
    if line.links:
        return False
    bare = line.text.strip(" \t*_#>")
    if not 1 < len(bare) <= 40 or not (bare.endswith((":", "：")) or len(bare.split()) <= 3):
        return False
    return is_reference_heading(line.text)


def _same_kind(last: Entry, entry: Entry) -> bool:
    return last.form == entry.form or {last.form, entry.form} <= {"bracket", "definition"}


def _defines(entry: Entry, text: str) -> bool:
    """`[1]: https://...`, against a sentence that begins with a marker and a colon."""
    if not entry.links:
        return False
    head = text[entry.start : entry.links[0].start]
    return head.rstrip(" \t<").endswith(":")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _continues(entry: Entry, line: _Line) -> bool:
    if not entry.links:
        return not line.after_blank or (bool(line.links) and len(line.text) < 300)
    if entry.form in ("bracket", "definition") and not line.after_blank and not line.links:
        return len(line.text) < 200 and "[" not in line.text and not _BULLET.match(line.text)
    indented = _indent(line.text) > entry.indent
    if not indented or _BULLET.match(line.text):
        return indented and len(line.text) < 300 and (not line.after_blank or not line.links)
    return len(line.text) < 400


def _residue(entry_text: str, entry: Entry) -> str:
    """What an entry says besides its links."""
    parts: list[str] = []
    position = entry.start
    for link in entry.links:
        parts.append(entry_text[position : link.start])
        position = link.end
    parts.append(entry_text[position : entry.end])
    return " ".join(parts)


def _is_list(run: list[Entry], text: str) -> bool:
    """A numbered run with URLs, outside any reference section: is it a list of references or part of the answer?"""
    if run[0].form in ("bracket", "definition", "label"):
        with_url = sum(bool(entry.links) for entry in run)
        if with_url >= 2:
            return True
        if all(entry.form == "definition" for entry in run):
            return True
        numbers = [int(n) for entry in run for n in entry.numbers if n.isdecimal()]
        return (
            len(run) >= 3
            and numbers == list(range(1, len(run) + 1))
            and all(len(text[e.start : e.end]) < 300 for e in run)
        )
    with_url = 0
    for entry in run:
        if not entry.links:
            continue
        if not _is_pure(entry, text):
            return False
        with_url += 1
    return with_url >= 2 and with_url * 2 >= len(run)


def _is_lone(run: list[Entry], text: str) -> bool:
    """One numbered entry as the last words of a report that cites its number."""
    entry = run[0]
    if len(run) > 1 or not entry.links or not entry.numbers or not _END.match(text, entry.end):
        return False
    return _is_pure(entry, text) and f"[{entry.numbers[0]}]" in text[: entry.start]


def _is_pure(entry: Entry, text: str) -> bool:
    """Number, title, URL, perhaps a date: no sentences, no price, no citation in parentheses."""
    first = entry.links[0]
    before = text[entry.start : first.start]
    after = text[entry.links[-1].end : entry.end]
    if _PRICE.search(text[entry.start : entry.end]):
        return False
    if len(entry.links) > 2 or (number_in(first.text) and len(_WORD.findall(before)) > 1):
        return False
    if first.kind == "bare" or first.text.strip().startswith(("http", "www.")):
        return (
            len(before) < 400 and not before.rstrip().endswith(("(", "（")) and len(_WORD.findall(after)) <= 8
        )
    opened = before.rstrip().endswith(("(", "（"))
    return not opened and len(_WORD.findall(before)) <= 12 and len(_WORD.findall(after)) <= 12


def _is_plain_entry(line: _Line) -> bool:
    """A line of a reference section without a number: one source a line; running links are prose."""
    text = line.text
    bulleted = _BULLET.match(text) is not None
    if text.lstrip().startswith("|"):
        return bool(line.links)
    if line.links:
        if bulleted or len({link.url for link in line.links}) == 1:
            return True
        titled = [link for link in line.links if link.text.strip() != link.url]
        residue = _WORD.findall(_residue_of_line(line))
        return (len(titled) < 2 and len(line.links) == 1) or (
            len(line.links) == 2 and len(residue) > 3 and _ACADEMIC.search(text) is not None
        )
    if bulleted:
        return len(text) > 8
    return (
        len(text) < 500
        and ". " in text
        and _ACADEMIC.search(text) is not None
        and _MARKED.search(text) is None
    )


def _is_lone_link(lines: _Lines, index: int) -> bool:
    if index >= len(lines):
        return False
    line = lines[index]
    return (
        len(line.links) == 1
        and not _PRICE.search(line.text)
        and len(_WORD.findall(_residue_of_line(line))) <= 6
    )


def _is_remark(last: Entry, line: _Line) -> bool:
    """A sentence with a link behind a numbered list."""
    return (
        bool(last.numbers)
        and line.after_blank
        and _BULLET.match(line.text) is None
        and any(link.text.strip() != link.url for link in line.links)
        and len(_WORD.findall(_residue_of_line(line))) > 10
        and _ACADEMIC.search(line.text) is None
    )


def _residue_of_line(line: _Line) -> str:
    parts: list[str] = []
    position = 0
    for link in line.links:
        parts.append(line.text[position : link.start - line.start])
        position = link.end - line.start
    parts.append(line.text[max(position, 0) :])
    return " ".join(parts)


_RUN_ON = re.compile(r"\\?\[(\d{1,4})\\?\](?!\()")


_LABELLED_RUN = re.compile(r"[\s>*_]*([^\W\d_][\w ]{1,30})[*_]*\s*[:：][*_\s]*(?=\\?\[\d)")


def _split_run_on(entry: Entry, text: str) -> list[Entry]:
    """`[1] title url [2] title url` on one line, as the entries it holds."""
    if entry.form != "bracket":
        return []
    inside = [(link.start, link.end) for link in entry.links]
    marks = [
        match
        for match in _RUN_ON.finditer(text, entry.start, entry.end)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    if len(marks) < 2:
        return []
    found: list[Entry] = []
    for match, following in zip(marks, [*marks[1:], None], strict=True):
        end = following.start() if following else entry.end
        links = [link for link in entry.links if match.start() <= link.start < end]
        found.append(Entry([_plain_number(match[1])], match.start(), end, links, "bracket"))
    return found if sum(bool(one.links) for one in found) == len(found) else []


def _closing_links(lines: _Lines, taken: set[int]) -> list[Entry]:
    """Lines at the very end that hold one link each and nothing else; none where a list begins among them. A last remark may
    follow where a rule parts the links from the text."""
    tail: list[_Line] = []
    remarks = 0
    parted = False
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if _RULE.match(line.text):
            if not tail:
                continue
            parted = True
            break
        if not tail and not line.links and remarks < 2 and len(line.text) < 200 and line.first not in "#|":
            remarks += 1
            continue
        words = _WORD.findall(_residue_of_line(line)) if len(line.links) == 1 else []
        if (
            len(line.links) != 1
            or len(words) > 2
            or _PRICE.search(line.text)
            or line.text.lstrip().startswith(("|", "(", "#"))
            or (number_in(line.links[0].text) and _WORD.search(line.text[: line.links[0].start - line.start]))
        ):
            break
        if line.start in taken:
            return []
        tail.append(line)
    if len(tail) < 2 or (remarks and not parted):
        return []
    return [Entry([], line.start, line.end, [*line.links], "plain") for line in reversed(tail)]


def _joined(accepted: list[list[Entry]], text: str) -> Iterator[list[Entry]]:
    """Runs that only blank lines or sub-headings part are one list, unless the numbers begin again."""
    current: list[Entry] = []
    for entries in accepted:
        if (
            current
            and not text[current[-1].end : entries[0].start].strip()
            and not _restarts(current, entries)
        ):
            current += entries
            continue
        if current:
            yield current
        current = list(entries)
    if current:
        yield current


def _restarts(current: list[Entry], entries: list[Entry]) -> bool:
    seen = {number for entry in current for number in entry.numbers}
    return any(number in seen for entry in entries for number in entry.numbers)


def _numbered(entries: list[Entry]) -> ReferenceList:
    dotted = [entry for entry in entries if entry.form == "dot"]
    if len(dotted) > 1 and all(entry.numbers == ["1"] for entry in dotted):
        for position, entry in enumerate(dotted, 1):
            entry.numbers = [str(position)]
    found = ReferenceList(entries)
    for entry in entries:
        for number in entry.numbers:
            held = found.by_number.get(number)
            if held is None or (not held.links and entry.links):
                found.by_number[number] = entry
    return found
