"""A report and its transcript on a page: claims marked without breaking it, calls when they were made, every word to be found."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from drr.app.pages.markdown import safe_html
from drr.app.viewer.gantt import LINE, WIDE, gantt
from drr.app.viewer.highlight import LinkTag, MarkedSpan, marked_html, marked_text
from drr.app.viewer.model import Actor, CallView, Conversation, TimedMessage
from drr.app.viewer.parts import actors, call_text, conversations, long_arguments, thoughts, turns
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages, script, texts_script, words_script
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from tests.app.conftest import shown, view_of
from tests.sizes import examples


def answers_with(told: str, word: str) -> set[str]:
    """As the page's script reads it."""
    document = json.loads(told.removeprefix("window.drrWords = ").rstrip(";\n"))
    found, words = set(), document["words"].split(" ")
    for known, steps in zip(words, document["steps"].split(" "), strict=True):
        if word in known:
            place = 0
            for step in steps.split("."):
                place += int(step)
                found.add(document["keys"][place])
    return found


def test_every_word_leads_to_the_answers_that_have_it() -> None:
    texts = {f"k{n}": [f"word{n % 50} all", "Straße 3.5"] for n in range(200)}
    told = script({**texts, "evil": ["</script><script>alert(1)</script>"]})
    assert answers_with(told, "word7") == {f"k{n}" for n in range(200) if n % 50 == 7}
    assert answers_with(told, "straß") == answers_with(told, "3.5") == set(texts)
    assert answers_with(told, "alert") == {"evil"}
    assert "<" not in told


def test_every_word_leads_to_the_answers_that_have_it_and_a_transcript_has_all(reader: Reader) -> None:
    told = words_script(reader)
    for entry in reader.entries()[:3]:
        view = shown(reader, entry)
        seen = re.findall(r"[^\W_]{9,}", view.sources[0].seen[0].lower())
        for word in (*re.findall(r"[^\W_]{9,}", view.report.lower())[:3], *seen[:3]):
            assert entry.key in answers_with(told, word), word
    view = view_of(reader, "react")
    page = StudyPages("s", served=False).transcript(view)
    messages = [one for talk in view.conversations for one in talk.messages]
    made = [turn for talk in view.conversations for turn in turns(talk)]
    assert page.count('<li class="message') == len(made) > 5
    assert len(made) + sum(result is not None for turn in made for _, result in turn.calls) == len(messages)
    assert str(escape(call_text(made[2].calls[0][0]))) in page.replace("</b>", "")
    longest = max((one.row["text"] for one in messages if one.row["role"] == "tool"), key=len)
    told = json.loads(texts_script(view).removeprefix("window.drrTexts = ").rstrip(";\n"))
    assert longest in told and f'data-text="{told.index(longest)}"' in page
    assert str(escape(longest[-40:])) not in page, "a folded text is loaded after the page"
    for one in (message.row for message in messages):
        short = one["role"] != "tool" and len(one["text"]) <= 1_000 and one["text"].count("\n") < 10
        assert not short or str(escape(one["text"])) in page
        lines = one["text"].strip().splitlines()
        assert one["role"] != "tool" or len(lines) < 2 or one["text"] in told, "a result is one line"


def test_conversations_stand_as_they_began_and_each_message_when_it_was_made(reader: Reader) -> None:
    known = 0
    for view in (shown(reader, entry) for entry in reader.entries()):
        begun = [talk.started_at for talk in view.conversations]
        assert None not in begun and begun == sorted(one for one in begun if one is not None)
        for talk in view.conversations:
            times = [one.started_at for one in talk.messages if one.started_at is not None]
            assert times == sorted(times), "an answer of a tool comes before the next turn"
            known += len(times)
            steps = [step for step in view.steps if step["kind"] == "model" and step["of"] == talk.name]
            asked = [one.started_at for one in talk.messages if one.row["role"] == "ai"]
            assert asked in ([step["started_at"] for step in steps], [None] * len(asked))
    assert known > 50
    page = StudyPages("s", served=False).transcript(view)
    assert re.search(r"at \d+\.\d\d s", page)
    bars = set(re.findall(r'<rect class="(\w+)"', page))
    assert bars == {
        *re.findall(
            r'<span class="(\w+)">', page.partition('<p class="note row key">')[2].partition("</p>")[0]
        )
    }


def test_a_result_stands_under_its_call_and_a_stray_one_alone() -> None:
    call = {"id": "1", "name": "find", "args": {"words": "a lamp", "most": 3}}
    rows = [
        {"role": "ai", "tool_calls": [call, {"id": "2", "name": "look", "args": None}]},
        {"role": "tool", "tool_call_id": "1", "text": "found"},
        {"role": "tool", "tool_call_id": "9", "text": "stray"},
    ]
    ai, stray = turns(Conversation("agent", 1, None, None, [TimedMessage(row) for row in rows]))
    assert [result and result.row["text"] for _, result in ai.calls] == ["found", None]
    assert stray.message.row["text"] == "stray"
    assert [call_text(one) for one, _ in ai.calls] == ['find(words="a lamp", most=3)', "look(null)"]
    long = {"name": "find", "args": {"words": "lamp " * 30, "most": 3}}
    assert [*long_arguments(long)] == [("words", "lamp " * 30)] and "…" in call_text(long)


def test_each_message_names_its_speaker() -> None:
    rows = [{"role": role, "text": "a"} for role in ("system", "human", "ai", "human")]
    rows.append({"role": "tool", "name": "look", "text": "stray"})
    names = ("agent", "supervisor", "researcher r1", "synthesis r1")
    talks = conversations([{"name": name, "messages": rows} for name in names])
    said = {talk.name: [turn.speaker for turn in turns(talk)] for talk in talks}
    first = ("shopper", "shopper", "supervisor", "program")
    assert said == {
        name: ["instructions", asks, name, "program", "look"] for name, asks in zip(names, first, strict=True)
    }


def test_calls_that_no_model_made_stand_in_a_conversation_too() -> None:
    calls = (
        CallView(1, "agent", "find", "api", '{"words": "lamp"}', "found", None, 1.0, 3.0),
        CallView(2, "agent", "look", "refused", "{}", "Not run", "not_allowed", None, None),
    )
    (talk,) = conversations([], (), [Actor("agent", calls)])
    assert (talk.name, talk.turns, talk.started_at) == ("agent", 0, 3.0)
    (turn,) = turns(talk)
    assert [call_text(one) for one, _ in turn.calls] == ['find(words="lamp")', "look()"]
    results = [result for _, result in turn.calls if result is not None]
    assert [one.row["text"] for one in results] == ["found", "Not run"]
    assert [one.call for one in results] == [*calls] and results[1].row["status"] == "error"
    planned = [{"name": "agent", "messages": [{"role": "ai", "text": "the plan"}]}]
    (talk,) = conversations(planned, (), [Actor("agent", calls)])
    assert [(turn.message.row["role"], len(turn.calls)) for turn in turns(talk)] == [("ai", 0), ("code", 2)]


def timed(kind: str, of: str, number: int, started_at: float, seconds: float) -> Mapping[str, Any]:
    return {"kind": kind, "of": of, "number": number, "started_at": started_at, "seconds": seconds}


def test_times_that_do_not_fit_the_messages_are_unknown() -> None:
    messages = [{"role": "ai", "text": "a"}, {"role": "tool", "name": "look", "text": "b"}]
    steps = [timed("model", "agent", 1, 1.0, 2.0), timed("model", "agent", 2, 4.0, 1.0)]
    calls = (CallView(1, "agent", "find", "api", "{}", "", None, 1.0, 3.0),)
    (talk,) = conversations([{"name": "agent", "messages": messages}], steps, [Actor("agent", calls)])
    assert [one.started_at for one in talk.messages] == [None, None]
    (talk,) = conversations([{"name": "agent", "messages": messages}], steps[:1], [Actor("agent", calls)])
    assert [(one.started_at, one.seconds) for one in talk.messages] == [(1.0, 2.0), (None, None)]


def test_starts_that_others_note_as_times_of_day_count_from_their_first_call() -> None:
    given = (1764000000.5, "2026-01-01T00:00:00Z", 1764000002.0, -1.0, float("nan"), None)
    rows = [{"name": "look", "started_at": one, "seconds": 1.0} for one in given]
    (actor,) = actors(rows[:3] + rows[4:])
    assert [call.started_at for call in actor.calls] == [0.0, None, 1.5, None, None]
    (actor,) = actors([{"name": "look", "started_at": 3.5}, rows[3]])
    assert [call.started_at for call in actor.calls] == [3.5, None]


def test_calls_stand_where_they_began(reader: Reader) -> None:
    view = shown(reader, reader.entries()[0])
    starts = [call.started_at for call in view.calls]
    assert None not in starts and max(one for one in starts if one is not None) <= (view.seconds or 0)
    calls = (
        CallView(1, "r1", "look", "api", "{}", "", None, 2.0, 4.0),
        CallView(2, "r1", "end", "control", "{}", "", None, 0.0, 8.0),
    )
    drawn = gantt([Actor("researcher r1", calls)], 10.0)
    assert drawn is not None
    (own,) = drawn.lines
    assert own.name == "researcher r1"
    assert [(bar.left, bar.width, bar.call) for bar in own.bars] == [(400.0, 200.0, 1), (800.0, 2.0, 2)]
    assert drawn.ticks[-1] == (WIDE, "10.00 s")
    calls = (calls[0], replace(calls[0], number=3, seconds=0.0, error="timeout"), calls[1])
    drawn = gantt([Actor("researcher r1", calls)], 10.0)
    assert drawn is not None
    (own,) = drawn.lines
    assert (own.calls, [(bar.call, bar.width) for bar in own.failed]) == (3, [(3, 5.0)])
    assert own.bars[-1] is own.failed[0] and "look: timeout" in own.failed[0].title
    older = tuple(CallView(1, "a", "look", "api", "{}", "", None, 2.0) for _ in range(2))
    assert gantt([Actor("a", older)], 10.0) is None


def test_turns_pages_and_summaries_stand_where_they_began(reader: Reader) -> None:
    kinds = {}
    for entry in reader.entries():
        view = shown(reader, entry)
        for step in view.steps:
            assert 0 <= step["started_at"] <= step["started_at"] + step["seconds"] <= (view.seconds or 0)
        kinds[entry.variant] = {step["kind"] for step in view.steps}
        turns = sum(talk.turns for talk in view.conversations)
        assert sum(step["kind"] == "model" for step in view.steps) >= turns - 1
    assert kinds["react"] == {"model"}
    assert kinds["react+ws"] == {"model", "page", "summary"}
    steps = (
        timed("model", "agent", 1, 0.0, 1.0),
        timed("model", "agent", 2, 6.0, 2.0),
        timed("page", "http://a.example/x", 1, 4.0, 1.0),
        timed("summary", "http://a.example/x", 1, 5.0, 1.0),
        timed("model", "report", 1, 8.0, 2.0),
    )
    calls = (CallView(1, "agent", "web_search", "api", "{}", "", None, 3.0, 3.0),)
    drawn = gantt([Actor("agent", calls)], 10.0, steps)
    assert drawn is not None and drawn.kinds == {"model", "api", "page", "summary"}
    assert drawn.height == LINE * 4
    found = [(own.name, [(bar.kind, bar.left, bar.width) for bar in own.bars]) for own in drawn.lines]
    assert found == [
        ("agent", [("model", 0.0, 100.0), ("api", 300.0, 300.0), ("model", 600.0, 200.0)]),
        ("report", [("model", 800.0, 200.0)]),
        ("pages", [("page", 400.0, 100.0), ("summary", 500.0, 100.0)]),
    ]


def test_thinking_is_told() -> None:
    blocks = [
        {"type": "thinking", "thinking": "so", "signature": "x"},
        {"type": "redacted_thinking", "data": "z"},
        {"type": "image"},
    ]
    assert thoughts({"blocks": blocks}) == ["so", "(redacted_thinking: not shown by the provider)"]


REPORT = """# Plan

- **Feeder** costs $43.99 [1](http://shop.example/B1).
- House

| Item | Price |
|---|---|
| Feeder | $43.99 |

1. First step
"""


def span(text: str, name: str = "c1", report: str = REPORT) -> MarkedSpan:
    start = report.index(text)
    return MarkedSpan(start, start + len(text), name, "full")


def texts(html: str, name: str = "c1") -> str:
    return " ".join(
        " ".join(
            re.findall(rf'<mark class="full" data-claim="{name}"(?: tabindex="0")?>(.*?)</mark>', html)
        ).split()
    )


def test_claims_are_marked_in_items_rows_and_headings() -> None:
    html = marked_html(REPORT, [span("- **Feeder** costs $43.99 [1](http://shop.example/B1).")])
    assert texts(html) == "Feeder costs $43.99 1 ."
    assert html.count("<li>") == 3
    assert 'href="http://shop.example/B1"' in html
    html = marked_html(REPORT, [span("| Feeder | $43.99 |")])
    assert "<table>" in html
    assert texts(html).split() == ["Feeder", "$43.99"]
    html = marked_html(REPORT, [span("# Plan", "c1"), span("1. First step", "c2")])
    assert "<h1><mark" in html
    assert texts(html, "c2") == "First step"
    assert "<ol>" in html
    html = marked_html(
        "One two three four.", [MarkedSpan(0, 7, "c1", "full"), MarkedSpan(4, 13, "c2", "full")]
    )
    assert texts(html, "c1") == "One two"
    assert texts(html, "c2").strip() == "three"
    html = marked_html("Hello there", [MarkedSpan(0, 5, '"><script>', "full")])
    assert "<script" not in html
    assert marked_text("a <b> c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> c"
    assert marked_text("abc", [(2, 9), (1, 2)]) == "a<mark>b</mark>c"


def test_a_citation_marker_leads_to_its_source_inside_and_outside_of_claims() -> None:
    report = "A feeder [1] costs $5 [2]. And [x](http://a.example/)."
    links = [LinkTag(9, 12, "source-1"), LinkTag(22, 25, "source-2"), LinkTag(31, 34, "source-3")]
    html = marked_html(report, [MarkedSpan(0, 15, "c1", "full")], links)
    assert '<a href="#source-1">[1]</a></mark>' in html
    assert ' <a href="#source-2">[2]</a>.' in html
    assert "source-3" not in html
    assert 'href="http://a.example/" target="_blank"' in html


def test_a_finding_is_marked_inside_and_across_claims_and_leads_to_its_card() -> None:
    report = "- **Feeder** costs $4 [1]. It is red."
    claims = [span("**Feeder** costs $4 [1].", "c1", report), span("It is red.", "c2", report)]
    price, across = span("$4 [1]", "w1", report), span("[1]. It is", "w2", report)
    wrong = [one._replace(kind="wrong", card="card") for one in (price, across)]
    html = marked_html(report, claims, [LinkTag(22, 25, "source-1")], wrong[:1])
    assert '<mark class="wrong" id="w1"><a href="#card">$4 </a></mark>' in html
    assert '<mark class="wrong"><a href="#source-1">[1]</a></mark>' in html, "what cites still leads there"
    html = marked_html(report, claims, (), wrong[1:])
    found = re.findall(r'data-claim="(c\d)"[^>]*><mark class="wrong"[^>]*><a href="#card">(.*?)</a>', html)
    assert found == [("c1", "[1]."), ("c2", "It is")]
    assert marked_html(report, claims, (), wrong[1:]).count('id="w2"') == 1
    assert "<mark" not in marked_html(report, [], (), [wrong[0]._replace(start=0, end=0)])


def test_two_findings_on_the_same_words_have_a_place_each() -> None:
    report = "Total: $99.98, with tax."
    wrong = [MarkedSpan(7, 13, name, "wrong", f"card-{name}") for name in ("w1", "w2")]
    wrong.append(MarkedSpan(7, 23, "w3", "wrong", "card-w3"))
    html = marked_html(report, [], (), wrong)
    assert [html.count(f'id="{name}"') for name in ("w1", "w2", "w3")] == [1, 1, 1]
    assert html.count("$99.98") == 1 and html.count("<mark") == 4, "only the first words have all three"


@given(st.text(alphabet=st.sampled_from('ab*_`[]()<>|#-1. \n\U000f0000\U000f0001&"'), max_size=60), st.data())
@examples(300)
def test_marking_never_changes_the_text_nor_lets_markup_through(report: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(report)), min_size=2, max_size=4)))
    spans = [MarkedSpan(cuts[0], cuts[1], "a", "full"), MarkedSpan(cuts[-2], cuts[-1], "b", "none")]
    links = [LinkTag(cuts[0], cuts[-1], "source-1")] if cuts[0] < cuts[-1] else []
    html = marked_html(report, spans, links, [MarkedSpan(cuts[1], cuts[-1], "w", "wrong", "card")])
    assert "\U000f0000" not in html
    assert "\U000f0001" not in html
    plain = (
        "mark em strong code p a li ul ol blockquote h1 h2 h3 h4 h5 h6 hr pre br table thead tbody tr th td"
    )
    tags, known = (set(re.findall(r"</?([a-z0-9]+)", text)) for text in (html, safe_html(report)))
    assert tags <= known | {*plain.split()}


def test_numbered_sources_stay_lines_and_their_addresses_lead_there() -> None:
    """Also where a claim or a marker begins or ends in them; what is no such list runs on as Markdown has it."""
    report = "[1] Your order: https://shop.example/orders/1\n[2] A <b>page</b>, https://x.example/?a=1&b=2.\n[3] javascript:alert(1)"
    html = marked_html(report, [MarkedSpan(0, 45, "c1", "full")], [LinkTag(0, 3, "source-1")])
    assert html.count("<br>") == 2 and '<a href="#source-1">' in html
    assert 'href="https://shop.example/orders/1"' in html and 'href="https://x.example/?a=1&amp;b=2"' in html
    assert html.count("<a ") == 3 and "<b>" not in html and 'rel="noopener noreferrer nofollow"' in html
    torn = marked_html(report, [MarkedSpan(0, 30, "c1", "full")])
    assert "https://shop" not in "".join(re.findall(r'href="([^"]*)"', torn)) and "https://x.example/" in torn
    prose = marked_html("One line [1]\nand another https://x.example/1", [])
    assert "<br>" not in prose and "<a " not in prose


def test_a_report_leads_from_its_sources_to_the_calls_in_the_transcript(reader: Reader) -> None:
    pages, led = StudyPages("s", served=False), 0
    for entry in reader.entries():
        view = shown(reader, entry)
        calls = re.findall(rf'href="../x/{entry.key}.html#(call-[0-9]+)"', pages.report(view))
        led += len(calls)
        assert set(calls) <= set(re.findall(r'id="(call-[0-9]+)"', pages.transcript(view)))
    assert led
