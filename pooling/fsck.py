"""Invariants of pooling's rows; see `manage.py fsck`."""

from annotate.checks.check import Check, query
from annotate.checks.constraints import constraints_check, missing_triggers
from pooling.services.pools.run_retirement import differences_of_marks

CHECKS: list[Check] = [
    Check(
        "pooling.ranking-targets",
        "A ranking names each target once, and items are on the other side.",
        query("""
        SELECT format('ranking %s of run %s', ranking.id, run.id)
        FROM pooling_ranking ranking JOIN pooling_run run ON run.id = ranking.run_id
        JOIN LATERAL (
            SELECT count(*) AS n, count(DISTINCT target.id) AS n_different,
                   count(*) FILTER (WHERE target.id < 0 OR item.id IS NOT NULL) AS n_right
            FROM unnest(ranking.targets) AS target(id)
            LEFT JOIN annotate_item item
                 ON item.id = target.id AND item.collection_id = run.collection_id
                 AND item.side = CASE run.direction WHEN 'forward' THEN 'document' ELSE 'query' END
        ) counts ON counts.n <> counts.n_different OR counts.n <> counts.n_right"""),
    ),
    Check(
        "pooling.ranking-source",
        "A ranking's source is on the side its run starts from.",
        query("""
        SELECT format('ranking %s of run %s', ranking.id, run.id)
        FROM pooling_ranking ranking JOIN pooling_run run ON run.id = ranking.run_id
        JOIN annotate_item item ON item.id = ranking.source_id
        WHERE item.collection_id <> run.collection_id
           OR (item.side = 'query') <> (run.direction = 'forward')"""),
    ),
    Check(
        "pooling.ranking-scores",
        "A ranking has a score for each target, and each is a number.",
        query("""
        SELECT format('ranking %s', id) FROM pooling_ranking
        WHERE cardinality(targets) <> cardinality(scores) OR 'NaN'::float8 = ANY(scores)"""),
    ),
    Check(
        "pooling.matrix-items",
        "A matrix is of a run that is ready, its rows sources, its columns targets.",
        query("""
        SELECT format('matrix %s of run %s', matrix.id, run.id)
        FROM pooling_matrix matrix JOIN pooling_run run ON run.id = matrix.run_id
        WHERE run.state <> 'ready' OR EXISTS (
            SELECT FROM (SELECT abs(id) AS id, 'query' AS side FROM unnest(matrix.rows) AS id
                         UNION ALL SELECT abs(id), 'document' FROM unnest(matrix.columns) AS id
                        ) matrix_item
            WHERE matrix_item.id <> 0 AND NOT EXISTS (
                SELECT FROM annotate_item item
                WHERE item.id = matrix_item.id AND item.collection_id = run.collection_id
                 AND (item.side = matrix_item.side) = (run.direction = 'forward')))"""),
    ),
    Check(
        "pooling.run-rankings",
        "Runs that are ready have rankings, others have none.",
        query("""
        SELECT format('run %s is %s', run.id, run.state) FROM pooling_run run
        WHERE (run.state = 'ready') <> EXISTS (
            SELECT FROM pooling_ranking WHERE run_id = run.id)"""),
    ),
    Check(
        "pooling.run-work",
        "A run waits to be read as long as a reading of it is under way, and no longer.",
        query("""
        SELECT format('run %s is %s, its %s %s', run.id, run.state, work.kind, work.state)
        FROM pooling_run run LEFT JOIN annotate_work work ON work.id = run.work_id
        WHERE (run.state = 'received') <> coalesce(
                work.kind = 'run_reading' AND work.state IN ('asked', 'running'), false)
           OR run.state = 'ready' AND run.reading_due_at IS NOT NULL
              AND coalesce(work.state NOT IN ('asked', 'running'), true)"""),
    ),
    Check(
        "pooling.own-works",
        "The work of a run or a pool is about it, and no other work about it is under way.",
        query("""
        WITH subject_row AS (SELECT 'run' AS subject, id, collection_id, work_id FROM pooling_run
                       UNION ALL SELECT 'pool', id, collection_id, work_id FROM pooling_pool)
        SELECT format('%s %s, work %s', subject_row.subject, subject_row.id, work.id)
        FROM subject_row
        JOIN annotate_work work ON work.id = subject_row.work_id
        WHERE work.subject <> subject_row.id OR work.collection_id <> subject_row.collection_id
           OR work.kind NOT LIKE subject_row.subject || '#_%' ESCAPE '#'
        UNION ALL
        SELECT format('%s of %s, work %s', work.kind, work.subject, work.id) FROM annotate_work work
        WHERE (work.kind LIKE 'run#_%' ESCAPE '#' OR work.kind LIKE 'pool#_%' ESCAPE '#')
          AND work.state IN ('asked', 'running')
          AND NOT EXISTS (SELECT FROM subject_row WHERE subject_row.work_id = work.id)"""),
    ),
    Check(
        "pooling.pool-round",
        "A pool's round is of its collection and in the same state, or under way to it.",
        query("""
        SELECT format('pool %s is %s, its round %s', pool.id, pool.state, round.state)
        FROM pooling_pool pool LEFT JOIN annotate_round round ON round.id = pool.round_id
        LEFT JOIN annotate_work work
             ON work.id = pool.work_id AND work.state IN ('asked', 'running', 'failed')
        WHERE (pool.state <> 'draft' OR pool.round_id IS NOT NULL)
          AND (round.id IS NULL OR round.kind <> 'pool' OR round.collection_id <> pool.collection_id
               OR CASE pool.state || ' ' || coalesce(work.kind, '')
                    WHEN 'draft pool_opening' THEN round.state NOT IN ('opening', 'open')
                    WHEN 'open pool_closing' THEN round.state NOT IN ('closing', 'closed')
                    WHEN 'closed pool_reopening' THEN round.state NOT IN ('opening', 'open')
                    ELSE round.state <> pool.state OR work.id IS NOT NULL END)"""),
    ),
    Check(
        "pooling.round-pool",
        "A round of kind pool belongs to a pool.",
        query("""
        SELECT format('round %s', round.id) FROM annotate_round round
        WHERE round.kind = 'pool'
          AND NOT EXISTS (SELECT FROM pooling_pool WHERE round_id = round.id)"""),
    ),
    Check(
        "pooling.pool-pairs",
        "A pool and its round name the same pairs.",
        query("""
        WITH opened AS (SELECT id, round_id FROM pooling_pool WHERE state IN ('open', 'closed')),
             pooled AS (SELECT opened.id, pool_pair.pair_id FROM pooling_poolpair pool_pair
                        JOIN opened ON opened.id = pool_pair.pool_id),
             in_round AS (SELECT opened.id, round_pair.pair_id FROM annotate_roundpair round_pair
                          JOIN opened ON opened.round_id = round_pair.round_id)
        SELECT format('pool %s, pair %s is in the pool alone', id, pair_id)
        FROM (SELECT * FROM pooled EXCEPT SELECT * FROM in_round) pool_only
        UNION ALL
        SELECT format('pool %s, pair %s is in the round alone', id, pair_id)
        FROM (SELECT * FROM in_round EXCEPT SELECT * FROM pooled) round_only"""),
    ),
    Check(
        "pooling.pool-apart",
        "A pool's pairs, runs and query set are of its collection.",
        query("""
        SELECT format('pool %s, pair %s', pool.id, pair.id) FROM pooling_poolpair pool_pair
        JOIN pooling_pool pool ON pool.id = pool_pair.pool_id
        JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
        WHERE pair.collection_id <> pool.collection_id
        UNION ALL
        SELECT format('pool %s, run %s', pool.id, run.id) FROM pooling_pool_runs pool_run
        JOIN pooling_pool pool ON pool.id = pool_run.pool_id
        JOIN pooling_run run ON run.id = pool_run.run_id
        WHERE run.collection_id <> pool.collection_id
        UNION ALL
        SELECT format('pool %s, query set %s', pool.id, query_set.id) FROM pooling_pool pool
        JOIN annotate_queryset query_set ON query_set.id = pool.query_set_id
        WHERE query_set.collection_id <> pool.collection_id"""),
    ),
    Check(
        "pooling.pool-runs",
        "A pool that was opened was made from runs that are ready.",
        query("""
        SELECT format('pool %s, run %s', pool.id, run.id) FROM pooling_pool_runs pool_run
        JOIN pooling_pool pool ON pool.id = pool_run.pool_id
        JOIN pooling_run run ON run.id = pool_run.run_id
        WHERE pool.state IN ('open', 'closed') AND run.state <> 'ready'"""),
    ),
    Check(
        "pooling.pool-dropped",
        "A pool has dropped the pairs that only retired runs hold, and no other pair.",
        differences_of_marks,
    ),
    Check(
        "pooling.pool-sources",
        "What a pool drew is of its query set, or where it has none, of its collection.",
        query("""
        SELECT format('pool %s, item %s', pool.id, source.item_id) FROM pooling_poolsource source
        JOIN pooling_pool pool ON pool.id = source.pool_id
        JOIN annotate_item item ON item.id = source.item_id
        WHERE item.collection_id <> pool.collection_id
           OR pool.query_set_id IS NOT NULL AND NOT EXISTS (
                SELECT FROM annotate_querysetitem member
                WHERE member.query_set_id = pool.query_set_id AND member.item_id = source.item_id
                  AND member.part = 'source')"""),
    ),
    Check(
        "pooling.pool-strata",
        "A pool's strata count what was drawn of them, and their items are its collection's.",
        query("""
        WITH drawn_pair AS (
            SELECT pool_pair.pool_id, pool_pair.stratum, pair.query_id, pair.document_id
            FROM pooling_poolpair pool_pair
            JOIN annotate_pair pair ON pair.id = pool_pair.pair_id
            WHERE pool_pair.pool_id IN (SELECT pool_id FROM pooling_poolstratum)),
        cell_count AS (
            SELECT pool_id, stratum, source_id, count(*) AS n FROM drawn_pair
            CROSS JOIN LATERAL (VALUES (query_id), (document_id)) AS ends (source_id)
            GROUP BY 1, 2, 3)
        SELECT format('pool %s, item %s, stratum %s', pool.id, cell.source_id, cell.stratum)
        FROM pooling_poolstratum cell JOIN pooling_pool pool ON pool.id = cell.pool_id
        JOIN annotate_item item ON item.id = cell.source_id
        LEFT JOIN cell_count ON (cell_count.pool_id, cell_count.source_id, cell_count.stratum)
                              = (cell.pool_id, cell.source_id, cell.stratum)
        WHERE item.collection_id <> pool.collection_id
           OR cell.n_drawn <> coalesce(cell_count.n, 0)"""),
    ),
    constraints_check("pooling"),
    Check(
        "pooling.triggers",
        "The log of what was done to runs only grows.",
        lambda: missing_triggers(["pooling_runevent_append_only", "pooling_runevent_no_truncate"]),
    ),
]
