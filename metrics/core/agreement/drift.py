"""Drift: one annotator's agreement with the others that changes in the course of the work."""

from metrics.core.comparisons.significance import fisher

DRIFT_LABELS = 30  # shared labels in each half
DRIFT_STEP = 0.10
SURE = 0.001  # of one person by chance; among a hundred people one false word in ten campaigns


def drift(first: tuple[int, int], second: tuple[int, int]) -> str:
    """A sentence on agreement that moved by ten points between the halves of the labels, or "".

    Only where that is not by chance. It accuses nobody.
    first, second : (labels that equal the other's, all) on shared pairs in the order of time, 30 or
        more in each half
    By chance: Fisher's exact test of the two shares, two-sided, p of .001 or more.
    """
    (hits, n), (later_hits, later_n) = first, second
    if min(n, later_n) < DRIFT_LABELS or abs(hits / n - later_hits / later_n) < DRIFT_STEP:
        return ""
    if fisher(first, second) >= SURE:
        return ""
    return (
        f"Equal to another label in {100 * hits / n:.0f} % of the first {n:,} comparisons and in "
        f"{100 * later_hits / later_n:.0f} % of the last {later_n:,}."
    )
