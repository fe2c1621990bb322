"""The web that ships with the program: invented pages on reserved domains that fit the sample shop. Some are wrong on purpose.

`facts/` holds the fact tables, `templates/` the pages that are generated from them, `pages/` those written by hand; `python -m drr.env.web.corpus`
makes `documents.jsonl` and `sandbox.json` of both, the same bytes every time.
"""
