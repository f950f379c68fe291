"""Every page, count, file and API answer gives the same state of each pair of a pool."""

from collections import Counter
from random import Random
from uuid import uuid4

import pytest

from annotate.core.labels.answers import JudgmentAnswer
from annotate.core.labels.pair_states import PairState
from annotate.models import ApiToken, Report, Role, Round, RoundPair, RoundPairState, Seat
from annotate.services.collection.collections import change_policy
from annotate.services.judging import claiming, judging, reports
from annotate.services.review import adjudicating, exclusions, inbox
from metrics.models import Download, Snapshot
from metrics.services.numbers import refresh, tallies
from pooling.pair_filter import PairFilter
from pooling.services.pages import pool_figures, pool_pairs
from pooling.services.pools import pools, run_retirement
from tests import cast
from tests.metrics import uploads
from tests.pooling import factories
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


def situation(case):
    """A pool of two runs with pairs judged, reported, decided on, excluded and dropped."""
    rng = Random(case)
    collection = factories.collection(
        3,
        9,
        grades=3,
        labels_per_pair=rng.choice([1, 2, 3]),
        ceiling=4,
        stop_early=rng.random() < 0.5,
        double_share=rng.choice(["0", "0.3"]),
        batch_candidates=8,
        tie=rng.choice(["dispute", "up"]),
    )
    runs = [
        factories.run(collection, name, {q: rng.sample(range(9), 6) for q in range(3)})
        for name in "AB"
    ]
    pool = factories.opened(collection, runs, depth=4)
    for _ in range(4):
        judge_some(cast.annotator(collection), rng)
    lead = cast.member(collection, Role.LEAD)
    stuck = list(
        collection.resolutions.filter(status__in=["disputed", "escalated"]).order_by("pair")
    )
    for resolution in stuck[: len(stuck) // 2]:
        adjudicating.adjudicate(pair=resolution.pair, by=lead, grade=rng.randrange(3))
    for round_pair in rng.sample(
        list(RoundPair.objects.filter(round=pool.round).order_by("pk")), 2
    ):
        exclusions.exclude_pair(pair=round_pair.pair, by=lead, reason="nobody can tell")
    if rng.random() < 0.4:
        run_retirement.retire_run(run=runs[1], by=lead)
        run_retirement.settle_marks(run=runs[1])
    refresh.refresh(collection=collection)
    pool.refresh_from_db()
    return collection, pool


def judge_some(annotator, rng):
    if claiming.current_batch(annotator=annotator) is None:
        return
    for hand_out in list(claiming.open_hand_outs(annotator=annotator))[: rng.randrange(9)]:
        if rng.random() < 0.8:
            answer = JudgmentAnswer(submission_id=uuid4(), grade=rng.randrange(3))
            judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
        else:
            kind = rng.choice(list(Report.Kind))
            report_fields = {
                "token": hand_out.token,
                "submission_id": uuid4(),
                "kind": kind,
                "reason": "dark",
            }
            reports.report_pair(annotator=annotator, **report_fields)


def expected(pool):
    """Each pair's state from the plain rows of an open pool."""
    policy = pool.collection.policies.latest("version")
    states = {}
    for round_pair in RoundPair.objects.filter(round=pool.round).select_related("pair"):
        pair = round_pair.pair
        status = getattr(getattr(pair, "resolution", None), "status", "")
        cannot = Report.objects.open().filter(pair=pair, kind="cannot_judge")
        done_seats = Seat.objects.filter(pair=pair, purpose="label", state="done")
        grades = list(done_seats.values_list("judgment__level__grade", flat=True))
        if round_pair.dropped_at:
            state = "left_out"
        elif status in ("disputed", "escalated"):
            state = status
        elif cannot.exists():
            state = "cannot_judge"
        elif status == "adjudicated" or has_all(grades, round_pair.n_wanted, policy):
            state = "complete"
        else:
            state = "some_labels" if grades else "untouched"
        states[pair.query.external_id, pair.document.external_id] = state
    return states


def has_all(grades, n_wanted, policy):
    """Whether a pair has what it needs by majority; a seat that is not needed may still be held."""
    most = Counter(grades).most_common(2)
    is_decided = len(most) == 1 or (len(most) == 2 and most[0][1] > most[1][1])
    if (
        policy.stop_early
        and len(grades) >= 2 + n_wanted - policy.labels_per_pair
        and is_decided
        and most[0][1] >= 2
    ):
        return True
    return len(grades) >= n_wanted and (is_decided or len(grades) >= policy.ceiling)


def stated(pool):
    """The states in the database view."""
    rows = RoundPairState.objects.filter(round=pool.round)
    ids = "pair__query__external_id", "pair__document__external_id"
    return {(q, d): state for q, d, state in rows.values_list(*ids, "state")}


@pytest.mark.parametrize("case", range(share_of(60)))
def test_every_place_says_the_same_and_all_but_what_is_left_out_sum_to_the_pool(case, client):
    collection, pool = situation(case)
    states = expected(pool)
    assert stated(pool) == states
    assert_everywhere(client, collection, pool, states)
    before = dict(states)
    pools.close_pool(pool=pool)
    refresh.refresh(collection=collection)
    pool.refresh_from_db()
    states = stated(pool)
    # A pair that waited for the label that would decide is disputed, once nobody is asked for it.
    moved = {(was, states[pair]) for pair, was in before.items() if states[pair] != was}
    assert moved <= {("some_labels", "disputed"), ("cannot_judge", "disputed")}
    page = assert_everywhere(client, collection, pool, states)
    assert "Untouched, no longer asked for" in page and "Some labels, no longer asked for" in page


def assert_everywhere(client, collection, pool, states):
    counts = Counter(states.values())
    n_pairs = sum(n for state, n in counts.items() if state != "left_out")
    expected_counts = {state: counts[state] for state in PairState}
    (row,) = Snapshot.objects.get(collection=collection, kind="progress").value["rounds"]
    total = Snapshot.objects.get(collection=collection, kind="progress").value["total"]
    assert (
        row["states"] == total["states"] == expected_counts
        and row["n_pairs"] == total["n_pairs"] == n_pairs
    )
    assert tallies.drift(collection=collection) == []
    now = pool_figures.pool_figures(pool=pool).states
    assert {state: now[state] for state in PairState} == expected_counts and now.n_pairs == n_pairs
    (line,) = pool_figures.pool_rows(collection=collection)
    assert (line.states.n_pairs, line.states.n_complete) == (n_pairs, expected_counts["complete"])
    for state in PairState:
        listed = pool_pairs.pairs_of(pool=pool, pair_filter=PairFilter(state), viewer=None).lines
        assert len(listed) == expected_counts[state] and {
            pair_line.state for pair_line in listed
        } <= {state}
    person = cast.member(collection, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.POOLS_WRITE, collection=collection)
    (pool_data,) = client.get(
        f"/api/v1/collections/{collection.slug}/pools/", headers=headers
    ).json()["pools"]
    assert pool_data["pairs"] == {"n": n_pairs, **expected_counts}
    download = uploads.downloaded(collection, Download.Kind.PAIRS, {})
    header, *lines = [text.split("\t") for text in download.file.read().decode().splitlines()]
    assert header == ["pool", "pool_state", "query", "document", "state", "grade", "grades"]
    assert {(q, d): state for _, _, q, d, state, *_ in lines} == states
    assert {line[1] for line in lines} == {Round.objects.get(pk=pool.round_id).state}
    client.force_login(person)
    page = client.get(f"/c/{collection.slug}/judging/pools/{pool.pk}/").content.decode()
    for state in PairState:
        if expected_counts[state]:
            assert f'?state={state}">{expected_counts[state]}</a>' in page
    client.force_login(cast.member(collection, Role.LEAD))
    dashboard = client.get(f"/c/{collection.slug}/dashboard/").content.decode()
    assert f"{expected_counts['complete']} of {n_pairs} pairs complete" in dashboard
    return page


def test_what_an_open_pool_wants_makes_a_pair_complete_whatever_a_closed_one_wanted():
    collection = factories.collection(
        2, 6, grades=3, labels_per_pair=3, ceiling=3, double_share="0", batch_candidates=20
    )
    runs = [factories.run(collection, "A", {q: [0, 1] for q in range(2)})]
    first = factories.opened(collection, runs, depth=2)
    judge_all(cast.annotator(collection))
    pools.close_pool(pool=first)
    assert set(stated(first).values()) == {"some_labels"}
    change_policy(collection=collection, by=None, labels_per_pair=2)
    second = factories.opened(collection, runs, name="second", depth=2)
    assert set(stated(second).values()) == {"some_labels"}
    judge_all(cast.annotator(collection))
    assert set(stated(second).values()) == {"complete"}


def test_what_is_left_out_waits_for_no_lead_and_a_closed_pool_asks_for_nothing(client):
    collection = factories.collection(
        2, 8, grades=3, labels_per_pair=2, ceiling=2, double_share="0", batch_candidates=20
    )
    runs = [
        factories.run(collection, name, dict.fromkeys(range(2), of))
        for name, of in (("A", [0, 1]), ("B", [2, 3]))
    ]
    pool = factories.opened(collection, runs, depth=2)
    for grade in (0, 2):
        judge_all(cast.annotator(collection), grade=grade)
    assert set(stated(pool).values()) == {"disputed"}
    lead = cast.member(collection, Role.LEAD)
    run_retirement.retire_run(run=runs[1], by=lead)
    run_retirement.settle_marks(run=runs[1])
    n_disputed = Counter(stated(pool).values())["disputed"]
    assert n_disputed == 4
    _, waiting = inbox.pair_page(collection=collection, tab=inbox.Tab.DISPUTED, number=None)
    assert len(waiting) == inbox.count(collection=collection).disputed == n_disputed
    download = uploads.downloaded(collection, Download.Kind.DISPUTED, {})
    assert len(download.file.read().decode().splitlines()) == 1 + n_disputed
    refresh.refresh(collection=collection)
    client.force_login(lead)
    assert client.get(f"/c/{collection.slug}/dashboard/").context["dashboard"].totals.states.is_open
    pools.close_pool(pool=pool)
    refresh.refresh(collection=collection)
    assert (
        not client.get(f"/c/{collection.slug}/dashboard/")
        .context["dashboard"]
        .totals.states.is_open
    )


def judge_all(annotator, grade=1):
    claiming.current_batch(annotator=annotator)
    for hand_out in list(claiming.open_hand_outs(annotator=annotator)):
        answer = JudgmentAnswer(submission_id=uuid4(), grade=grade)
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)
