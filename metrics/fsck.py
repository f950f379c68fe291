"""Everything that must be true of metrics' rows; see `manage.py fsck`."""

from annotate.checks.check import Check, query
from annotate.checks.walls import constraints_check

CHECKS: list[Check] = [
    Check("metrics.score-apart", "A score's run, query set and reference are of one collection and direction.",
          query("""
        SELECT format('score %s', score.id) FROM metrics_score score
        JOIN pooling_run run ON run.id = score.run_id JOIN annotate_queryset named ON named.id = score.query_set_id
        LEFT JOIN annotate_referenceset reference ON reference.id = score.reference_set_id
        WHERE named.collection_id <> run.collection_id OR named.direction <> run.direction
           OR reference.collection_id <> run.collection_id""")),
    Check("metrics.score-counts", "A score holds one number for each query, and counts no more queries than that.",
          query("""
        SELECT format('score %s: %s queries, %s bytes', id, n_queries, length(per_query)) FROM metrics_score
        WHERE length(per_query) <> 8 * n_queries OR n_missing > n_queries OR n_with_positive > n_queries""")),
    Check("metrics.score-interval", "A score lies within its interval.", query("""
        SELECT format('score %s: %s in [%s, %s]', id, mean, low, high) FROM metrics_score
        WHERE low > high OR mean < low - 1e-9 OR mean > high + 1e-9""")),
    Check("metrics.score-reference", "A score by reference names the reference.", query("""
        SELECT format('score %s', id) FROM metrics_score
        WHERE label_source = 'reference' AND reference_set_id IS NULL""")),
    Check("metrics.score-threshold", "A score's threshold is a grade of the scheme.", query("""
        SELECT format('score %s: threshold %s', score.id, score.threshold) FROM metrics_score score
        JOIN pooling_run run ON run.id = score.run_id
        WHERE NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = run.collection_id AND level.grade = score.threshold)""")),
    Check("metrics.snapshot-past", "No snapshot rests on more judgments than there are.", query("""
        SELECT format('snapshot %s: %s judgments', snapshot.id, snapshot.n_judgments) FROM metrics_snapshot snapshot
        WHERE snapshot.n_judgments > (SELECT count(*) FROM annotate_judgment said
                                      WHERE said.collection_id = snapshot.collection_id)""")),
    constraints_check("metrics"),
]
