"""A page of the web as markdown and its title, by trafilatura. Before it stands a line with its address."""

from __future__ import annotations

from drr.env.drawer.reading.form import ReadContent


def read_page(data: bytes) -> ReadContent:
    import trafilatura
    from trafilatura.metadata import extract_metadata

    url, _, html = data.decode("utf-8").partition("\n")
    tree = trafilatura.load_html(html)
    if tree is None:
        return {"title": None, "text": ""}
    document = extract_metadata(tree, default_url=url)
    text = trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_tables=True,
        include_comments=False,
        favor_recall=True,
    )
    return {"title": document.title if document else None, "text": text or ""}
