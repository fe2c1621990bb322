"""Classifies the lines of a report for the search for reference lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from drr.citations.links import Link, Scan

_APPENDIX = re.compile(r"(?:appendix|附录|附錄)\s?(?:[A-Z\d一二三四五]{1,2}\b)?\s*[:：.–—-]\s*", re.I)
_ORDINAL = re.compile(
    r"^(?:\d+(?:\\?\.\d+)*\\?[.)、:：]?|[ivxlc]+\\?[.)]|[一二三四五六七八九十]+[、.．]|[A-Z]\\?[.)])\s+|^[一二三四五六七八九十]+[、.．]",
    re.I,
)
_NAMED = re.compile(
    r"(?:(?:annotated|cited|links to|key|main|selected|primary|full|complete|additional|supporting|web|online|external|all|numbered|product|other|and|&|source|reference|citation|further|useful|related|relevant|research|my|the|list of|data|notes|information|consulted|verified|referenced)\s+){0,12}"
    r"(?:references?|sources?|citations?|bibliography|works?(?:\s+(?:cited|consulted))?|literature(?:\s+cited)?|cited works|referenced works|footnotes?|endnotes?|links?|reading|resources?|urls?|evidence"
    r"|(?:source|reference) (?:materials?|documents?|notes|summary))"
    r"(?:\s+(?:list|cited|used|consulted|reviewed|analy[sz]ed|referenced|section|links?|urls?|index|list(?:ing)?|for this report|in (?:this|the) report|by section|with (?:links|urls)"
    r"|(?:and|&) (?:references|sources|links|citations|further reading|notes|resources|credits)|and (?:methodology|methods|data)|/ (?:references|sources))){0,12}"
    r"|learn more",
    re.I,
)
_NOT_ALONE = re.compile(
    r"^(?:(?:related )?links?|reading|resources?|urls?|evidence|literature|data sources?)$", re.I
)
_LINKS = re.compile(r"\W*(?:(?:useful|related|helpful) )?(?:links?|resources|urls?|链接)\W*", re.I)
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
_JOINED = re.compile(
    r"\s{1,9}(?:and|und|et|y|e|и|та|i|en|ve|và|dan|og|och)\s{1,9}|\s{0,9}(?:و|、|和|与|及)\s{0,9}"
)
_DECORATION = re.compile(r"[*_#`\\]+|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]")
_REMARK = re.compile(r"(?<=\S)\s*[(（][^()（）]{0,60}[)）]$")
_EITHER = re.compile(r"(?<!\s)\s*+[/|&／｜]\s*+")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_MAY_NAME = re.compile(
    "refer|sourc|citation|bibliogra|work|litera|note|link|reading|url|evidence|learn|quelle|einzeln|référ|ouvrage|fuente|obras|fonti|opere|riferim"
    "|fontes|kaynak|alıntı|bron|geciteerd|źród|cytowan|zdroj|citovan|käll|citerade|kilder|lähte|nguồn|tham khảo|pustaka|sumber|dikutip"
    "|surse|lucrări|hivatk|forrás|idézett|πηγές|αναφορ|источ|литер|список|ссылк|джерел|راجع|صادر|מקורות|उद्धृत|स्रोत|संदर्भ|อ้างอิง"
    "|参考|參考|引用|引文|文献|文獻|来源|來源|链接|出处|脚注|注释|資料|出典|参照|情報源|참고|출처|인용"
)
"""Lower-case parts of words, one of which every name that `is_reference_heading` knows contains."""


def may_name_list(text: str) -> bool:
    """Tell whether a text contains a part of such a name; this rules out most lines."""
    return _MAY_NAME.search(text.lower()) is not None


def is_of_links(title: str) -> bool:
    """Tell whether a title may head a list of links or a section about links; the lines below decide."""
    return _LINKS.fullmatch(title) is not None


@lru_cache(maxsize=4096)
def is_reference_heading(text: str) -> bool:
    """Tell whether a text is a heading of references, whatever its decoration: `## 10. References:`, `Key Citations`, `**参考文献**`."""
    bare = _without_decoration(text) if may_name_list(text) else ""
    if not bare or len(bare) > 60:
        return False
    if any(map(_FOREIGN.fullmatch, (bare, *_EITHER.split(bare)))):
        return True
    if _NAMED.fullmatch(bare) is not None:
        return _NOT_ALONE.fullmatch(bare) is None
    if " | " in bare and _CHINESE.search(bare) and any(map(_NAMED.fullmatch, bare.split(" | "))):
        return True
    parts = _JOINED.split(bare)
    return len(parts) > 1 and all(_FOREIGN.fullmatch(part) or part.casefold() == "sources" for part in parts)


def _without_decoration(text: str) -> str:
    """Remove emphasis, images, numbers and remarks in parentheses."""
    bare = _DECORATION.sub("", text).strip(" \t\r:：.—-–|【】[]<>§")
    bare = _REMARK.sub("", bare).strip(" \t:：()（）")
    return _ORDINAL.sub("", _APPENDIX.sub("", bare)).strip(" \t:：【】")


RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
WORD = re.compile(r"\w+")
MARGIN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ">"
_BULLET = re.compile(r"[\s>]*+(?:[-*+•·‣▪–])\s+")
_MAY_BEGIN = frozenset("[\\【［(（|#>-*+•·‣▪–_<=⁂.…" + RAISED)
"""First characters of a heading, a rule or an entry, besides spaces and digits."""


@dataclass(slots=True)
class Line:
    start: int
    end: int
    text: str
    first: str
    """The first character after spaces and quotation marks."""
    after_blank: bool
    links: Sequence[Link]

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" \t"))

    @property
    def bulleted(self) -> bool:
        return _BULLET.match(self.text) is not None

    def words_beside(self) -> list[str]:
        """Return the words of the line outside its links."""
        if not self.links:
            return WORD.findall(self.text)
        parts: list[str] = []
        position = 0
        for link in self.links:
            parts.append(self.text[position : link.start - self.start])
            position = link.end - self.start
        parts.append(self.text[max(position, 0) :])
        return WORD.findall(" ".join(parts))


class Lines:
    """The lines that are not blank. Each is made on access, because most of half a million are never needed."""

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
            filled = text != "" and not text.isspace()
            while link is not None and link.start < end:
                if filled:
                    self.links.setdefault(len(self.texts), []).append(link)
                link = next(upcoming, None)
            if filled:
                if blank:
                    self._parted.add(len(self.texts))
                self.texts.append(text)
                self._starts.append(start)
            blank = not filled
            start = end + 1

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Line:
        text, start = self.texts[index], self._starts[index]
        first = text[0] if text[0].isalnum() else text.lstrip(MARGIN)[:1]
        return Line(start, start + len(text), text, first, index in self._parted, self.links.get(index, ()))

    def says_nothing(self, index: int) -> bool:
        """Tell whether a line outside any list can be skipped: no heading, no entry, no label of a list."""
        if index in self.links:
            return False
        text = self.texts[index]
        first = text[0]
        if first in _MAY_BEGIN or first.isspace() or first.isdecimal():
            return False
        return not may_name_list(text[:60])
