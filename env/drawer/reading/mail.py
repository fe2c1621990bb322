"""A mail as its head, its words and the names of its attachments; mails within it to a certain depth. No attachment is opened."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage, Message

from drr.env.drawer.reading.form import ReadContent, UnreadableFile
from drr.env.drawer.reading.markup import words_of

MOST_PARTS, DEEPEST = 200, 4
_HEAD = ("From", "To", "Cc", "Date", "Subject")


def read_mail(data: bytes) -> ReadContent:
    message = email.message_from_bytes(data, _class=EmailMessage, policy=email.policy.default)
    if not any(message[name] for name in _HEAD):
        raise UnreadableFile("invalid", "has none of the lines that a mail begins with")
    return {"text": "\n".join(_Mail().lines(message, 0))}


class _Mail:
    """The parts that were looked at, of all mails within one."""

    def __init__(self) -> None:
        self.parts = 0

    def lines(self, mail: Message, depth: int) -> list[str]:
        found = [f"{name}: {' '.join(str(mail[name]).split())}" for name in _HEAD if mail[name]]
        words: list[str] = []
        attached: list[str] = []
        self._walk(mail, depth, words, attached)
        if attached:
            found.append(f"Attached: {', '.join(attached)}")
        return [*found, "", *words]

    def _walk(self, part: Message, depth: int, words: list[str], attached: list[str]) -> None:
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise UnreadableFile("invalid", f"has more than {MOST_PARTS} parts")
        kind, name = part.get_content_type(), part.get_filename()
        if kind == "message/rfc822":
            for one in _parts(part):
                attached.append(f"a mail ({' '.join(str(one['Subject'] or 'no subject').split())[:120]})")
                if depth >= DEEPEST:
                    raise UnreadableFile("invalid", f"holds mails within mails, more than {DEEPEST} deep")
                words += [
                    "",
                    "--- Attached mail ---",
                    *self.lines(one, depth + 1),
                    "--- End of attached mail ---",
                ]
        elif part.is_multipart():
            for one in _chosen(_parts(part)) if kind == "multipart/alternative" else _parts(part):
                self._walk(one, depth, words, attached)
        elif name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            attached.append(f"{' '.join(str(name or 'no name').split())[:120]} ({kind})")
        else:
            words.append(_words(part, kind))


def _parts(part: Message) -> list[Message]:
    found = part.get_payload()
    return [one for one in found if isinstance(one, Message)] if isinstance(found, list) else []


def _chosen(parts: list[Message]) -> list[Message]:
    """Choose the plain one of several forms of the same words."""
    plain = [part for part in parts if part.get_content_type() == "text/plain"]
    return plain[:1] or parts[-1:]


def _words(part: Message, kind: str) -> str:
    raw = part.get_payload(decode=True)
    data = raw if isinstance(raw, bytes) else b""
    try:
        text = data.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        raise UnreadableFile("invalid", "holds words in a charset that cannot be read") from None
    return words_of(text) if kind == "text/html" else text.replace("\r\n", "\n").strip()
