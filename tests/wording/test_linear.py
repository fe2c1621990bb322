"""No text makes the room slow: each expression reads 20,000 hostile characters within a processor limit."""

from __future__ import annotations

import subprocess
import sys

ATTACK = '''
import importlib, pkgutil, re, resource
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
import drr.wording

def expressions(value, depth=0):
    """Of a module, of the objects in it and of what they hold."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from expressions(one, depth)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from expressions(one, depth)
    elif depth < 3 and type(value).__module__.startswith("drr.wording") and hasattr(value, "__dict__"):
        yield from expressions(vars(value), depth + 1)

found = {}
for module in pkgutil.iter_modules(drr.wording.__path__, "drr.wording."):
    for pattern in expressions(dict(vars(importlib.import_module(module.name)))):
        found[pattern.pattern] = pattern
assert len(found) >= FEWEST, sorted(found)
PIECES = [
    "1", "1,", "1,111", "1.", "$", "$1", "$1,", "$1 to ", "1 ", "1/2 ", "about ", "about $1", "one ", "two-", " ", "a", "A", "a ", "A ",
    "no ", "no a, ", "May 1 ", "May ", "1 May ", "in the ", "not a ", "-", "a-", "'", "\\n", ".", "under my total ", "1 in", "per ",
    "what ", "which ", "the best ", "for a ", "up to ", "~", "x, x or ",
]
for pattern in found.values():
    for piece in PIECES:
        text = (piece * 20_000)[:20_000]
        for _ in pattern.finditer(text):
            pass
        pattern.match(text + "!")
print("read", len(found))
'''


def test_every_expression_of_the_room_is_linear_in_its_text() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ATTACK.replace("FEWEST", "9")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("read ")
