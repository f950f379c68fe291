"""Live orders against a plain player of the same game, and on runs of known quality."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.live_orders import ORDERS, next_pairs, replay
from pooling.core.strategies.selections import Pairs, RankedPairs, is_in, union
from tests.pooling.core.strategies.rankings import RANKINGS, as_arrays, as_pairs, plain_depth_k

RELEVANT = st.sets(st.tuples(st.integers(1, 6), st.integers(1, 12)))


def asked_positions(runs, order, relevant) -> dict[tuple[int, int], int]:
    pairs, position = replay(
        order, [as_arrays(run) for run in runs], as_pairs(relevant), rng=np.random.default_rng(1)
    )
    return dict(
        zip(
            zip(pairs.source.tolist(), pairs.target.tolist(), strict=True),
            position.tolist(),
            strict=True,
        )
    )


def may_be_asked(order, lists, asked_targets, relevant, failed, last) -> set[int]:
    """The arms that a rule, written out plainly, may ask next; all its ties."""
    alive = [arm for arm, targets in enumerate(lists) if set(targets) - set(asked_targets)]

    def worth(arm: int) -> tuple[float, bool]:
        if order == "move-to-front":
            return (100 - failed[arm], arm == last)
        judged = [target for target in lists[arm] if target in asked_targets]
        good = sum(target in relevant for target in judged)
        return ((1 + good) / (2 + len(judged)), False)

    best = max(worth(arm) for arm in alive)
    return {arm for arm in alive if worth(arm) == pytest.approx(best)}


@pytest.mark.parametrize("order", ["move-to-front", "maxmean"])
@given(runs=RANKINGS, relevant=RELEVANT)
def test_every_pair_is_asked_about_once_and_always_the_next_of_a_worthiest_run(
    order, runs, relevant
):
    position_of_pair = asked_positions(runs, order, relevant)
    assert set(position_of_pair) == set(plain_depth_k(runs, 1000))
    for source in {source for source, _ in position_of_pair}:
        lists = [run.get(source, []) for run in runs]
        own = sorted(
            (rank, target) for (of, target), rank in position_of_pair.items() if of == source
        )
        assert [rank for rank, _ in own] == list(range(1, len(own) + 1))
        good = {target for of, target in relevant if of == source}
        # Which of tied arms was asked does not show, so every history that explains the order is
        # followed.
        histories = {(tuple([0] * len(runs)), None)}
        asked_targets: list[int] = []
        for _, target in own:
            following = set()
            for failed, last in histories:
                for arm in may_be_asked(order, lists, asked_targets, good, failed, last):
                    if (
                        next(
                            target_of_arm
                            for target_of_arm in lists[arm]
                            if target_of_arm not in asked_targets
                        )
                        == target
                    ):
                        counts = list(failed)
                        counts[arm] += target not in good
                        following.add((tuple(counts), arm))
            assert following, f"{target} is not next after {asked_targets}"
            histories = following if order == "move-to-front" else set(list(following)[:1])
            asked_targets.append(target)


@pytest.mark.parametrize("order", ORDERS)
@given(runs=RANKINGS, judged=RELEVANT, relevant=RELEVANT, ahead=st.integers(1, 5))
def test_what_comes_next_is_unjudged_of_the_pool_and_as_many_as_asked(
    order, runs, judged, relevant, ahead
):
    judged_pairs = as_pairs(judged)
    grades = is_in(*judged_pairs, as_pairs(relevant))
    arrays = [as_arrays(run) for run in runs]
    upcoming = next_pairs(
        order, arrays, judged_pairs, grades, ahead=ahead, rng=np.random.default_rng(1)
    )
    again = next_pairs(
        order, arrays, judged_pairs, grades, ahead=ahead, rng=np.random.default_rng(1)
    )
    assert all(np.array_equal(*both) for both in zip(upcoming, again, strict=True))
    left: dict[int, set[int]] = defaultdict(set)
    for source, target in set(plain_depth_k(runs, 1000)) - judged:
        left[source].add(target)
    coming = list(zip(upcoming.source.tolist(), upcoming.target.tolist(), strict=True))
    assert coming == sorted(set(coming))
    for source, targets in left.items():
        own = {target for of, target in coming if of == source}
        assert own <= targets
        assert len(own) == min(ahead, len(targets))


@pytest.mark.parametrize("order", ["move-to-front", "maxmean"])
@given(runs=RANKINGS, relevant=RELEVANT)
def test_one_ahead_judged_at_once_is_the_game_itself(order, runs, relevant):
    """Playing from the beginning with the answers so far leads to where the game stands."""
    arrays, judged, n_asked = [as_arrays(run) for run in runs], [], 0
    position_of_pair = asked_positions(runs, order, relevant)
    while True:
        judged_pairs = Pairs(*np.array(judged, dtype=np.int64).reshape(-1, 2).T)
        upcoming = next_pairs(
            order,
            arrays,
            judged_pairs,
            is_in(*judged_pairs, as_pairs(relevant)),
            ahead=1,
            rng=np.random.default_rng(1),
        )
        if not len(upcoming.source):
            break
        n_asked += 1
        coming = list(zip(upcoming.source.tolist(), upcoming.target.tolist(), strict=True))
        if order == "move-to-front":  # the same dice for ties, so the same order
            assert all(position_of_pair[pair] == n_asked for pair in coming)
        judged += coming
    assert len(judged) == len(position_of_pair)


def quality_runs(n_runs: int = 12, n_sources: int = 30, n_documents: int = 800, depth: int = 100):
    """Runs of different quality, some of them hardly better than chance."""
    rng = np.random.default_rng(11)
    truth = rng.random((n_sources, n_documents)) < 0.04
    runs = []
    for quality in np.linspace(0.1, 2.2, n_runs):
        estimates = truth * quality + rng.normal(0, 0.8, truth.shape)
        top = np.argsort(-estimates, axis=1)[:, :depth]
        rank = np.tile(np.arange(1, depth + 1), n_sources)
        runs.append(RankedPairs(np.repeat(np.arange(n_sources), depth), top.ravel(), rank))
    return runs, Pairs(*np.nonzero(truth))


def test_after_25_judgments_maxmean_leads_then_move_to_front_then_thompson_then_depth_then_chance():
    """As Losada, Parapar & Barreiro 2016 found on runs of TREC; the shares depend on the runs."""
    runs, relevant = quality_runs()
    pooled = union(runs)
    is_good = is_in(pooled.source, pooled.target, relevant)
    n_positive = {}
    rng = np.random.default_rng(5)
    for order in ORDERS:
        pairs, position = replay(order, runs, relevant, rng=rng)
        assert np.array_equal(pairs.source, pooled.source)
        n_positive[order] = (is_good & (position <= 25)).sum() / is_good.sum()
    for order, key in (("depth", pooled.best_rank), ("random", rng.random(len(is_good)))):
        by_key = np.lexsort((rng.random(len(is_good)), key, pooled.source))
        position = np.empty(len(is_good), dtype=np.int64)
        position[by_key] = np.arange(len(is_good)) - np.searchsorted(
            pooled.source, pooled.source[by_key]
        )
        n_positive[order] = (is_good & (position < 25)).sum() / is_good.sum()
    assert sorted(n_positive, key=n_positive.__getitem__, reverse=True) == [
        "maxmean",
        "move-to-front",
        "thompson",
        "depth",
        "random",
    ]
