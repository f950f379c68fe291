"""Violations of each named constraint, wall and trigger."""

from importlib import import_module
from typing import NamedTuple


class Copy(NamedTuple):
    """A row to be inserted again with some columns changed, which a unique constraint refuses."""

    table: str
    where: str = "true"
    changed: dict[str, str] = {}
    first: str = ""


def copied_row(table, where="true", first="", **changed):
    return Copy(table, where, changed, first)


def update(table, assignment, where="true", first=""):
    return f"{first}; UPDATE {table} SET {assignment} WHERE {where}".removeprefix("; ")


def same_key(table, *other_constraints, **changed):
    """The row inserted again with its key; the primary key, which would refuse it, is dropped."""
    dropped = "; ".join(
        f"ALTER TABLE {table} DROP CONSTRAINT {name} CASCADE"
        for name in (f"{table}_pkey", *other_constraints)
    )
    return copied_row(table, first=dropped, id="id", **changed)


NEW_UUID = "gen_random_uuid()"
ITEM_NAMES = ("annotate_item_unique_external_id",)
CASES = {
    "annotate_user_unique_email": copied_row(
        "annotate_user",
        "email <> ''",
        "UPDATE annotate_user SET email = 'ada@example.org' WHERE id ="
        " (SELECT min(id) FROM annotate_user)",
        username="'x'",
        email="upper(email)",
    ),
    "annotate_membership_unique": copied_row("annotate_membership"),
    "annotate_membership_known_role": update("annotate_membership", "role = 'king'"),
    "annotate_annotator_unique_pseudonym": copied_row("annotate_annotator", user_id="NULL"),
    "annotate_annotator_unique_user": copied_row("annotate_annotator", pseudonym="'x'"),
    "annotate_annotator_unique_external_id": copied_row(
        "annotate_annotator",
        first="UPDATE annotate_annotator SET external_id = id::text",
        pseudonym="'x'",
        user_id="NULL",
    ),
    "annotate_annotator_known_origin": update(
        "annotate_annotator", "origin = 'moon', user_id = NULL"
    ),
    "annotate_annotator_only_people_have_users": update("annotate_annotator", "origin = 'model'"),
    "annotate_invitation_unique_token": copied_row("annotate_invitation"),
    "annotate_invitation_known_role": update("annotate_invitation", "role = 'king'"),
    "annotate_invitation_mail_has_address": update(
        "annotate_invitation", "by_mail = true, email = ''"
    ),
    "annotate_apitoken_unique_sha256": copied_row("annotate_apitoken"),
    "annotate_workerheartbeat_unique_name": copied_row(
        "annotate_workerheartbeat",
        first="INSERT INTO annotate_workerheartbeat (name, queues) VALUES ('one', '{}')",
    ),
    "annotate_import_known_kind": update("annotate_import", "kind = 'gossip'"),
    "annotate_kept_unique_key": copied_row("annotate_kept"),
    "annotate_receipt_unique_key": copied_row("annotate_receipt"),
    "annotate_hook_unique_url": copied_row("annotate_hook"),
    "annotate_hook_known_events": update("annotate_hook", "events = '{release.made,moon.full}'"),
    "annotate_hook_off_has_reason": update("annotate_hook", "off_at = now()"),
    "annotate_delivery_unique_message": copied_row("annotate_delivery"),
    "annotate_delivery_known_event": update("annotate_delivery", "event = 'moon.full'"),
    "annotate_delivery_ended_has_time": update("annotate_delivery", "state = 'waiting'"),
    "annotate_work_one_unfinished": copied_row(
        "annotate_work",
        "kind = 'one'",
        "UPDATE annotate_work SET kind = 'one', state = 'asked', finished_at = NULL"
        " WHERE id = (SELECT min(id) FROM annotate_work)",
    ),
    "annotate_work_finished_has_time": update("annotate_work", "finished_at = NULL"),
    "annotate_work_failed_has_code": update("annotate_work", "state = 'failed', error_code = ''"),
    "annotate_collection_unique_slug": copied_row("annotate_collection"),
    "annotate_collection_known_measurement": update("annotate_collection", "measurement = 'guess'"),
    "annotate_collection_limit_range": update("annotate_collection", "unknown_limit = 1.5"),
    "annotate_collection_alpha_marks": update("annotate_collection", "tentative_alpha = 0.8"),
    "annotate_collection_archived_by_somebody": update(
        "annotate_collection", "archived_at = now()"
    ),
    "annotate_level_unique_grade": copied_row("annotate_level", key="'x'"),
    "annotate_collection_licence_identifier": update("annotate_collection", "licence = 'CC BY'"),
    "annotate_collection_known_grouping": update("annotate_collection", "query_groups = 'moon'"),
    "annotate_level_unique_key": copied_row("annotate_level", grade="99"),
    "annotate_level_grade_range": update("annotate_level", "grade = 101"),
    "annotate_guidelines_unique_version": copied_row("annotate_guidelines"),
    "annotate_policy_unique_version": copied_row("annotate_policy"),
    "annotate_policy_labels_range": update("annotate_policy", "labels_per_pair = 0"),
    "annotate_policy_share_range": update("annotate_policy", "double_share = 1.5"),
    "annotate_policy_ceiling_range": update("annotate_policy", "ceiling = 1"),
    "annotate_policy_known_rule": update("annotate_policy", "tie = 'loud'"),
    "annotate_policy_batch_range": update("annotate_policy", "lease_minutes = 0"),
    "annotate_policy_unanimous_disputes": update(
        "annotate_policy", "rule = 'unanimous', tie = 'up'"
    ),
    "annotate_policy_known_gold_action": update("annotate_policy", "gold_action = 'scold'"),
    "annotate_policy_gold_pass_range": update("annotate_policy", "gold_pass = 1.5"),
    "annotate_policy_repeat_range": update("annotate_policy", "repeat_share = 1.5"),
    "annotate_policy_max_share_range": update("annotate_policy", "max_share = 0"),
    "annotate_duplicate_of_another": update("annotate_duplicate", "original_id = item_id"),
    "annotate_item_unique_external_id": copied_row("annotate_item"),
    "annotate_item_unique_in_collection": same_key("annotate_item", *ITEM_NAMES),
    "annotate_item_unique_on_side": same_key(
        "annotate_item", *ITEM_NAMES, "annotate_item_unique_in_collection"
    ),
    "annotate_item_known_side": update("annotate_item", "side = 'left'"),
    "annotate_item_external_id_not_blank": update("annotate_item", "external_id = ''"),
    "annotate_item_exclusion_has_reason": update("annotate_item", "excluded_at = now()"),
    "annotate_part_unique_position": copied_row("annotate_part"),
    "annotate_part_has_content": update("annotate_part", "text = ''"),
    "annotate_part_ends_after_start": update("annotate_part", '"start" = 2, "end" = 2'),
    "annotate_part_sources_of_media": update("annotate_part", "type = 'video/mp4'"),
    "annotate_part_checksum_of_file": update("annotate_part", "checksum = ''", "kind = 'text'"),
    "annotate_part_preview_of_seen": update(
        "annotate_part", "preview_id = (SELECT min(id) FROM annotate_preview)", "kind = 'text'"
    ),
    "annotate_preview_unique_content": copied_row("annotate_preview"),
    "annotate_preview_checksum_not_blank": update("annotate_preview", "checksum = ''"),
    "annotate_preview_raster_of_content": update(
        "annotate_preview",
        "reason = 'damaged', content = '', width = 0, height = 0, raster = 'x'",
    ),
    "annotate_preview_content_or_reason": update("annotate_preview", "reason = 'damaged'"),
    "annotate_referenceset_unique_name": copied_row("annotate_referenceset"),
    "annotate_referenceset_named": update("annotate_referenceset", "name = ''"),
    "annotate_referencelabel_unique_pair": copied_row("annotate_referencelabel"),
    "annotate_undrawn_unique_pair": copied_row("annotate_undrawn"),
    "annotate_queryset_unique_name": copied_row("annotate_queryset"),
    "annotate_queryset_known_direction": update("annotate_queryset", "direction = 'up'"),
    "annotate_querysetitem_unique": copied_row("annotate_querysetitem"),
    "annotate_querysetitem_known_part": update("annotate_querysetitem", "part = 'half'"),
    "annotate_pair_unique": copied_row("annotate_pair"),
    "annotate_pair_unique_in_collection": same_key("annotate_pair", "annotate_pair_unique"),
    "annotate_round_unique_name": copied_row("annotate_round"),
    "annotate_round_unique_in_collection": same_key("annotate_round", "annotate_round_unique_name"),
    "annotate_round_known_kind": update("annotate_round", "kind = 'odd'"),
    "annotate_round_closed_has_time": update("annotate_round", "state = 'closed'"),
    "annotate_roundpair_unique": copied_row("annotate_roundpair"),
    "annotate_roundpair_wants_some": update("annotate_roundpair", "n_wanted = 0"),
    "annotate_seat_unique_number": copied_row("annotate_seat", "state = 'free'"),
    "annotate_seat_unique_annotator": copied_row(
        "annotate_seat", "state = 'held' AND purpose = 'label'", number="99"
    ),
    "annotate_seat_unique_check": copied_row(
        "annotate_seat",
        "purpose = 'gold'",
        judgment_id="NULL",
        state="'held'",
        leased_until="now()",
    ),
    "annotate_seat_state_consistent": update(
        "annotate_seat", "annotator_id = NULL", "state = 'held'"
    ),
    "annotate_seat_known_purpose": update("annotate_seat", "purpose = 'fun'"),
    "annotate_seat_known_why": update("annotate_seat", "why = 'because'"),
    "annotate_batch_unique_number": copied_row("annotate_batch", finished_at="now()"),
    "annotate_batch_one_open": copied_row("annotate_batch", "finished_at IS NULL", number="99"),
    "annotate_batch_known_verdict": update("annotate_batch", "verdict = 'maybe'"),
    "annotate_batch_golds_counted": update("annotate_batch", "n_golds = 1, n_golds_right = 2"),
    "annotate_batch_known_gold_action": update("annotate_batch", "gold_action = 'scold'"),
    "annotate_handout_unique_position": copied_row("annotate_handout", token=NEW_UUID, seat_id="0"),
    "annotate_handout_unique_seat": copied_row("annotate_handout", token=NEW_UUID, position="99"),
    "annotate_handout_unique_token": copied_row("annotate_handout", position="99", seat_id="0"),
    "annotate_gold_unique_pair": copied_row("annotate_gold"),
    "annotate_gold_known_origin": update("annotate_gold", "origin = 'moon'"),
    "annotate_report_unique_submission": copied_row("annotate_report"),
    "annotate_report_known_kind": update("annotate_report", "kind = 'sigh'"),
    "annotate_report_known_state": update("annotate_report", "state = 'lost'"),
    "annotate_reportevent_known_kind": update("annotate_reportevent", "kind = 'lost'"),
    "annotate_reportevent_once": copied_row(
        "annotate_reportevent",
        "submission_id IS NOT NULL",
        "INSERT INTO annotate_reportevent (report_id, kind, submission_id) "
        "SELECT id, 'undone', gen_random_uuid()"
        " FROM annotate_report LIMIT 1",
    ),
    "annotate_judgment_unique_submission": copied_row("annotate_judgment", "purpose = 'gold'"),
    "annotate_judgment_one_chain": copied_row(
        "annotate_judgment", "purpose = 'label' AND supersedes_id IS NULL", submission_id=NEW_UUID
    ),
    "annotate_judgment_active_range": update("annotate_judgment", "active_ms = 3600001"),
    "annotate_judgment_handling_range": update("annotate_judgment", "n_replays = 1001"),
    "annotate_judgment_handed_out": update(
        "annotate_judgment", "hand_out_id = NULL", "purpose = 'label'"
    ),
    "annotate_judgmentevent_known_kind": update("annotate_judgmentevent", "kind = 'lost'"),
    "annotate_judgmentevent_once": copied_row(
        "annotate_judgmentevent",
        "submission_id IS NOT NULL",
        "INSERT INTO annotate_judgmentevent (judgment_id, kind, reason, submission_id) "
        "SELECT judgment_id, kind,"
        " reason, gen_random_uuid() FROM annotate_judgmentevent LIMIT 1",
    ),
    "annotate_resolution_grade_by_status": update(
        "annotate_resolution", "grade = NULL, status = 'single'"
    ),
    "annotate_reviewaction_known_kind": copied_row("annotate_reviewaction", kind="'sung'"),
    "annotate_reviewaction_about_something": copied_row(
        "annotate_reviewaction", annotator_id="NULL"
    ),
    "annotate_pairexclusion_has_reason": update("annotate_pairexclusion", "reason = ''"),
    "annotate_training_known_measure": update("annotate_training", "measure = 'luck'"),
    "annotate_training_mark_range": update("annotate_training", "pass_mark = 1.1"),
    "annotate_training_at_least_one": update("annotate_training", "max_tries = 0"),
    "annotate_quiz_unique_version": copied_row("annotate_quiz"),
    "annotate_trainingpair_grade_range": update("annotate_trainingpair", "grade = 101"),
    "annotate_trainingtry_unique_number": copied_row("annotate_trainingtry", batch_id="0"),
    "annotate_trainingtry_result_when_finished": update(
        "annotate_trainingtry", "finished_at = NULL"
    ),
    "annotate_trainingtry_result_complete": update(
        "annotate_trainingtry", "n_right = n_answered + 1"
    ),
    "annotate_trainingdecision_known_kind": update("annotate_trainingdecision", "kind = 'bribed'"),
    "pooling_run_unique_name": copied_row("pooling_run"),
    "pooling_run_unique_hidden_name": copied_row(
        "pooling_run", "is_hidden", "UPDATE pooling_run SET is_hidden = true"
    ),
    "pooling_runevent_known_kind": copied_row(
        "pooling_runevent",
        first="INSERT INTO pooling_runevent (run_id, kind, note) SELECT id, 'retired', ''"
        " FROM pooling_run",
        kind="'sold'",
    ),
    "pooling_run_known_direction": update("pooling_run", "direction = 'up'"),
    "pooling_run_finished_has_time": update("pooling_run", "finished_at = NULL"),
    "pooling_run_known_score_type": update("pooling_run", "score_type = 'text'"),
    "pooling_ranking_unique_source": copied_row("pooling_ranking"),
    "pooling_ranking_as_many_scores": update("pooling_ranking", "scores = '{1}'"),
    "pooling_pool_unique_name": copied_row(
        "pooling_pool", round_id="NULL", state="'draft'", opened_at="NULL"
    ),
    "pooling_pool_open_has_round": update("pooling_pool", "round_id = NULL"),
    "pooling_poolpair_unique": copied_row("pooling_poolpair"),
    "pooling_poolpair_probability_range": update("pooling_poolpair", "inclusion_probability = 0"),
    "pooling_poolstratum_unique": copied_row("pooling_poolstratum"),
    "pooling_poolstratum_adds_up": update("pooling_poolstratum", "n_drawn = n_drawn + 1"),
    "pooling_poolsource_unique": copied_row("pooling_poolsource"),
    "pooling_poolsource_probability_range": update(
        "pooling_poolsource", "inclusion_probability = 1.5"
    ),
    "pooling_poolpair_rank_from_1": update("pooling_poolpair", "best_rank = 0"),
    "metrics_snapshot_unique_kind": copied_row("metrics_snapshot"),
    "metrics_observation_unique_moment": copied_row("metrics_observation"),
    "metrics_score_unique": copied_row("metrics_score"),
    "metrics_block_unique_number": copied_row("metrics_block"),
    "metrics_tally_unique_key": copied_row("metrics_tally"),
    "metrics_download_known_kind": update("metrics_download", "kind = 'gossip'"),
    "metrics_download_file_has_facts": update("metrics_download", "sha256 = ''"),
    "annotate_concern_one_open": copied_row("annotate_concern"),
    "annotate_concern_known_guard": update("annotate_concern", "guard = 'dog'"),
    "annotate_concern_known_state": update("annotate_concern", "state = 'lost'"),
    "annotate_concernevent_known_kind": copied_row("annotate_concernevent", kind="'lost'"),
    "annotate_guardmark_known_guard": copied_row("annotate_guardmark", guard="'dog'"),
    "annotate_guardmark_above_0": copied_row("annotate_guardmark", mark="0"),
    "metrics_alarm_unique": copied_row("metrics_alarm"),
    "metrics_alarm_known_kind": update("metrics_alarm", "kind = 'smoke'"),
    "metrics_alarmevent_known_kind": copied_row("metrics_alarmevent", kind="'slid'"),
    "metrics_plan_one_at_a_time": copied_row("metrics_plan"),
    "metrics_plan_known_method": update("metrics_plan", "method = 'newman-keuls'"),
    "metrics_plan_alpha_range": update("metrics_plan", "alpha = 1"),
    "metrics_plan_has_looks": update("metrics_plan", "looks = '{}'"),
    "metrics_planlook_unique_number": copied_row("metrics_planlook"),
    "metrics_planlook_from_1": update("metrics_planlook", "level = 0"),
    "metrics_release_unique_version": copied_row("metrics_release", work_id="NULL"),
    "metrics_release_made_has_facts": copied_row("metrics_release", version="'2'", sha256="''"),
    "metrics_release_withdrawal_has_reason": copied_row(
        "metrics_release", version="'2'", withdrawn_at="now()"
    ),
    "metrics_release_published_is_made": copied_row(
        "metrics_release", version="'2'", made_at="NULL", published_at="now()"
    ),
    "metrics_releasefile_unique_path": copied_row("metrics_releasefile"),
    "metrics_releaserun_unique_alias": copied_row("metrics_releaserun"),
    "metrics_releaserun_file_has_name": copied_row(
        "metrics_releaserun", alias="'x'", holds_file="true"
    ),
    "metrics_releaseevent_known_kind": copied_row("metrics_releaseevent", kind="'lost'"),
    "metrics_score_known_source": update("metrics_score", "label_source = 'dice'"),
    "annotate_annotator_unique_in_collection": same_key(
        "annotate_annotator", "annotate_annotator_unique_pseudonym", user_id="NULL"
    ),
    "annotate_level_unique_in_collection": same_key(
        "annotate_level", "annotate_level_unique_grade", "annotate_level_unique_key"
    ),
}


def foreign_row(table, column, target, where="true"):
    """A row that references the other collection."""
    return update(
        table,
        f"{column} = (SELECT max(id) FROM {target} WHERE collection_id = {{other}})",
        f"{where} AND id = (SELECT min(id) FROM {table} WHERE collection_id = {{made}} "
        f"AND {where})",
    )


FOREIGN_ROWS = {
    "annotate_pair_query_in_collection": foreign_row("annotate_pair", "query_id", "annotate_item"),
    "annotate_pair_document_in_collection": foreign_row(
        "annotate_pair", "document_id", "annotate_item"
    ),
    "annotate_seat_pair_in_collection": foreign_row("annotate_seat", "pair_id", "annotate_pair"),
    "annotate_seat_round_in_collection": foreign_row("annotate_seat", "round_id", "annotate_round"),
    "annotate_seat_annotator_in_collection": foreign_row(
        "annotate_seat", "annotator_id", "annotate_annotator", "state = 'held'"
    ),
    "annotate_judgment_pair_in_collection": foreign_row(
        "annotate_judgment", "pair_id", "annotate_pair"
    ),
    "annotate_judgment_annotator_in_collection": foreign_row(
        "annotate_judgment", "annotator_id", "annotate_annotator"
    ),
    "annotate_judgment_level_in_collection": foreign_row(
        "annotate_judgment", "level_id", "annotate_level"
    ),
    "annotate_duplicate_item_on_side": update("annotate_duplicate", "side = 'query'"),
    "annotate_duplicate_original_on_side": update(
        "annotate_duplicate",
        "original_id = (SELECT max(id) FROM annotate_item WHERE collection_id = {other})",
        "collection_id = {made}",
    ),
    "annotate_gold_pair_in_collection": update(
        "annotate_gold",
        "pair_id = (SELECT min(id) FROM annotate_pair WHERE collection_id = {other})",
        "id = (SELECT min(id) FROM annotate_gold WHERE collection_id = {made})",
    ),
}
TRUNCATED = (
    *import_module("annotate.migrations.0017_truncate_refused").TABLES,
    *import_module("annotate.migrations.0033_concerns").APPEND_ONLY,
)
APPEND_ONLY = {  # a change of each table's rows
    "annotate_judgment": "active_ms = 1",
    "annotate_judgmentevent": "reason = 'x'",
    "annotate_reportevent": "kind = 'undone'",
    "annotate_concernevent": "kind = 'settled'",
    "annotate_guardmark": "mark = 2",
    "annotate_guidelines": "markdown = 'x'",
    "annotate_policy": "ceiling = 5",
    "annotate_quiz": "questions = '[]'",
    "annotate_quizattempt": "passed = false",
    "annotate_trainingdecision": "kind = 'passed'",
    "annotate_reviewaction": "reason = 'x'",
}
REFUSED_STATEMENTS = {
    **{
        f"{table}_append_only": [f"UPDATE {table} SET {assignment}", f"DELETE FROM {table}"]
        for table, assignment in APPEND_ONLY.items()
    },
    **{f"{table}_no_truncate": [f"TRUNCATE {table} CASCADE"] for table in TRUNCATED},
    "annotate_collection_rehearsal_kept": [
        "UPDATE annotate_collection SET is_rehearsal = NOT is_rehearsal",
    ],
    "annotate_level_frozen": [
        "UPDATE annotate_level SET grade = grade + 10",
        "DELETE FROM annotate_level",
        "INSERT INTO annotate_level (collection_id, grade, key, name, sentence, colour, reasons)"
        " SELECT id, 50, 'x', 'More', '', 'slate', '[]' FROM annotate_collection",
    ],
}
