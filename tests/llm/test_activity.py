"""A slow model is seen to write: its open calls, the pieces that came, and how long ago; also from another process."""

from __future__ import annotations

import os
import time
from pathlib import Path

from drr.llm.activity import AS_JSON, FILE, ModelActivity
from drr.study.status import doing_in


def test_what_goes_on_is_said_while_a_call_is_open(tmp_path: Path) -> None:
    activity = ModelActivity()

    def told() -> str:
        (tmp_path / FILE).write_bytes(AS_JSON.dump_json(activity))
        return doing_in(tmp_path)

    assert doing_in(tmp_path) == activity.text(time.time()) == told() == ""
    with activity.call():
        assert activity.text(time.time()) == "1 model call waiting"
        with activity.call():
            activity.wrote()
            activity.wrote()
            activity.last_at = time.time() - 4.4
            assert activity.text(time.time()) == "2 model calls waiting, 2 pieces written, the last 4 s ago"
            assert told() == "A run goes on: 2 model calls waiting, 2 pieces written, the last 4 s ago."
            os.utime(tmp_path / FILE, (0, time.time() - 60))
            assert doing_in(tmp_path) == "", "who was killed says nothing more"
    (tmp_path / FILE).write_text("<script>")
    assert activity.text(time.time()) == doing_in(tmp_path) == ""
