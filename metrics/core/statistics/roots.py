"""Roots of many equations at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
_ABSOLUTE, _RELATIVE, _MOST_STEPS = 1e-10, 1e-12, 100


def roots(function: Callable[[Values], Values], low: Values, high: Values) -> Values:
    """(n,) roots of n continuous functions, to 1e-10 + 1e-12 |x|.

    function : the values of all n at (n,) points; low, high : (n,) points between which each
        changes its sign
    Chandrupatla 1997, doi:10.1016/S0965-9978(96)00051-8: inverse quadratic interpolation where that
    is sure to help, else bisection. Raises ValueError where a sign does not change.
    """
    a, b = low.copy(), high.copy()
    at_a, at_b = function(a), function(b)
    if np.any(np.sign(at_a) * np.sign(at_b) > 0):
        raise ValueError("The function has the same sign at both ends.")
    share = np.full(len(a), 0.5)
    for _ in range(_MOST_STEPS):
        x = a + share * (b - a)
        at_x = function(x)
        is_same_sign = np.sign(at_x) == np.sign(at_a)
        c, at_c = np.where(is_same_sign, a, b), np.where(is_same_sign, at_a, at_b)
        b, at_b = np.where(is_same_sign, b, a), np.where(is_same_sign, at_b, at_a)
        a, at_a = x, at_x
        best = np.where(np.abs(at_a) < np.abs(at_b), a, b)
        limit = (_ABSOLUTE + _RELATIVE * np.abs(best)) / np.maximum(
            np.abs(b - a), np.finfo(float).tiny
        )
        if np.all((limit > 0.5) | (at_a == 0) | (at_b == 0)):
            break
        share = np.clip(
            _share((a, b, c), (at_a, at_b, at_c)),
            np.minimum(limit, 0.5),
            1 - np.minimum(limit, 0.5),
        )
    return np.where(np.abs(at_a) < np.abs(at_b), a, b)


def _share(points: tuple[Values, Values, Values], values: tuple[Values, Values, Values]) -> Values:
    """The next step as a share of b - a: by a parabola through three points if safe, else half."""
    (a, b, c), (at_a, at_b, at_c) = points, values
    with np.errstate(divide="ignore", invalid="ignore"):
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
        share += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        is_safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
    return np.where(is_safe & np.isfinite(share), share, 0.5)
