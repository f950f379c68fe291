"""Judgments, their chains and events, and what they count for."""

from annotate.checks.check import Check, query

CHECKS = [
    Check(
        "annotate.judgment-annotator",
        "The judgment that counts for a seat is its annotator's.",
        query("""
        SELECT format('seat %s, judgment %s', seat.id, judgment.id)
        FROM annotate_seat seat JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        WHERE judgment.annotator_id IS DISTINCT FROM seat.annotator_id"""),
    ),
    Check(
        "annotate.judgment-pair",
        "The judgment that counts for a seat is of its pair and purpose.",
        query("""
        SELECT format('seat %s, judgment %s', seat.id, judgment.id)
        FROM annotate_seat seat JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        WHERE judgment.pair_id <> seat.pair_id OR judgment.purpose <> seat.purpose"""),
    ),
    Check(
        "annotate.judgment-superseded",
        "A superseded judgment does not count.",
        query("""
        SELECT format('seat %s counts judgment %s, superseded by %s',
                      seat.id, seat.judgment_id, later.id)
        FROM annotate_seat seat
        JOIN annotate_judgment later ON later.supersedes_id = seat.judgment_id"""),
    ),
    Check(
        "annotate.judgment-withdrawn",
        "A judgment last undone or withdrawn does not count.",
        query("""
        SELECT format('seat %s counts judgment %s, %s', seat.id, seat.judgment_id, last.kind)
        FROM annotate_seat seat JOIN LATERAL (
            SELECT kind FROM annotate_judgmentevent WHERE judgment_id = seat.judgment_id
            ORDER BY id DESC LIMIT 1
        ) last ON last.kind <> 'restored'"""),
    ),
    Check(
        "annotate.judgment-chain",
        "A change follows an older answer of the same person to the same pair.",
        query("""
        SELECT format('judgment %s supersedes %s', later.id, judgment.id)
        FROM annotate_judgment later
        JOIN annotate_judgment judgment ON judgment.id = later.supersedes_id
        WHERE later.annotator_id <> judgment.annotator_id OR later.pair_id <> judgment.pair_id
           OR later.purpose <> judgment.purpose OR later.id <= judgment.id"""),
    ),
    Check(
        "annotate.judgment-one-chain",
        "A person has one chain of labels on a pair.",
        query("""
        SELECT format('annotator %s, pair %s: %s', annotator_id, pair_id, count(*))
        FROM annotate_judgment
        WHERE supersedes_id IS NULL AND purpose IN ('label', 'import')
        GROUP BY annotator_id, pair_id HAVING count(*) > 1"""),
    ),
    Check(
        "annotate.judgment-handed-out",
        "A judgment answers a hand-out of its own pair and person.",
        query("""
        SELECT format('judgment %s, hand-out %s', judgment.id, hand_out.id)
        FROM annotate_judgment judgment
        JOIN annotate_handout hand_out ON hand_out.id = judgment.hand_out_id
        JOIN annotate_batch batch ON batch.id = hand_out.batch_id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE batch.annotator_id <> judgment.annotator_id OR seat.pair_id <> judgment.pair_id
           OR seat.purpose <> judgment.purpose"""),
    ),
    Check(
        "annotate.judgment-seated",
        "Every standing first answer of a person has a seat or came late.",
        query("""
        SELECT format('judgment %s was never handed out and counts for nothing', judgment.id)
        FROM annotate_judgment judgment
        WHERE judgment.hand_out_id IS NULL
          AND NOT EXISTS (SELECT FROM annotate_seat WHERE judgment_id = judgment.id)
          AND NOT EXISTS (SELECT FROM annotate_judgment WHERE supersedes_id = judgment.id)
          AND NOT EXISTS (SELECT FROM annotate_judgmentevent WHERE judgment_id = judgment.id)"""),
    ),
    Check(
        "annotate.judgment-time",
        "No judgment lies in the future.",
        query("""
        SELECT format('judgment %s of %s', id, at) FROM annotate_judgment
        WHERE at > clock_timestamp() + interval '1 minute'"""),
    ),
    Check(
        "annotate.report-handed-out",
        "A report is about a hand-out of its own pair and person.",
        query("""
        SELECT format('report %s, hand-out %s', report.id, hand_out.id)
        FROM annotate_report report
        JOIN annotate_handout hand_out ON hand_out.id = report.hand_out_id
        JOIN annotate_batch batch ON batch.id = hand_out.batch_id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE batch.annotator_id <> report.annotator_id OR seat.pair_id <> report.pair_id"""),
    ),
    Check(
        "annotate.report-state",
        "A report is what its last event says, and open without one.",
        query("""
        SELECT format('report %s is %s, its last event says %s', report.id, report.state, last.kind)
        FROM annotate_report report LEFT JOIN LATERAL (
            SELECT kind FROM annotate_reportevent WHERE report_id = report.id
            ORDER BY id DESC LIMIT 1) last ON true
        WHERE report.state <> CASE coalesce(last.kind, 'reopened')
                              WHEN 'reopened' THEN 'open' ELSE last.kind END"""),
    ),
    Check(
        "annotate.judgment-restored",
        "An answer that was restored says the same as the one it restores.",
        query("""
        SELECT format('judgment %s restores %s', restored.id, judgment.id)
        FROM annotate_judgment restored
        JOIN annotate_judgment judgment ON judgment.id = restored.restores_id
        WHERE restored.annotator_id <> judgment.annotator_id OR restored.pair_id <> judgment.pair_id
           OR restored.level_id <> judgment.level_id OR restored.purpose <> judgment.purpose
             OR restored.id <= judgment.id"""),
    ),
    Check(
        "annotate.scheme-frozen",
        "A collection with judgments has a frozen scheme.",
        query("""
        SELECT format('collection %s', slug) FROM annotate_collection collection
        WHERE scheme_frozen_at IS NULL
          AND EXISTS (SELECT FROM annotate_judgment WHERE collection_id = collection.id)"""),
    ),
    Check(
        "annotate.erased-silent",
        "Of an erased person no comment and no note is left.",
        query("""
        SELECT format('annotator %s', ann.id) FROM annotate_annotator ann
        WHERE ann.origin = 'person' AND ann.user_id IS NULL
          AND (EXISTS (SELECT FROM annotate_judgmentcomment comment
                       JOIN annotate_judgment judgment ON judgment.id = comment.judgment_id
                         WHERE judgment.annotator_id = ann.id)
            OR EXISTS (SELECT FROM annotate_report WHERE annotator_id = ann.id AND note <> ''))"""),
    ),
    Check(
        "annotate.change-consumed",
        "Changes of labels are taken up within ten minutes.",
        query("""
        SELECT format('collection %s: %s changes since %s', collection_id, count(*), min(at))
        FROM annotate_change
        WHERE at < clock_timestamp() - interval '10 minutes' GROUP BY collection_id"""),
        notice=True,
    ),
]
