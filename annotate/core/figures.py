"""Numbers in sentences and tables, with as many digits as people read."""

LEAST_P = 0.001  # a smaller p is told as smaller than this


def percent_text(percent: float) -> str:
    """Return a share in whole per cent, with a decimal where it would be a false 0 or 100."""
    is_false_end = round(percent) in (0, 100) and round(percent, 1) not in (0, 100)
    return f"{percent:.1f}" if is_false_end else f"{round(percent)}"


def p_text(p: float) -> str:
    """Return a p-value to two digits: 0.32, 0.032, 0.003, "< 0.001"."""
    if p < LEAST_P:
        return f"< {LEAST_P}"
    return f"{p:.2f}" if p >= 0.1 else f"{p:.3f}"
