"""Hostile markdown to safe HTML: no raw HTML, no image, no script, no link that leaves without being asked."""

from __future__ import annotations

from drr.eval.asking.rendering import parser

TAGS = {
    *(
        "p",
        "br",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
    ),
    *("s", "table", "thead", "tbody", "tr", "th", "td", "a", "mark", "span"),
}
SCHEMES = {"http", "https", "user"}


def safe_html(markdown: str) -> str:
    """Rendered and sanitised twice over: the parser makes no HTML of HTML, the cleaner lets only `TAGS` through."""
    return clean(parser().render(markdown))


def clean(html: str) -> str:
    """Only `TAGS`, only harmless attributes; links keep their address and open apart, without telling where from."""
    import nh3

    return nh3.clean(
        html,
        tags=TAGS,
        attributes={
            "a": {"href", "title"},
            "mark": {"class", "id", "data-claim", "tabindex"},
            "span": {"class", "id"},
            "ol": {"start"},
        },
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
