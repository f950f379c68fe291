"""Every check of `manage.py fsck` passes a sound campaign and fires on a planted violation."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from annotate.checks.check import one_moment, run
from annotate.models import Change, Collection
from config.management.commands.fsck import CHECKS
from tests import campaigns

pytestmark = pytest.mark.django_db

# SQL that breaks each rule, with disabled triggers; {made} and {other} are collections.
DONE_SEAT = (
    "(SELECT min(id) FROM annotate_seat WHERE state = 'done' AND purpose = 'label' "
    "AND collection_id = {made})"
)
HELD_SEAT = (
    "(SELECT min(id) FROM annotate_seat WHERE state = 'held' AND purpose = 'label' "
    "AND collection_id = {made})"
)
FREE_SEAT = "(SELECT min(id) FROM annotate_seat WHERE state = 'free' AND collection_id = {made})"
ANNOTATOR = "(SELECT min(id) FROM annotate_annotator WHERE collection_id = {made})"
OTHER_ANNOTATOR = "(SELECT max(id) FROM annotate_annotator WHERE collection_id = {made})"
FOREIGN_ANNOTATOR = "(SELECT min(id) FROM annotate_annotator WHERE collection_id = {other})"
FOREIGN_PAIR = "(SELECT min(id) FROM annotate_pair WHERE collection_id = {other})"
QUERY = "(SELECT min(id) FROM annotate_item WHERE side = 'query' AND collection_id = {made})"
DOCUMENT = "(SELECT min(id) FROM annotate_item WHERE side = 'document' AND collection_id = {made})"
JUDGMENT = f"(SELECT judgment_id FROM annotate_seat WHERE id = {DONE_SEAT})"
VIOLATIONS = {
    "annotate.duplicates-of-originals": (
        "INSERT INTO annotate_duplicate (item_id, original_id, collection_id, side) "
        "SELECT original_id, item_id, collection_id, side FROM annotate_duplicate "
        "WHERE collection_id = {made}"
    ),
    "annotate.seat-state": f"UPDATE annotate_seat SET leased_until = now() WHERE id = {DONE_SEAT}",
    "annotate.seat-handed-out": f"DELETE FROM annotate_handout WHERE seat_id = {HELD_SEAT}",
    "annotate.seat-in-round": (
        "DELETE FROM annotate_roundpair WHERE pair_id = (SELECT pair_id FROM annotate_seat "
        f"WHERE id = {FREE_SEAT})"
    ),
    "annotate.pair-left-out": (
        "INSERT INTO annotate_pairexclusion (pair_id, collection_id, reason, at) "
        "SELECT pair_id, {made}, 'x', now()"
        " FROM annotate_roundpair JOIN annotate_round round ON round.id = round_id"
        " WHERE round.collection_id = {made} LIMIT 1"
    ),
    "annotate.seat-reachable": f"UPDATE annotate_seat SET purpose = 'gold' WHERE id = {FREE_SEAT}",
    "annotate.seat-one-label": (
        f"INSERT INTO annotate_seat (collection_id, round_id, pair_id, purpose, number, why, state,"
        f" annotator_id, judgment_id, queue_key) SELECT collection_id, round_id, pair_id, purpose,"
        f" 99, why, state, annotator_id, (SELECT max(id) + 1 FROM annotate_judgment), 0"
        f" FROM annotate_seat WHERE id = {DONE_SEAT}"
    ),
    "annotate.seats-planned": f"DELETE FROM annotate_seat WHERE id = {FREE_SEAT}",
    "annotate.resolutions-derived": (
        "UPDATE annotate_resolution SET n_labels = 7 WHERE collection_id = {made}"
    ),
    "annotate.doubles-exact": (
        "UPDATE annotate_roundpair SET n_wanted = n_wanted + 1 WHERE id = (SELECT min(id) "
        "FROM annotate_roundpair)"
    ),
    "annotate.closed-round": (
        "UPDATE annotate_round SET state = 'closed', closed_at = now() WHERE collection_id = {made}"
    ),
    "annotate.batch-one-open": (
        "INSERT INTO annotate_batch (collection_id, annotator_id, number, opened_at, verdict)"
        " SELECT collection_id, annotator_id, 99, now(), '' FROM annotate_batch"
        " WHERE finished_at IS NULL LIMIT 1"
    ),
    "annotate.batch-settled": (
        "UPDATE annotate_batch SET settled_at = now() WHERE finished_at IS NULL"
    ),
    "annotate.batch-positions": "UPDATE annotate_handout SET position = position + 1",
    "annotate.batch-one-pair": (
        "UPDATE annotate_seat SET pair_id = (SELECT pair_id FROM annotate_seat "
        f"WHERE id = {HELD_SEAT})"
        f" WHERE id IN (SELECT seat_id FROM annotate_handout WHERE batch_id ="
        f" (SELECT max(batch_id) FROM annotate_handout WHERE seat_id = {HELD_SEAT}))"
    ),
    "annotate.handout-answered": (
        f"UPDATE annotate_handout SET answered_at = NULL WHERE seat_id = {DONE_SEAT}"
    ),
    "annotate.lease-length": (
        f"UPDATE annotate_seat SET leased_until = now() + interval '2 days' WHERE id = {HELD_SEAT}"
    ),
    "annotate.judgment-annotator": (
        f"UPDATE annotate_judgment SET annotator_id = {OTHER_ANNOTATOR} "
        f"WHERE annotator_id = {ANNOTATOR}"
    ),
    "annotate.judgment-pair": (
        f"UPDATE annotate_judgment SET purpose = 'repeat' WHERE id = {JUDGMENT}"
    ),
    "annotate.judgment-superseded": (
        f"UPDATE annotate_judgment SET supersedes_id = {JUDGMENT} WHERE id ="
        f" (SELECT max(id) FROM annotate_judgment WHERE supersedes_id IS NULL)"
    ),
    "annotate.judgment-withdrawn": (
        "INSERT INTO annotate_judgmentevent (judgment_id, kind, reason, at) "
        f"VALUES ({JUDGMENT}, 'withdrawn', '', now())"
    ),
    "annotate.judgment-chain": (
        f"UPDATE annotate_judgment SET annotator_id = {ANNOTATOR} WHERE supersedes_id IS NOT NULL"
    ),
    "annotate.judgment-one-chain": "UPDATE annotate_judgment SET supersedes_id = NULL",
    "annotate.judgment-handed-out": (
        f"UPDATE annotate_judgment SET purpose = 'gold' WHERE id = {JUDGMENT}"
    ),
    "annotate.judgment-seated": (
        "UPDATE annotate_judgment SET hand_out_id = NULL, purpose = 'import' "
        f"WHERE id = {JUDGMENT};"
        f"DELETE FROM annotate_seat WHERE id = {DONE_SEAT}"
    ),
    "annotate.judgment-time": (
        f"UPDATE annotate_judgment SET at = now() + interval '1 hour' WHERE id = {JUDGMENT}"
    ),
    "annotate.report-handed-out": (
        f"UPDATE annotate_report SET annotator_id = {OTHER_ANNOTATOR} "
        f"WHERE annotator_id = {ANNOTATOR}"
    ),
    "annotate.report-state": "UPDATE annotate_report SET state = 'settled' WHERE state = 'open'",
    "annotate.judgment-restored": (
        f"UPDATE annotate_judgment SET restores_id = {JUDGMENT} WHERE id = (SELECT min(id) "
        "FROM annotate_judgment)"
    ),
    "annotate.scheme-frozen": "UPDATE annotate_collection SET scheme_frozen_at = NULL",
    "annotate.erased-silent": (
        f"UPDATE annotate_annotator SET user_id = NULL WHERE id = {ANNOTATOR}"
    ),
    "annotate.change-consumed": "UPDATE annotate_change SET at = now() - interval '11 minutes'",
    "annotate.collections-apart": (
        f"UPDATE annotate_seat SET annotator_id = {FOREIGN_ANNOTATOR} WHERE id = {HELD_SEAT}"
    ),
    "annotate.rounds-apart": (
        f"UPDATE annotate_roundpair SET pair_id = {FOREIGN_PAIR} WHERE id = (SELECT min(id)"
        " FROM annotate_roundpair WHERE round_id IN (SELECT id FROM annotate_round"
        " WHERE collection_id = {made}))"
    ),
    "annotate.batches-apart": (
        f"UPDATE annotate_batch SET collection_id = {{other}} WHERE annotator_id = {ANNOTATOR}"
    ),
    "annotate.pair-sides": (
        "UPDATE annotate_pair SET query_id = document_id, document_id = query_id"
    ),
    "annotate.reference-sides": (
        "UPDATE annotate_referencelabel SET query_id = document_id, document_id = query_id"
    ),
    "annotate.queryset-sides": (
        f"UPDATE annotate_querysetitem SET item_id = {DOCUMENT} WHERE id = (SELECT min(id) "
        "FROM annotate_querysetitem)"
    ),
    "annotate.levels": "UPDATE annotate_collection SET positive_from = 0",
    "annotate.gold-grade": "UPDATE annotate_gold SET is_positive = NOT is_positive",
    "annotate.reference-grade": "UPDATE annotate_referencelabel SET grade = 9",
    "annotate.policy-versions": "UPDATE annotate_policy SET version = 2",
    "annotate.guidelines-versions": "UPDATE annotate_guidelines SET version = 2",
    "annotate.member-annotator": (
        f"UPDATE annotate_annotator SET user_id = NULL WHERE id = {ANNOTATOR}"
    ),
    "annotate.collection-key": "UPDATE annotate_collection SET key = '\\x00'",
    "annotate.training-grade": "UPDATE annotate_trainingpair SET grade = 77",
    "annotate.training-try": "UPDATE annotate_trainingtry SET annotator_id = annotator_id + 1",
    "annotate.training-quiz": "UPDATE annotate_quizattempt SET choices = '[]'",
    "annotate.constraints": (
        "ALTER TABLE annotate_seat DROP CONSTRAINT annotate_seat_state_consistent"
    ),
    "annotate.triggers": (
        "ALTER TABLE annotate_judgment DISABLE TRIGGER annotate_judgment_append_only"
    ),
    "pooling.ranking-targets": (
        "UPDATE pooling_ranking SET targets = array_fill(targets[1], ARRAY[cardinality(targets)])"
    ),
    "pooling.ranking-source": (
        f"UPDATE pooling_ranking SET source_id = {DOCUMENT} WHERE id = (SELECT min(id) "
        "FROM pooling_ranking)"
    ),
    "pooling.ranking-scores": "UPDATE pooling_ranking SET scores[1] = 'NaN'",
    "pooling.matrix-items": "UPDATE pooling_matrix SET columns = rows",
    "pooling.run-rankings": "DELETE FROM pooling_ranking",
    "pooling.run-work": "UPDATE pooling_run SET reading_due_at = now()",
    "pooling.own-works": (
        "INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, "
        "error_code, error_data)"
        " VALUES ({made}, 'pool_closing', 0, 'asked', 0, 0, '', '{{}}')"
    ),
    "pooling.pool-round": "UPDATE pooling_pool SET state = 'closed'",
    "pooling.round-pool": (
        "UPDATE pooling_pool SET round_id = NULL, state = 'draft', opened_at = NULL"
    ),
    "pooling.pool-pairs": (
        "DELETE FROM pooling_poolpair WHERE id = (SELECT min(id) FROM pooling_poolpair)"
    ),
    "pooling.pool-apart": "UPDATE pooling_run SET collection_id = {other}",
    "pooling.pool-runs": "UPDATE pooling_run SET state = 'rejected'",
    "pooling.pool-dropped": "UPDATE annotate_roundpair SET dropped_at = now() WHERE id IN"
    " (SELECT wish.id FROM annotate_roundpair wish JOIN pooling_pool USING (round_id) LIMIT 1)",
    "pooling.pool-sources": (
        "UPDATE pooling_poolsource SET item_id = (SELECT query_id FROM annotate_pair WHERE id ="
        f" {FOREIGN_PAIR}) WHERE pool_id IN (SELECT id FROM pooling_pool "
        f"WHERE collection_id = {{made}})"
    ),
    "pooling.pool-strata": (
        "UPDATE pooling_poolstratum SET n_drawn = n_drawn + 1, n_pooled = n_pooled + 1"
    ),
    "pooling.constraints": "DROP INDEX pooling_run_unique_name",
    "pooling.triggers": "ALTER TABLE pooling_runevent DISABLE TRIGGER pooling_runevent_append_only",
    "metrics.score-apart": "UPDATE annotate_queryset SET direction = 'reverse'",
    "metrics.score-counts": "UPDATE metrics_score SET per_query = '\\x00'",
    "metrics.score-interval": "UPDATE metrics_score SET low = .6, high = .7",
    "metrics.score-reference": (
        "WITH told AS (DELETE FROM annotate_change) UPDATE metrics_score "
        "SET label_source = 'none:elsewhere'"
        " WHERE id = (SELECT min(id) FROM metrics_score WHERE label_source LIKE 'none:%%')"
    ),
    "metrics.score-threshold": "UPDATE metrics_score SET threshold = 77",
    "metrics.counts-follow": (
        "WITH told AS (DELETE FROM annotate_change)"
        " UPDATE annotate_judgment SET active_ms = 59000 WHERE collection_id = {made}"
    ),
    "metrics.counts-add-up": "UPDATE metrics_tally SET n = n + 1 WHERE key = 'judgments'",
    "metrics.plan-apart": (
        "UPDATE metrics_plan SET query_set_id = (SELECT id FROM annotate_queryset "
        "WHERE collection_id = {other})"
        " WHERE collection_id = {made}"
    ),
    "metrics.plan-looks": "UPDATE metrics_plan SET looks = '{{3,2}}'",
    "metrics.triggers": (
        "ALTER TABLE metrics_alarmevent DISABLE TRIGGER metrics_alarmevent_append_only"
    ),
    "metrics.snapshot-past": "UPDATE metrics_snapshot SET n_judgments = 1000",
    "metrics.constraints": "ALTER TABLE metrics_score DROP CONSTRAINT metrics_score_unique",
}
# Violations that a unique index refuses first.
DROPPED_INDEXES = {
    "annotate.seat-state": [
        "ALTER TABLE annotate_seat DROP CONSTRAINT annotate_seat_state_consistent"
    ],
    "annotate.seat-one-label": ["DROP INDEX annotate_seat_unique_annotator"],
    "annotate.batch-one-open": ["DROP INDEX annotate_batch_one_open"],
    "annotate.batch-one-pair": [
        "DROP INDEX annotate_seat_unique_number",
        "DROP INDEX annotate_seat_unique_annotator",
        "DROP INDEX annotate_seat_unique_check",
    ],
    "annotate.batch-positions": [
        "ALTER TABLE annotate_handout DROP CONSTRAINT annotate_handout_unique_position"
    ],
    "annotate.judgment-annotator": ["DROP INDEX annotate_judgment_one_chain"],
    "annotate.judgment-one-chain": ["DROP INDEX annotate_judgment_one_chain"],
    "annotate.judgment-chain": ["DROP INDEX annotate_judgment_one_chain"],
}


@pytest.fixture
def collection():
    """Two campaigns side by side; the first one's collection."""
    campaign = campaigns.campaign("made")
    campaigns.campaign("other")
    return campaign.collection


def plant(name, collection):
    other = Collection.objects.get(slug="other")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in DROPPED_INDEXES.get(name, []):
            cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = replica")  # no trigger, no foreign key
        cursor.execute(VIOLATIONS[name].format(made=collection.pk, other=other.pk))
        n_rows = cursor.rowcount
    assert n_rows != 0, f"{name} was not planted"


def test_a_sound_campaign_passes_every_check(collection):
    assert [(finding.check.name, finding.lines) for finding in run(CHECKS)] == []


def test_there_are_checks_enough_and_a_planted_violation_for_each():
    names = [check.name for check in CHECKS]
    assert len(names) == len(set(names)) >= 20
    assert set(names) == set(VIOLATIONS)


def test_each_check_fires_on_a_planted_violation(collection, figures):
    silent = []
    for check in CHECKS:
        with transaction.atomic():
            plant(check.name, collection)
            if not run([check]):
                silent.append(check.name)
            transaction.set_rollback(True)
    figures.record(
        "checks that fired",
        len(CHECKS) - len(silent),
        at_least=figures.size("checks", run=len(CHECKS)),
    )
    assert silent == []


@pytest.mark.django_db(transaction=True)
def test_the_command_names_what_is_broken_and_ends_with_an_error():
    collection = campaigns.campaign("made").collection
    out = StringIO()
    call_command("fsck", stdout=out)
    assert out.getvalue() == f"{len(CHECKS)} checks, nothing broken.\n"
    Collection.objects.filter(pk=collection.pk).update(positive_from=9)
    with pytest.raises(CommandError, match=r"2 of .* nothing was changed"):
        call_command("fsck", stdout=out)
    assert "broken: annotate.levels" in out.getvalue()
    assert "collection made: 3 levels, positive from 9" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_what_is_only_worth_a_look_does_not_fail_the_command():
    collection = campaigns.campaign("made").collection
    Change.objects.create(collection=collection, at="2026-01-01T00:00Z")
    out = StringIO()
    call_command("fsck", stdout=out)
    assert "notice: annotate.change-consumed" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_nothing_can_be_written_while_checks_run():
    collection = campaigns.campaign("made").collection
    with pytest.raises(DatabaseError, match="read-only"), one_moment():
        Collection.objects.filter(pk=collection.pk).update(name="changed")
