"""Orders and choices that look random but can be repeated: keyed hashes instead of dice."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from hashlib import blake2b
from random import Random

_BITS = 63  # a PostgreSQL bigint without its sign


def keyed_hash(key: bytes, *values: int) -> int:
    """A number in [0, 2**63) that depends on the key and the values alone.

    key : secret of the collection, at most 64 bytes; without it nobody can guess the order
    """
    digest = blake2b(",".join(map(str, values)).encode(), key=key, digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def queue_key(key: bytes, *, query: int, pair: int, number: int, grouped: bool, n_runs: int) -> int:
    """Position of a seat in its round's queue, in [0, 2**63).

    Grouped, one query's seats are neighbours (the upper half of the bits is the query's);
    else every seat has a position of its own. The number separates a double from its first label.

    n_runs : number of runs of neighbours that a query's seats are divided into, 1 or more; the
        seats of one pair fall into different runs, first and second labels into all alike. In a
        single run the first annotator would leave the doubles behind, and a short run would tell
        the next one that she gives second opinions.
    """
    pair_hash = keyed_hash(key, pair, number)
    if not grouped:
        return pair_hash
    half_bits = _BITS // 2
    run = (keyed_hash(key, pair) + number) % n_runs
    return (keyed_hash(key, query, run) >> half_bits << half_bits) | (
        pair_hash >> (_BITS - half_bits)
    )


def double_count(n: int, *, share: Decimal) -> int:
    """Number of n pairs that get one label more: share x n, halves rounded up."""
    return int((share * n).to_integral_value(ROUND_HALF_UP))


def choose_doubles(pairs: Iterable[int], *, share: Decimal, key: bytes) -> set[int]:
    """Choose the pairs that get one label more: exactly share x n of them, halves rounded up.

    pairs : distinct pair keys, in any order
    share : in [0, 1]
    The choice is the head of the pairs sorted by keyed hash: fixed before anybody judges.
    """
    pairs_by_hash = sorted(pairs, key=lambda pair: (keyed_hash(key, pair), pair))
    return set(pairs_by_hash[: double_count(len(pairs_by_hash), share=share)])


def arrange_batch(queries: Sequence[int], *, grouped: bool, seed: int) -> list[int]:
    """Shuffle a batch's seats; the order is given as positions in the sequence.

    queries : (N,) the query of each seat, candidates and golds alike
    Returns a permutation of range(N): shuffled, and when grouped with each query's seats together,
    so that neither the order of claiming nor the kind of a seat shows in its position.
    """
    rng = Random(seed)  # noqa: S311 - the seed is the secret, a keyed hash
    order = list(range(len(queries)))
    rng.shuffle(order)
    if not grouped:
        return order
    first_positions: dict[int, int] = {}
    for position, index in enumerate(order):
        first_positions.setdefault(queries[index], position)
    return sorted(order, key=lambda index: first_positions[queries[index]])
