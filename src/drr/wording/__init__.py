"""Reads numbers, units, money, dates, places and limits as people write them.

Here are the readers of quantities, amounts, dates and limits, with the words that they know. Words are data,
not code: `.toml` files say where each group comes from or what fails without it, and `locales` has a file for
each language.
The package imports no other package of `drr`: questions, tools, agents and rules must read one amount alike.
Begin with `quantities.py`, then `money.py`; `vocabulary.py` reads the words.
"""
