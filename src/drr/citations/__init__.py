"""Parses citations and addresses in a report, and repairs them.

Here are an address's one canonical form, links, lists of sources, marks, the parse of a whole report, and its
repair. Agents repair by this parse and judges count by it: with two parsers, a repair would remove what a
judge accepts.
Neither may own it, so the package imports no other package of `drr`. It knows no shop: callers hand in its
address and a function that looks ids up. Any text gives an answer, in time that grows with its length,
without network or model.
Begin with `parse.py`, then `links.py`; `addresses.py` has the canonical form.
"""
