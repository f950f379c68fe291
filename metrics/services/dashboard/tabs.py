"""The pages of the dashboard, which its tabs open."""

from enum import StrEnum


class DashboardTab(StrEnum):
    """A page of the dashboard; its value is the last part of its address."""

    OVERVIEW = ""
    AGREEMENT = "agreement"
    PEOPLE = "people"
    FORECAST = "forecast"
    LEVELS = "levels"

    @property
    def label(self) -> str:
        """The name of the page."""
        return self.name.title()

    @property
    def template(self) -> str:
        """The template of its live part."""
        return f"metrics/dashboard/tabs/{self}.html" if self else "metrics/cockpit/cockpit.html"
