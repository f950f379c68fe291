"""Sequential analysis: repeated looks with no more false claims than at one look.

Systems are compared at stated looks, among which alpha is spent; single running numbers have limits
and evidence that hold at every moment at once.
"""

import math

from scipy.special import betainc, betaln

RHO = 3.0  # of the power family: little is spent early, about as O'Brien and Fleming's limits do
INTERVAL = 3.92  # standard errors between the ends of a 95 % interval
# or single units, with a label beside the commonest value, that a limit of alpha needs
MIN_GROUPS = 20


def alpha_spent(share: float, *, alpha: float, rho: float = RHO) -> float:
    """The part of alpha that is spent at this share of the labels: alpha x share^rho.

    share : 0 to 1 (else ValueError); rho : above 0, the larger the later
    Kim & DeMets 1987, doi:10.1093/biomet/74.1.149: with rho 3 near the spending that Lan & DeMets
    1983, doi:10.1093/biomet/70.3.659, made of O'Brien and Fleming's limits, which is less at first
    (.0001 of .05 at a quarter, .006 at a half and .024 at three quarters, against .0008, .006 and
    .021) and as much in the end.
    """
    if not 0 <= share <= 1:
        raise ValueError("A share of the labels lies between 0 and 1.")
    return alpha * share**rho


def level(n: int, *, last: int, end: int, alpha: float) -> float:
    """The level of the look at n labels, the previous look being at `last` (0: none).

    n, last, end : stated numbers of labels, 0 <= last < n <= end (else ValueError); end : of the
        last planned look
    A look that was skipped leaves its part of alpha to the next. Where each look's method holds the
    family-wise error at its level, the chance that any look claims something false is alpha at
    most: the levels add up to no more (the union bound), however the looks depend on one another
    and whatever the method. Assumed is that the choice of looks does not depend on their outcomes.
    """
    if not 0 <= last < n <= end:
        raise ValueError("Looks go up, and the last is at all labels.")
    return alpha_spent(n / end, alpha=alpha) - alpha_spent(last / end, alpha=alpha)


def time_uniform_lower_limit(
    value: float, *, error: float, n: int, tuned_for: int, alpha: float = 0.05
) -> float:
    """A lower limit of a running number, meant to hold at all n from `tuned_for` on.

    value : the estimate on n observations; error : its present standard error, 0 or more
    tuned_for : the n at which the limit is nearest, 1 or more
    One-sided asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas,
    "Time-uniform central limit theory and asymptotic confidence sequences", arXiv:2103.06476: with
    v = n rho^2 the limit is value - error sqrt(2 (v + 1) / v log(1 + sqrt(v + 1) / (2 alpha))). The
    two-sided one, which is not used here, has sqrt((v + 1) / v log((v + 1) / alpha^2)). At n =
    tuned_for and .05 it is 2.78 errors away, where a single look has 1.64. Asymptotic: as with the
    normal interval, few or very skewed observations may give too near a limit.
    """
    log_term = -2 * math.log(2 * alpha)
    v = n * (log_term + math.log(log_term + 1)) / tuned_for
    return value - error * math.sqrt(2 * (v + 1) / v * math.log(1 + math.sqrt(v + 1) / (2 * alpha)))


def alpha_lower_limit(
    value: float,
    *,
    low: float | None,
    high: float | None,
    n: int,
    n_informative: int,
    tuned_for: int,
) -> float | None:
    """A lower limit of alpha, meant to hold at every n from `tuned_for` on.

    None where there is none yet.
    low, high : its 95 % bootstrap interval over groups, or units; without one, or one of no width,
        there is no limit
    n : units with two labels or more; n_informative : as in `Alpha`; below MIN_GROUPS there is no
        limit
    1 - (1 - alpha) exp(w), at least -1, where w is the distance of `time_uniform_lower_limit` from
    an estimate whose standard error is that of log(1 - alpha): (high - low) / INTERVAL / (1 -
    alpha), the delta method. Krippendorff's 1 - alpha is one disagreement over another, and the
    error of such a count grows with it: alpha's own error is least where alpha came out too high,
    and limits from it would be too near. A bootstrap of few groups hardly varies: therefore
    MIN_GROUPS, which is a choice. Assumed is that groups, or units, are independent and alike. No
    theorem guarantees it; docs/numbers.md has its measured coverage.
    """
    if n_informative < MIN_GROUPS or low is None or high is None or low == high or value >= 1:
        return None
    error = (high - low) / INTERVAL / (1 - value)
    distance = -time_uniform_lower_limit(0, error=error, n=n, tuned_for=tuned_for)
    # beyond 100 it is -1, and beyond 709 no number
    return max(-1.0, 1 - (1 - value) * math.exp(min(distance, 100)))


def evidence_below(n_right: int, n: int, *, threshold: float) -> float:
    """Log likelihood ratio of shares below a threshold against it, for n_right of n; -inf to inf.

    0 <= n_right <= n; threshold : above 0, at most 1

    The likelihood averaged over all shares from 0 to the threshold, divided by that of the
    threshold: while the true share is the threshold or more, it is a supermartingale that starts at
    1. So the chance that it ever reaches 1 / alpha is alpha at most, from the first answer on and
    at any number of looks (Ville 1939; Robbins 1970, doi:10.1214/aoms/1177696786). Assumed is that
    answers are independent, and right with a chance that does not change.
    """
    wrong = n - n_right
    if threshold == 1:  # an annotator who is always right gives no wrong answer
        return math.inf if wrong else -math.log(n + 1)
    below = betainc(n_right + 1, wrong + 1, threshold)
    if below == 0:
        return -math.inf
    averaged = betaln(n_right + 1, wrong + 1) + math.log(below) - math.log(threshold)
    return float(averaged - n_right * math.log(threshold) - wrong * math.log1p(-threshold))


def is_below(n_right: int, n: int, *, threshold: float, alpha: float = 0.05) -> bool:
    """True if a share is shown to be below a threshold.

    The chance of ever claiming so falsely is alpha at most.
    threshold : any number; every share is below one above 1, none is below 0
    """
    if not 0 < threshold <= 1:
        return threshold > 1
    return evidence_below(n_right, n, threshold=threshold) >= -math.log(alpha)
