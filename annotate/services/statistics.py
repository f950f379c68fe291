"""What PostgreSQL's planner knows of tables that grow within one transaction, where autovacuum cannot help."""

import logging
from collections.abc import Mapping

from django.db import connection

log = logging.getLogger(__name__)

FEW = 1_000  # rows below which every plan is quick
NEW_SHARE = 10  # once a tenth of a table is new, as autovacuum does
_KNOWN = """
    SELECT relname, reltuples FROM pg_class
    WHERE oid = ANY(%s::text[]::regclass[]) AND CASE
        WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(oid, 'MAINTAIN')
        ELSE pg_has_role(relowner, 'USAGE') END
"""


def learn_growth(**n_new: int) -> None:
    """Analyse those of these tables, each with how many new rows it got, of which a tenth or more is new."""
    learn_sizes(**{table: NEW_SHARE * n for table, n in n_new.items() if n >= FEW})


def learn_sizes(**n_rows: int) -> None:
    """Analyse those of these tables, each with how many rows it has at least, that the planner takes for smaller.

    A table may count as small though it is not: nobody has analysed it, or somebody did when its rows were gone. A
    foreign key is then checked by the index of the collection, all of which is read for each row: of 12,000 pairs their
    INSERT took 3.9 s where it takes 0.3, and opening them again had not ended after 5 minutes. Such a plan is kept as
    long as the session, or until the table is analysed.

    One that somebody is analysing is passed by, and so is one that this role of the database may not analyse.
    """
    wanted: Mapping[str, int] = {table: n for table, n in n_rows.items() if n >= FEW}
    if not wanted:
        return
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, [list(wanted)])
        small = sorted(table for table, n_known in cursor.fetchall() if n_known < wanted[table])
        if small:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(small)}")
            log.info("Analysed %s: the planner took them for smaller than they are", ", ".join(small))
