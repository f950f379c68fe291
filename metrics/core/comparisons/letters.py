"""Compact letter displays: two systems share a letter exactly where they do not differ."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

EN_DASH = "\N{EN DASH}"
MOST_COLUMNS = 2_000  # of letters during the search; beyond it pairs are covered one after another


def letters(significant: NDArray[np.bool_]) -> list[list[str]]:
    """The letters of each of k systems, best first; "a" is the best system's first letter.

    significant : (k, k) symmetric, whether two systems differ. Two systems share a letter exactly
        where they do not differ, so that a system that differs from all others has a letter of its
        own.
    Insert and absorb: all systems begin with one letter; a system that differs from others with its
    letter splits that letter in two, one without the system and one without those others; a letter
    whose systems all have another letter is absorbed. Piepho 2004, doi:10.1198/1061860043515.
    """
    k = len(significant)
    alike_masks = [
        sum(1 << partner for partner in np.flatnonzero(~row).tolist()) | 1 << system
        for system, row in enumerate(significant)
    ]
    columns = _insert_and_absorb(alike_masks)
    if columns is None:
        columns = _cover(alike_masks)
    # Drop the columns whose pairs all lie in other columns as well, trying the smallest first.
    columns_of_pair = np.zeros((k, k), dtype=np.int64)  # that hold both systems
    members = sorted(
        ([system for system in range(k) if column >> system & 1] for column in columns), key=len
    )
    for systems in members:
        columns_of_pair[np.ix_(systems, systems)] += 1
    members_left = []
    for systems in members:
        pairs = np.ix_(systems, systems)
        if (columns_of_pair[pairs] > 1).all():
            columns_of_pair[pairs] -= 1
        else:
            members_left.append(systems)
    letters_of: list[list[str]] = [[] for _ in range(k)]
    for number, systems in enumerate(sorted(members_left)):
        for system in systems:
            letters_of[system].append(letter(number))
    return letters_of


def letter(number: int) -> str:
    """a to z for 0 to 25, then aa, ab and so on."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def abbreviate(letters: Sequence[str], *, most: int = 4) -> str:
    """Shorten letters: "abc", "aa,ab".

    Of more than `most` the first and last, with a dash for a gapless row.
    """
    if len(letters) <= most:
        return ("," if any(len(text) > 1 for text in letters) else "").join(letters)
    is_a_row = _number(letters[-1]) - _number(letters[0]) == len(letters) - 1
    return f"{letters[0]}{EN_DASH if is_a_row else '…'}{letters[-1]}"


def _number(text: str) -> int:
    number = 0
    for character in text:
        number = 26 * number + ord(character) - ord("a") + 1
    return number


def _insert_and_absorb(alike_masks: list[int]) -> list[int] | None:
    """Bit masks of all maximal sets of systems without a significant difference.

    None beyond MOST_COLUMNS of them.
    """
    columns = [(1 << len(alike_masks)) - 1]
    for system, partners in enumerate(alike_masks):
        system_bit = 1 << system
        split_columns = [column for column in columns if column & system_bit and column & ~partners]
        if not split_columns:
            continue
        whole_columns = [
            column for column in columns if not (column & system_bit and column & ~partners)
        ]
        without = _without_absorbed(
            [column & ~system_bit for column in split_columns], whole_columns
        )
        columns = (
            whole_columns
            + without
            + _without_absorbed([column & partners for column in split_columns], whole_columns)
        )
        if len(columns) > MOST_COLUMNS:
            return None
    return columns


def _without_absorbed(new: list[int], whole_columns: list[int]) -> list[int]:
    """The new columns that lie neither within a whole one nor within another new one."""
    largest_columns: list[int] = []
    for column in sorted(set(new), key=int.bit_count, reverse=True):
        if all(column & ~other for other in whole_columns) and all(
            column & ~other for other in largest_columns
        ):
            largest_columns.append(column)
    return largest_columns


def _cover(alike_masks: list[int]) -> list[int]:
    """Sets of systems that do not differ, until each pair that does not differ lies in one."""
    columns: list[int] = []
    for system, partners in enumerate(alike_masks):
        open_partners = partners >> system << system
        for column in columns:
            if column >> system & 1:
                open_partners &= ~column
        if not any(column >> system & 1 for column in columns):
            open_partners |= 1 << system
        while open_partners:
            first = open_partners & -open_partners
            column, candidates = 1 << system | first, partners & alike_masks[first.bit_length() - 1]
            # Uncovered partners come first, so that one letter covers many pairs.
            for preference in (candidates & open_partners, candidates):
                while free := preference & candidates & ~column:
                    partner_bit = free & -free
                    column |= partner_bit
                    candidates &= alike_masks[partner_bit.bit_length() - 1]
            columns.append(column)
            open_partners &= ~column
    return columns
