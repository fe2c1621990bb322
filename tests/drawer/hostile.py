"""Files of a drawer for tests: papers as people keep them, and hostile ones with the kind of their refusal."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

MAIL = """From: Nut House <shop@nuthouse.example>
To: anna@mail.example
Subject: Your kettle
Date: Mon, 4 Sep 2023 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=edge

--edge
Content-Type: text/plain; charset=utf-8

You may return the kettle within 45 days.
--edge
Content-Type: message/rfc822

From: anna@mail.example
Subject: Too loud

It whistles.
--edge
Content-Type: application/pdf
Content-Disposition: attachment; filename="label.pdf"

x
--edge--
"""
PAGE = """<html><head><title>Kettle shop</title><style>p {color: red}</style><script>alert(1)</script></head><body><h1>Returns</h1>
<p>Kettles may be returned within <b>30 days</b>.</p><table><tr><th>Item</th><th>Price</th></tr><tr><td>Kettle</td><td>$49.00</td></tr></table>
</body></html>"""
ORDERS = "date,item,price\n2022-01-05,Kettle Aqua 3,49.00\n2022-03-09,Kettle descaler,7.50\n2023-02-11,Bird feeder,31.00\n"


def manual(pages: list[str]) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    held = BytesIO()
    canvas = Canvas(held)
    for page in pages:
        for number, line in enumerate(page.split("\n")):
            canvas.drawString(72, 720 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return held.getvalue()


def budget() -> bytes:
    from openpyxl import Workbook

    book, held = Workbook(), BytesIO()
    rooms = book.active
    rooms.title = "Living room"
    for row in (["Place", "Width", "Depth"], ["Shelf", "58 cm", "31 cm"], ["Niche", 64, 40.5]):
        rooms.append(row)
    rooms["D3"] = "=B3*C3"
    plan = book.create_sheet("Plan")
    plan.append(["Limit", 120])
    book.save(held)
    return held.getvalue()


def picture(kind: str = "PNG") -> bytes:
    from PIL import Image

    held = BytesIO()
    Image.new("RGB", (320, 200), "white").save(held, kind)
    return held.getvalue()


def write_papers(folder: Path) -> tuple[str, ...]:
    """The names, in the order in which the shopper has them."""
    papers: dict[str, bytes] = {
        "manual.pdf": manual(
            [
                "Kettle Aqua 3",
                "The warranty of the kettle lasts 36 months.\nLimescale is excluded.",
                "Part K-17 is the lid.",
                "End",
            ]
        ),
        "budget.xlsx": budget(),
        "orders 2022.csv": ORDERS.encode(),
        "seller.eml": MAIL.encode(),
        "saved.html": PAGE.encode(),
        "notes.md": b"# Notes\n\nIt must be quiet.\n",
        "slip.png": picture(),
        "label.jpg": picture("JPEG"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in papers.items():
        (folder / name).write_bytes(data)
    return tuple(papers)


WHERE = "http://127.0.0.1:9"
"""Where those that point somewhere point to."""
Made = Callable[[], bytes]
HOSTILE: dict[str, tuple[Made, str | None]] = {}
"""By name: how it is made, and the kind of the problem that is answered; `None` where it can be read after all."""
ENDLESS = frozenset({"comment.html"})
"""Those that are read until their reader is ended."""

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
_RELS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>'
)
_BOOK = (
    '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_BOOK_RELS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>%s</Relationships>'
)
_SHEET = '<?xml version="1.0"?>%s<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'


def hostile(name: str, answered: str | None) -> Callable[[Made], Made]:
    def keep(made: Made) -> Made:
        HOSTILE[name] = (made, answered)
        return made

    return keep


def workbook(
    rows: str = '<row r="1"><c r="A1"><v>7</v></c></row>',
    *,
    declared: str = "",
    links: str = "",
    more: dict[str, bytes] | None = None,
) -> bytes:
    held = BytesIO()
    with ZipFile(held, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELS)
        archive.writestr("xl/workbook.xml", _BOOK)
        archive.writestr("xl/_rels/workbook.xml.rels", _BOOK_RELS % links)
        archive.writestr("xl/worksheets/sheet1.xml", _SHEET % (declared, rows))
        for name, data in (more or {}).items():
            archive.writestr(name, data)
    return held.getvalue()


def pdf(*objects: str | bytes, root: str = "1 0 R") -> bytes:
    """The numbered objects as they are given, with the table that says where they stand."""
    body, places = b"%PDF-1.7\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n" % number + (one.encode() if isinstance(one, str) else one) + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    return body + head + table + b"trailer\n<< /Size %d /Root %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(places) + 1, root.encode(), len(body),
    )  # fmt: skip


def stream(data: bytes, filters: str = "") -> bytes:
    return b"<< /Length %d %s >>\nstream\n" % (len(data), filters.encode()) + data + b"\nendstream"


def page_pdf(content: bytes, *more: str | bytes) -> bytes:
    return pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        content,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *more,
    )


def many_pages(count: int, stated: int | None = None) -> bytes:
    """The same page so many times."""
    kids = "3 0 R " * count
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
    return pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count if stated is None else stated} >>",
        page,
    )


def png(width: int, height: int, data: bytes | None = None) -> bytes:
    """A grey picture; `data` stands in place of its pixels."""

    def chunk(kind: bytes, held: bytes) -> bytes:
        return struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held))

    pixels = zlib.compress(b"\x00" * (width // 8 + 2) * min(height, 1000), 9) if data is None else data
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def nested_mail(depth: int) -> bytes:
    mail = b"From: a@b.example\nSubject: inmost\n\nhere\n"
    for number in range(depth):
        edge = b"e%d" % number
        mail = (
            b"From: a@b.example\nSubject: outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=" + edge
            + b"\n\n--" + edge + b"\nContent-Type: message/rfc822\n\n" + mail + b"\n--" + edge + b"--\n"
        )  # fmt: skip
    return mail


def nested_parts(depth: int) -> bytes:
    head = b"From: a@b.example\nSubject: x\nMIME-Version: 1.0\n"
    return head + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number)
        for number in range(depth)
    )


# PDF -----------------------------------------------------------------------------------------------------------------

hostile("pages.pdf", "invalid")(lambda: many_pages(10_000))
hostile("pages-unsaid.pdf", "invalid")(lambda: many_pages(1_000, stated=1))
hostile("pages-overstated.pdf", "invalid")(lambda: many_pages(1, stated=2_000_000_000))
hostile("cut.pdf", "invalid")(lambda: many_pages(5)[:90])
hostile("head-only.pdf", "invalid")(lambda: b"%PDF-1.7\n")
hostile("noise.pdf", "invalid")(lambda: b"%PDF-1.7\n" + bytes(range(256)) * 400)
hostile("named.pdf", "invalid")(lambda: b"<html><body>no pdf</body></html>")
hostile("empty.pdf", "invalid")(lambda: b"")
hostile("own-parent.pdf", "invalid")(
    lambda: pdf("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>")
)
hostile("circle.pdf", "invalid")(
    lambda: pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
    )
)
hostile("no-root.pdf", "invalid")(lambda: pdf("<< >>", root="9 0 R"))
hostile("bomb.pdf", "invalid")(
    lambda: page_pdf(stream(zlib.compress(b"(a) Tj " * 12_000_000, 1), "/Filter /FlateDecode"))
)
hostile("double-bomb.pdf", "invalid")(
    lambda: page_pdf(
        stream(
            zlib.compress(zlib.compress(b"\x00" * 90_000_000, 1), 9), "/Filter [/FlateDecode /FlateDecode]"
        )
    )
)
hostile("own-form.pdf", None)(
    lambda: pdf(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
        stream(b"/X Do"),
        stream(b"/X Do /X Do", "/Type /XObject /Subtype /Form /Resources << /XObject << /X 5 0 R >> >>"),
    )
)
hostile("deep.pdf", "invalid")(lambda: pdf("[" * 50_000 + "]" * 50_000))
hostile("script.pdf", None)(
    lambda: pdf(
        f"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.launchURL\\('{WHERE}/x'\\)) >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /AA << /O << /S /URI /URI ({WHERE}/y) >> >> >>",
    )
)


@hostile("locked.pdf", "unsupported")
def locked() -> bytes:
    from pypdf import PdfWriter

    writer, held = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(held)
    return held.getvalue()


# Workbooks and tables ------------------------------------------------------------------------------------------------

hostile("formula.xlsx", None)(
    lambda: workbook(
        f'<row r="1"><c r="A1"><f>WEBSERVICE("{WHERE}/x")</f></c><c r="B1"><f>1+1</f><v>2</v></c></row>'
    )
)
hostile("links.xlsx", None)(
    lambda: workbook(
        '<row r="1"><c r="A1"><f>[1]S!A1</f></c></row>',
        links='<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/externalLink"'
        f' Target="{WHERE}/x.xlsx" TargetMode="External"/>',
    )
)
hostile("macros.xlsx", "unsupported")(lambda: workbook(more={"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 20}))
hostile("macros.xlsm", "unsupported")(lambda: workbook(more={"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 20}))
hostile("bomb.xlsx", "invalid")(lambda: workbook(more={"xl/media/image1.bin": b"\x00" * 70_000_000}))
hostile("text-bomb.xlsx", "invalid")(
    lambda: workbook(f'<row r="1"><c r="A1" t="inlineStr"><is><t>{"a" * 70_000_000}</t></is></c></row>')
)
hostile("parts.xlsx", "invalid")(lambda: workbook(more={f"xl/{number}.bin": b"" for number in range(3_000)}))
hostile("entities.xlsx", "invalid")(
    lambda: workbook(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>&h;</t></is></c></row>',
        declared='<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY h "&b;&b;&b;&b;&b;&b;&b;&b;">]>',
    )
)
hostile("outside.xlsx", "invalid")(
    lambda: workbook(declared=f'<!DOCTYPE x [<!ENTITY h PUBLIC "x" "{WHERE}/x">]>')
)
hostile("far.xlsx", "invalid")(
    lambda: workbook(
        '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'
    )
)
hostile("wide.xlsx", "invalid")(lambda: workbook('<row r="1"><c r="XFD1"><v>7</v></c></row>'))
hostile("many.xlsx", "invalid")(
    lambda: workbook("".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 20_003)))
)
hostile("broken.xlsx", "invalid")(lambda: workbook()[:300])
hostile("unwell.xlsx", "invalid")(lambda: workbook("<row><c>"))
hostile("named.xlsx", "invalid")(lambda: b"a,b\n1,2\n")


@hostile("archive.xlsx", "invalid")
def archive() -> bytes:
    held = BytesIO()
    with ZipFile(held, "w", ZIP_STORED) as made:
        made.writestr("../../etc/passwd", "x")
    return held.getvalue()


hostile("wide.csv", "invalid")(lambda: b",".join(b"%d" % n for n in range(50_000)) + b"\n")
hostile("long.csv", "invalid")(lambda: b'a,"' + b"x" * 1_000_000)
hostile("rows.csv", "invalid")(lambda: b"1,2\n" * 21_000)
hostile("formula.csv", None)(lambda: b'name,price\n"=HYPERLINK(""http://127.0.0.1:9/"")",1\n')
hostile("latin.csv", "invalid")(lambda: "Größe;12\n".encode("latin-1"))

# Mails, pages, texts -------------------------------------------------------------------------------------------------

hostile("nested.eml", "invalid")(lambda: nested_mail(40))
hostile("parts.eml", "invalid")(lambda: nested_parts(1_500))
hostile("many.eml", "invalid")(
    lambda: (
        b"From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\n\nx\n" * 5_000
        + b"--b--\n"
    )
)
hostile("no-mail.eml", "invalid")(lambda: b"just words\n")
hostile("head.eml", None)(lambda: b"Subject: " + b"x" * 500_000 + b"\n\nhi\n")
hostile("charset.eml", "invalid")(lambda: b"From: a@b\nContent-Type: text/plain; charset=no-such\n\nhi\n")
hostile("deep.html", None)(lambda: b"<div>" * 50_000)
hostile("tags.html", None)(lambda: b"<" * 100_000 + b"a")
hostile("comment.html", "timeout")(lambda: b"<p>x</p>" + b"<!--" * 200_000)
hostile("scripts.html", None)(
    lambda: (
        f'<base href="{WHERE}/"><script src="x.js"></script><img src="x.png"><iframe src="y"></iframe><p>words</p>'.encode()
    )
)
hostile("binary.txt", "invalid")(lambda: b"\x00\x01\x02" * 100)
hostile("latin.md", "invalid")(lambda: "Größe".encode("latin-1"))
hostile("large.txt", "invalid")(lambda: b"a" * (5 << 20))

# Pictures and what is not read ---------------------------------------------------------------------------------------

hostile("bomb.png", "invalid")(lambda: png(60_000, 60_000))
hostile("large.png", "invalid")(lambda: png(9_000, 9_000))
hostile("cut.png", "invalid")(lambda: png(64, 64)[:40])
hostile("noise.png", "invalid")(lambda: png(64, 64, b"no pixels at all"))
hostile("named.png", "invalid")(lambda: b"GIF89a" + b"\x00" * 40)
hostile("cut.jpg", "invalid")(lambda: b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + b"\x00" * 20)
hostile("clip.mp4", "unsupported")(lambda: b"\x00\x00\x00\x18ftypmp42")
hostile("voice.mp3", "unsupported")(lambda: b"ID3" + b"\x00" * 40)
hostile("things.zip", "unsupported")(lambda: b"PK\x03\x04")
hostile("unnamed", "unsupported")(lambda: b"words")


@hostile("text-chunk.png", "invalid")
def text_chunk() -> bytes:
    """A comment in a picture that unpacks to eighty megabytes."""
    held = b"Comment\x00\x00" + zlib.compress(b"\x00" * 80_000_000, 1)
    chunk = struct.pack(">I", len(held)) + b"zTXt" + held + struct.pack(">I", zlib.crc32(b"zTXt" + held))
    made = png(8, 8)
    return made[:33] + chunk + made[33:]
