"""A shopper's papers for tests, small and whole: one of each kind that is read."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

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
