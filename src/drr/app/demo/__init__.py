"""The demo's own material: the recorded study and its judge's labels (`card.md` describes them), and an agent that lies (`careless.py`)."""
