"""Agreement of a collection's labels: alpha with its interval, over the labels so far."""

from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.services.dashboard.agreement_page import AgreementPanel


class HowGood(NamedTuple):
    """Alpha of the planned labels."""

    panel: AgreementPanel

    @property
    def value_text(self) -> str:
        """Alpha in two digits; empty where it is not defined."""
        value = self.panel.planned.alpha["value"]
        return "" if value is None else f"{value:.2f}"

    @property
    def interval_text(self) -> str:
        """The interval of alpha; empty where there is none."""
        alpha = self.panel.planned.alpha
        return "" if alpha["low"] is None else f"{alpha['low']:.2f} to {alpha['high']:.2f}"

    @property
    def basis_text(self) -> str:
        """The level of measurement, and what alpha is over; or why it is not defined."""
        alpha = self.panel.planned.alpha
        if alpha["value"] is None:
            return f"Alpha is not defined yet: {alpha['reason']}."
        origin = (
            f" of {alpha['n_groups']:,} {self.panel.sampling_units}" if alpha["n_groups"] else ""
        )
        pairs = counted(alpha["n_pairable_units"], "pair")
        return f"Alpha, {self.panel.level}, of planned labels on {pairs}{origin}"
