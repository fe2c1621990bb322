"""Where US mail goes, by code and by name: the states, and the territories and military regions beside them."""

from __future__ import annotations

from drr.env.states import STATES

_BESIDE = {
    "AS": "American Samoa",
    "GU": "Guam",
    "MP": "Northern Mariana Islands",
    "PR": "Puerto Rico",
    "VI": "Virgin Islands",
    "FM": "Micronesia",
    "MH": "Marshall Islands",
    "PW": "Palau",
    "AA": "Armed Forces Americas",
    "AE": "Armed Forces Europe",
    "AP": "Armed Forces Pacific",
}
CODES: dict[str, str] = {
    spelling.casefold(): code for code, name in (STATES | _BESIDE).items() for spelling in (code, name)
}
"""Folded code or name -> code."""
