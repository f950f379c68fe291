"""Effects of a policy change, compared with decisions pair by pair."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotate.core.labels.policy_changes import LabelledPairGroup, policy_effect
from annotate.core.labels.resolving import LabelPolicy, decide

POLICIES = st.builds(
    LabelPolicy,
    st.just(2),
    st.just(5),
    st.integers(0, 2),
    st.sampled_from(["majority", "median", "unanimous"]),
    st.sampled_from(["dispute", "up", "down"]),
)
PAIRS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=30)


@given(PAIRS, POLICIES, POLICIES, st.integers(1, 3))
def test_counted_by_group_as_decided_pair_by_pair(pairs, old, new, positive_from):
    before = [decide(sorted(grades), old) for grades in pairs]
    after = [decide(sorted(grades), new) for grades in pairs]
    groups = Counter(
        (tuple(sorted(grades)), was.status, was.grade)
        for grades, was in zip(pairs, before, strict=True)
    )
    rows = [LabelledPairGroup(*key, policy=7, n=n) for key, n in groups.items()]
    effect = policy_effect(rows, policies={7: new}, positive_from=positive_from)
    moves = [
        (was.grade, now.grade)
        for was, now in zip(before, after, strict=True)
        if was.grade != now.grade
    ]
    graded = [(was, now) for was, now in moves if was is not None and now is not None]
    assert effect.n_pairs == len(moves) == sum(change.n for change in effect.resolution_changes)
    assert effect.n_to_relevant == sum(was < positive_from <= now for was, now in graded)
    assert effect.n_to_irrelevant == sum(now < positive_from <= was for was, now in graded)
    assert effect.n_settled == sum(was is None for was, _ in moves)
    assert effect.n_disputed == sum(now is None for _, now in moves)
