"""The demo's own material: the recorded study (`recorded.bundle`, described in `card.md`) and an agent that lies (`careless.py`)."""
