"""The numbers that somebody types for a plan: queries, an error, a difference, a power."""

from collections.abc import Container, Mapping
from typing import NamedTuple

MOST_DIGITS = 8  # of a number of queries
LARGEST = 1e6  # error or difference
LEAST_POWER, MOST_POWER = 0.5, 0.99


class PlanNumbers(NamedTuple):
    """Numbers that the planner is to plan for; None for each that nobody typed.

    n : queries of a sample; error : of a score; difference : of two runs; power : of a test
    """

    n: int | None = None
    error: float | None = None
    difference: float | None = None
    power: float | None = None

    def among(self, names: Container[str]) -> "PlanNumbers":
        """Those of these names; None in place of the others."""
        return PlanNumbers(
            n=self.n if "n" in names else None,
            error=self.error if "error" in names else None,
            difference=self.difference if "difference" in names else None,
            power=self.power if "power" in names else None,
        )

    @property
    def texts(self) -> dict[str, str]:
        """Those that were typed, by name, as an address has them."""
        return {name: repr(value) for name, value in self._asdict().items() if value is not None}


NO_NUMBERS = PlanNumbers()


def read_plan_numbers(parameters: Mapping[str, str], errors: list[str]) -> PlanNumbers:
    """Read the numbers of an address; one that cannot be read is an error, and left out.

    That n is no more than the queries, and an error below 1 where scores are, is for the analysis.
    """
    n_text = parameters.get("n", "").strip()
    is_whole = n_text.isascii() and n_text.isdigit() and len(n_text) <= MOST_DIGITS
    n = int(n_text) if is_whole and int(n_text) else None
    if n_text and n is None:
        errors.append(
            f'"{n_text[:20]}" is no number of queries: a whole number from 1 to '
            f"{10**MOST_DIGITS - 1:,}."
        )
    steps = {name: _number(parameters, name) for name in ("error", "difference")}
    for name, step in steps.items():
        if step is not None and not 0 < step < LARGEST:
            text = parameters.get(name, "").strip()[:20]
            errors.append(
                f'"{text}" is no {name} of scores: a number above 0, and below 1 where scores are '
                "from 0 to 1, such as 0.03."
            )
            steps[name] = None
    power = _number(parameters, "power")
    if power is not None and not LEAST_POWER <= power <= MOST_POWER:
        errors.append(
            f'"{parameters.get("power", "").strip()[:20]}" is no power of a test: a number from '
            f"{LEAST_POWER} to {MOST_POWER}, such as 0.8."
        )
        power = None
    return PlanNumbers(n, steps["error"], steps["difference"], power)


def _number(parameters: Mapping[str, str], name: str) -> float | None:
    """The number of this name, NaN for a text that is none; None without one."""
    text = parameters.get(name, "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return float("nan")
