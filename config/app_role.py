"""The database role of web servers and workers: it reads and writes rows, but alters no table."""

from django.db import connection, transaction
from psycopg import sql

NAME = "assayer_app"
# the first version of PostgreSQL where a role may analyse others' tables
MAINTAIN_VERSION = 170_000
# The planner needs statistics of tables that a pool or an import filled:
# annotate.services.storage.planner_statistics.
ANALYSE_GRANTS = (
    "GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT MAINTAIN ON TABLES TO {role}",
)
GRANTS = (
    "GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {role}",
    "GRANT USAGE ON SCHEMA public TO {role}",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role}",
    "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # for tables of later migrations
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE "
    "ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


@transaction.atomic
def make_app_role(*, password: str, name: str = NAME) -> bool:
    """Make the role, or give an existing one this password and these rights; True if it is new.

    Call it as the role that owns the tables, which must be allowed to make roles.
    """
    role = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT TRUE FROM pg_roles WHERE rolname = %s", [name])
        is_new = cursor.fetchone() is None
        verb = sql.SQL("CREATE" if is_new else "ALTER")
        attributes = (
            "{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION "
            "PASSWORD {}"
        )
        cursor.execute(sql.SQL(attributes).format(verb, role, sql.Literal(password)))
        database = sql.Identifier(connection.settings_dict["NAME"])
        may_analyse = (
            ANALYSE_GRANTS if connection.connection.info.server_version >= MAINTAIN_VERSION else ()
        )
        for statement in (*GRANTS, *may_analyse):
            cursor.execute(sql.SQL(statement).format(database=database, role=role))
    return is_new
