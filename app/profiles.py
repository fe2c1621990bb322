"""The shop behind a study, where it is still there, and what it knows of a shopper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.citations.parse import Citations, parse
from drr.env.errors import DrrError
from drr.env.profile import ProfileSummary, build_profile

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.study.study import Study


class ShopperProfiles:
    """Profile summaries for people to read; empty where the shop cannot be opened or has no such user."""

    def __init__(self, study: Study, shop: str | None = None) -> None:
        self._known: dict[str, ProfileSummary | None] = {}
        self.shop = shop_of(study, shop)
        self._home = _settings_of(study).shop_url if self.shop is None else self.shop.shop_url
        """Below which the shop's pages are said to live, whether it can be opened or not."""
        named = shop or study.config.get("run", {}).get("shop")
        self.missing = str(named) if named and self.shop is None else None
        """Where the shop should lie and does not: profiles and records of the shop cannot be shown."""

    def citations(self, report: str) -> Citations:
        """Parse the citations of a report about the shop."""
        return parse(report, self._home, None if self.shop is None else self.shop.held)

    def text(self, user_id: str | None) -> str:
        found = self.summary(user_id)
        return "" if found is None else found.text()

    def summary(self, user_id: str | None) -> ProfileSummary | None:
        if user_id is None or self.shop is None:
            return None
        if user_id not in self._known:
            known = self.shop.store.user(user_id) is not None
            self._known[user_id] = (
                build_profile(self.shop.store, user_id, self.shop.manifest.as_of) if known else None
            )
        return self._known[user_id]


def shop_of(study: Study, given: str | None = None) -> Shop | None:
    """Open the shop that the study was run in, where this user vouched for it. A study can be read without it.

    A relative address is looked for from here and from the study's own place: studies and shops are moved together.
    """
    from drr.app.vouching import is_own_shop
    from drr.env.shop import open_shop

    spec = given or study.config.get("run", {}).get("shop")
    if not spec:
        return None
    settings = _settings_of(study)
    beside = study.folder.resolve().parent / str(spec)
    for place in dict.fromkeys([str(spec), str(beside)]):
        if given is None and not is_own_shop(study.folder, place):
            continue
        try:
            return open_shop(place, settings)
        except DrrError:
            continue
    return None


def _settings_of(study: Study) -> Settings:
    from drr.env.settings import resolve

    given = (
        {"shop_url": study.config.get("settings", {}).get("shop_url")} if "settings" in study.config else {}
    )
    return resolve(given).settings
