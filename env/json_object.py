"""An object of JSON whose keys are not ours to name: a stranger's document, the arguments of a tool, a JSON Schema.

Where the keys are known, a row has a type of its own.
"""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
