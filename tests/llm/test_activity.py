"""A slow model is seen to write: its open calls, the pieces that came, and how long ago."""

from __future__ import annotations

from drr.llm.activity import ModelActivity


def test_what_goes_on_is_said_while_a_call_is_open() -> None:
    activity = ModelActivity()
    assert activity.text(0.0) == ""
    with activity.call():
        assert activity.text(1.0) == "1 model call waiting"
        with activity.call():
            activity.wrote(2.0)
            activity.wrote(3.0)
            assert activity.text(7.4) == "2 model calls waiting, 2 pieces written, the last 4 s ago"
    assert activity.text(8.0) == ""
