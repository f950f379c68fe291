"""Compact letter displays: letters beside systems, two of which share one exactly where they do not differ."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EN_DASH = "\N{EN DASH}"
MOST_COLUMNS = 2_000  # of letters while they are sought; beyond it they are covered one pair after another


def letters(significant: NDArray[np.bool_]) -> list[list[str]]:
    """The letters of each of k places, "a" the best place's first.

    significant : (k, k) symmetric, which places differ. Two places share a letter exactly where they do not differ, so
    that a place that differs from all others has one of its own. Insert and absorb: all places begin with one letter;
    a place that differs from some that have its letter parts that letter in two, one without the place and one without
    those; what lies within another letter is absorbed. Piepho 2004, doi:10.1198/1061860043515.
    """
    k = len(significant)
    alike = [_mask(np.flatnonzero(~row)) | 1 << place for place, row in enumerate(significant)]
    columns = _insert_and_absorb(alike)
    if columns is None:
        columns = _cover(alike)
    members = sorted([place for place in range(k) if column >> place & 1] for column in _needed(columns, alike))
    found: list[list[str]] = [[] for _ in range(k)]
    for number, column in enumerate(members):
        for place in column:
            found[place].append(letter(number))
    return found


def letter(number: int) -> str:
    """a to z for 0 to 25, then aa, ab and so on."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def shown(own: Sequence[str], *, most: int = 4) -> str:
    """Letters in little space: "abc", "aa,ab"; of more than `most` the first and last, dashed if all between are."""
    if len(own) <= most:
        return ("," if any(len(each) > 1 for each in own) else "").join(own)
    is_a_row = _number(own[-1]) - _number(own[0]) == len(own) - 1
    return f"{own[0]}{EN_DASH if is_a_row else '…'}{own[-1]}"


def _number(text: str) -> int:
    number = 0
    for each in text:
        number = 26 * number + ord(each) - ord("a") + 1
    return number


def _mask(places: NDArray[np.int64]) -> int:
    return sum(1 << place for place in places.tolist())


def _insert_and_absorb(alike: list[int]) -> list[int] | None:
    """Every largest set of places of which no two differ, as bits; None beyond MOST_COLUMNS of them."""
    columns = [(1 << len(alike)) - 1]
    for place, partners in enumerate(alike):
        own = 1 << place
        parted = [column for column in columns if column & own and column & ~partners]
        if not parted:
            continue
        kept = [column for column in columns if not (column & own and column & ~partners)]
        without = _absorbed([column & ~own for column in parted], kept)
        columns = kept + without + _absorbed([column & partners for column in parted], kept)
        if len(columns) > MOST_COLUMNS:
            return None
    return columns


def _absorbed(new: list[int], kept: list[int]) -> list[int]:
    """The new columns that lie neither within a kept one nor within another new one."""
    left: list[int] = []
    for column in sorted(set(new), key=int.bit_count, reverse=True):
        if all(column & ~other for other in kept) and all(column & ~other for other in left):
            left.append(column)
    return left


def _cover(alike: list[int]) -> list[int]:
    """Sets of which no two places differ until every pair that does not differ lies in one: at most one a pair."""
    columns: list[int] = []
    for place, partners in enumerate(alike):
        open_partners = partners >> place << place
        for column in columns:
            if column >> place & 1:
                open_partners &= ~column
        if not any(column >> place & 1 for column in columns):
            open_partners |= 1 << place
        while open_partners:
            first = open_partners & -open_partners
            column, candidates = 1 << place | first, partners & alike[first.bit_length() - 1]
            # What is still open comes first, so that one letter settles much.
            for wanted in (candidates & open_partners, candidates):
                while free := wanted & candidates & ~column:
                    chosen = free & -free
                    column |= chosen
                    candidates &= alike[chosen.bit_length() - 1]
            columns.append(column)
            open_partners &= ~column
    return columns


def _needed(columns: list[int], alike: list[int]) -> list[int]:
    """The columns without those all of whose pairs lie in others as well: the smallest are tried first."""
    kept = sorted(columns, key=int.bit_count)
    for column in list(kept):
        others = [other for other in kept if other != column and other & column]
        if _is_covered(column, others):
            kept.remove(column)
    return kept


def _is_covered(column: int, others: list[int]) -> bool:
    rest = column
    while rest:
        own = rest & -rest
        reached = 0
        for other in others:
            if other & own:
                reached |= other
        if column & ~reached:
            return False
        rest ^= own
    return True
