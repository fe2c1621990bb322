"""Where a URL ends in running text, and the one spelling under which two writings of it are the same source."""

from __future__ import annotations

import re

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,15}://")
LONGEST = 3_000
"""Characters of a bare URL; what goes on without a space is an attack."""
BARE = re.compile(r"(?:https?|ftp|user|file)://", re.I)

_CLOSERS = "，。；：、！？）】》〉」』〕”’“‘…（【《「『，"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_RUN = re.compile(
    rf"[^\s<>\"`|\[\]{{}}()^\\\x00{_CLOSERS}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+"
)
_ESCAPABLE = "_~*()&#.-+=!%$'"
_TRAILING = ".,;:!?'*~_-–—\\"
_ENTITY = re.compile(r"&(?:amp|quot|apos|lt|gt|#0*38|#0*39|#x0*26|#x0*27);", re.I)
_ENTITIES = {
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "lt": "<",
    "gt": ">",
    "38": "&",
    "39": "'",
    "x26": "&",
    "x27": "'",
}
_ESCAPED = re.compile(r"\\([!\"#$%&'()*+,\-./:;<=>?@\[\]^_`{|}~\\])")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.S)
_PORTS = {"http": ":80", "https": ":443", "ftp": ":21"}


def bare_end(text: str, start: int, limit: int) -> int:
    """The end of the bare URL that begins at `start`: sentence punctuation and an unopened parenthesis stay outside."""
    end = start
    depth = 0
    while True:
        run = _RUN.match(text, end, limit)
        if run:
            end = run.end()
        if end >= limit:
            break
        step = 1
        sign = text[end]
        if sign == "\\" and end + 1 < limit and text[end + 1] in _ESCAPABLE:
            sign, step = text[end + 1], 2
        if sign == "(":
            depth += 1
        elif sign == ")":
            if depth == 0:
                break
            depth -= 1
        elif not (step == 2 or _goes_on(sign, text[end - 1])):
            break
        end += step
    while end > start and text[end - 1] in _TRAILING:
        if text[end - 1] in "_-" and text[start - 1 : start] != text[end - 1]:
            break
        end -= 1
    return end


def _goes_on(sign: str, before: str) -> bool:
    """Chinese or Japanese right after a letter or digit is the sentence going on; after `/`, `=`, `_` it is the path."""
    return _CJK.match(sign) is not None and (before in "/=_-%#" or _CJK.match(before) is not None)


def unescape(raw: str) -> str:
    """Markdown's backslashes and HTML's entities, as a browser would read them."""
    if "\\" in raw:
        raw = _ESCAPED.sub(r"\1", raw)
    if "&" in raw:
        raw = _ENTITY.sub(
            lambda m: _ENTITIES[m[0][1:-1].lstrip("#").lower().replace("x0", "x").lstrip("0")], raw
        )
    return raw


def canonical_url(raw: str) -> str:
    """One spelling per source: no text fragment, no `utm_*`, lower-case scheme and host, no default port, no last slash."""
    url = unescape(raw.strip())
    if url[:4].casefold() == "www.":
        url = "http://" + url
    cut = url.find(":~:text=")
    if cut >= 0:
        url = url[:cut].removesuffix("#")
    match = _ADDRESS.fullmatch(url)
    if match is None:
        return url
    scheme = match[1].lower()
    user, at, host = match[2].rpartition("@")
    if scheme != "user":  # what follows is a user's id there, and ids have case
        host = host.lower()
    host = host.removesuffix(_PORTS.get(scheme, "\0"))
    query = match[4] or ""
    if query:
        kept = [part for part in query[1:].split("&") if part and part[:4].lower() != "utm_"]
        query = "?" + "&".join(kept) if kept else ""
    path, fragment = match[3], match[5] or ""
    if fragment == "#":
        fragment = ""
    if not query and not fragment:
        path = path.removesuffix("/")
    return f"{scheme}://{user}{at}{host}{path}{query}{fragment}"
