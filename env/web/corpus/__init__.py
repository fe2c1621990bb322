"""The web in the box. Invented pages on reserved domains that fit the sample shop, some of them wrong on purpose.

`facts/` holds the fact tables, `templates/` the pages that are set from them, `pages/` those written by hand; `python -m drr.env.web.corpus` makes `documents.jsonl` and
`sandbox.json` of both, the same bytes every time.
"""
