"""Reduces a report to the text that a reader sees rendered, without anything that could pass for a verdict.

The parser is the viewer's, so that a judge reads the same text as a reader. Comments, definitions, titles, targets, words behind a fence
and cells beyond a table's head are not rendered, so they are left out. A report that is shown completely stays unchanged, byte by
byte. Fences come from `drr.llm.prompts.fence`, whose marks a text cannot contain because they are made of its own hash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from drr.citations.addresses import canonical_url
from drr.llm.prompts import fence

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token


_ADDRESS = re.compile(r"(?:https?|user)://[^\s<>()\[\]\"']+")
_WORD_ENDS = re.compile(r"[-._]+")
MOST_WORDS = 7
"""Most words in a host's name, as in `www.the-wild-bird-shop.co.uk`."""
_SIGNS = {code: None for code in range(0x80) if not chr(code).isalnum()}
_SITE = re.compile(r"((?:https?|user)://)(?:[^/?#@]{0,200}@)?([\w.-]{1,64})", re.IGNORECASE)


@cache
def markdown_parser() -> MarkdownIt:
    """Make the parser that every page with a report uses: HTML is shown as text, images as links."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    made.core.ruler.push("bounded", _bound_links)
    return made.disable(["image"])


def _bound_links(state: StateCore) -> None:
    """Drop the titles of links, which no judge reads, and the addresses that references repeat beyond a limit."""
    left = max(100_000, 10 * len(state.src))  # an address grows at most ninefold, by %
    for token in (one for block in state.tokens for one in block.children or ()):
        if token.type == "link_open":
            token.attrs.pop("title", None)
            left -= len(str(token.attrs["href"]))
            if left < 0:
                token.attrs["href"] = "#"


def readable_markdown(markdown: str, addresses: Collection[str] | None = ()) -> str:
    """Return the visible content of Markdown as readable Markdown. Of a link's target only the site is kept, which a reader sees on hovering.

    A target stays whole where the text shows it elsewhere, or where its canonical form is one of `addresses`, which the task shows anyway.
    All stay with `None`.
    """
    tokens = markdown_parser().parse(markdown)
    addresses_seen = _ADDRESS.findall("\n".join(_texts(tokens)))
    known = {*addresses_seen, *(address.rstrip(".,;:!?*_") for address in addresses_seen)}
    if addresses is None or addresses:
        links = (one for token in tokens for one in token.children or () if one.type == "link_open")
        targets = {str(one.attrs["href"]) for one in links}
        known |= {one for one in targets if addresses is None or canonical_url(one) in addresses}
    text = _Page(known).text(tokens)
    if _letters(text) == _letters(markdown):
        return markdown
    return f"{text}\n" if markdown.endswith("\n") else text


def _letters(text: str) -> str:
    """Return a text without Markdown's signs, for comparison of what it says."""
    return "".join(text.translate(_SIGNS).split())


def _texts(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join("\n" if one.type == "softbreak" else one.content for one in token.children or ())
        elif token.type in ("fence", "code_block"):
            yield token.content


def unmarked(markdown: str) -> str:
    """Return the words of Markdown on one line, without its marks. A part of a text may have half of a pair of marks."""
    text = " ".join(_texts(markdown_parser().parse(markdown.strip())))
    return " ".join(text.replace("**", "").replace("|", " ").split())


class _Page:
    """Renders blocks as lines. A container's lines are indented when it closes; the parser limits the nesting."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._frames: list[list[str]] = [[]]
        self._marks: list[str] = []
        self._row: list[str] = []
        self._head = ""
        self._numbers: list[int] = []
        """The number of the next item of each open list, as a page counts; 0 in a list without numbers."""

    def text(self, tokens: Sequence[Token]) -> str:
        for token in tokens:
            self._take(token)
        return "\n".join(self._frames[0]).strip("\n")

    def _take(self, token: Token) -> None:
        match token.type:
            case "heading_open":
                self._head = f"{'#' * int(token.tag[1])} "
            case "inline":
                self._inline(token)
            case "fence" | "code_block":
                self._block(["```", *token.content.rstrip("\n").split("\n"), "```"])
            case "hr":
                self._block(["---"])
            case "bullet_list_open" | "ordered_list_open":
                self._numbers.append(int(token.attrs.get("start", 1)) if token.tag == "ol" else 0)
            case "list_item_open":
                self._open(f"{self._numbers[-1] if token.info else ''}{token.markup} ")
                self._numbers[-1] += 1
            case "blockquote_open":
                self._open("> ")
            case "list_item_close" | "blockquote_close":
                self._close()
            case "bullet_list_close" | "ordered_list_close":
                self._frames[-1].append("")
                self._numbers.pop()
            case _:
                self._table(token)

    def _table(self, token: Token) -> None:
        match token.type:
            case "tr_open":
                self._row = []
            case "th_open" | "td_open":
                self._row.append("")
            case "tr_close":
                self._frames[-1].append(f"| {' | '.join(self._row)} |")
            case "thead_close":
                self._frames[-1].append(f"|{' --- |' * len(self._row)}")
                self._row = []
            case "table_close":
                self._row = []
                self._frames[-1].append("")

    def _inline(self, token: Token) -> None:
        text = inline_text(token.children or (), self._known)
        if self._row:
            self._row[-1] = text.replace("\n", " ")
        else:
            self._block((self._head + text).split("\n"))
        self._head = ""

    def _block(self, lines: Sequence[str]) -> None:
        self._frames[-1] += [*lines, ""]

    def _open(self, mark: str) -> None:
        self._marks.append(mark)
        self._frames.append([])

    def _close(self) -> None:
        mark, lines = self._marks.pop(), self._frames.pop()
        while lines and not lines[-1]:
            lines.pop()
        further = mark if mark == "> " else " " * len(mark)
        first, *rest = lines or [""]
        self._frames[-1] += [mark + first, *(further + line if line else line for line in rest)]
        if mark == "> ":
            self._frames[-1].append("")


def inline_text(children: Sequence[Token], known: Collection[str]) -> str:
    """Return the visible text of inline tokens. The walk is flat, because emphasis may be nested as deep as the text is long."""
    parts: list[str] = []
    links: list[tuple[int, str]] = []
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif token.type == "code_inline":
            parts.append(f"{token.markup}{token.content}{token.markup}")
        elif token.type == "link_open":
            links.append((len(parts), "" if token.markup == "autolink" else str(token.attrs.get("href", ""))))
        elif token.type == "link_close":
            start, target = links.pop()
            label = "".join(parts[start:])
            parts[start:] = [_link(label, target, known)] if _is_seen(label) else []
        elif token.nesting:
            parts.append(token.markup)
        else:
            parts.append(token.content)
    return "".join(parts)


def _is_seen(label: str) -> bool:
    """Tell whether a link has a sign to point at. Braille without dots is blank."""
    return bool(_letters(visible_text(label)).strip("\u2800"))


def _link(label: str, target: str, known: Collection[str]) -> str:
    if not target:
        return f"<{label}>"
    site = _SITE.match(target)
    if target in known:
        return f"[{label}]({target})"
    if site is None or len(_WORD_ENDS.split(site[2])) > MOST_WORDS:
        return f"[{label}]"  # a host of many words could tell a judge a sentence that no reader sees
    return f"[{label}]({site[1]}{site[2]})"


_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f]+")
_VERDICT_WORDS = "rating|score|support|winner|verdict|label|grade|justification|preference|decision|final[ _](?:score|rating|grade)"
_JSON_KEY = re.compile(rf"(['\"\u201c\u201d])({_VERDICT_WORDS})\1(\s*)[:=\u2236]", re.IGNORECASE)
_LINE_KEY = re.compile(
    rf"^([ \t>*_#\-\u2022]*(?:the[ ]+)?)({_VERDICT_WORDS})([ \t*_]*)[:=]", re.IGNORECASE | re.MULTILINE
)
_MARKUP = re.compile(
    r"<(?=/?(?:report|answer|answer_a|answer_b|claim|claims|source|passage|evidence|question|profile|system|assistant|human|user|instructions?|data)\b)"
    r"|<(?=\|)|<(?=/?\w+ [0-9a-f]{8,}>)",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:previous|prior|above|all|earlier|your)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|criteri)"
    r"|\b(?:give|rate|score|grade|award|assign)\b[^.\n]{0,60}\b(?:10\s*(?:/|out of)\s*10|a 10\b|ten out of ten|maximum|highest|full marks|perfect|full[_ ]support)\b"
    r"|\b(?:as|dear|note to|attention)\b[^.\n]{0,20}\b(?:judge|grader|evaluator|rater)\b[^.\n]{0,80}\b(?:10|best|winner|prefer|full)\b",
    re.IGNORECASE,
)


def visible_report(markdown: str, addresses: Collection[str] | None = ()) -> str:
    """Return a report as our page shows it; `addresses` are link targets that the task shows anyway. Nothing is cut before it is parsed."""
    return visible_text(readable_markdown(markdown, addresses))


def block_with(quote: str, markdown: str) -> tuple[int, int] | None:
    """Return the span of the first block that shows the quoted words. Its Markdown may spell them by entities or escapes, with signs between."""
    words, starts = (
        _letters(quote),
        [0, *(match.end() for match in re.finditer("\n", markdown)), len(markdown)],
    )
    blocks = ((first, last, text) for first, last, text in _blocks(markdown) if words and words in text)
    return next(((starts[first], starts[min(last, len(starts) - 1)]) for first, last, text in blocks), None)


@lru_cache(maxsize=4)
def _blocks(markdown: str) -> list[tuple[int, int, str]]:
    """Return the lines of each block, and the letters that it shows, with sites for targets."""
    found: list[tuple[int, int, str]] = []
    for token in markdown_parser().parse(markdown):
        if token.map and token.type in ("inline", "fence", "code_block"):
            shown = token.content if token.children is None else inline_text(token.children, ())
            found.append((token.map[0], token.map[1], _letters(visible_text(shown))))
    return found


def visible_text(text: str) -> str:
    """Remove characters without a shape, and no tag. One variation selector after a symbol stays, because emoji are written with it."""
    return _SELECTORS.sub(_selector, _INVISIBLE.sub("", text))


def _selector(found: re.Match[str]) -> str:
    before, after = (
        found.string[max(0, found.start() - 1) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    shapes = after == "\u20e3" or (before > "\x7f" and unicodedata.category(before).startswith("S"))
    return found[0] if found[0] in ("\ufe0e", "\ufe0f") and shapes else ""


def defused_text(text: str) -> str:
    """Change a text so that nothing in it reads as a verdict, a fence mark or a change of speaker. The words stay."""
    text = _MARKUP.sub("\u2039", text)
    text = _JSON_KEY.sub("\\1\\2\\1\\3\u2236", text)
    return _LINE_KEY.sub("\\1\\2\\3\u2236", text)


def count_forgeries(text: str) -> int:
    """Count verdicts in JSON form and pleas to the judge, hidden ones included. Honest reports have none."""
    return len(_JSON_KEY.findall(text)) + len(_PLEA.findall(text))


def fenced(text: str, label: str, *, salt: str = "", report: bool = False) -> str:
    """Return a foreign text fenced for a judge's prompt."""
    return fence(text_for_judge(text, report=report), label, salt=salt)


@lru_cache(maxsize=1024)
def text_for_judge(text: str, *, report: bool = False) -> str:
    """Return a text as a judge reads it. The result is cached, because one report is part of dozens of prompts."""
    return defused_text(visible_report(text) if report else visible_text(text))
