"""Settings of this process's database sessions."""

from django.db import connection


def begin_sessions_with(settings: str) -> None:
    """Apply PostgreSQL settings to each later database session of this process."""
    options = connection.settings_dict["OPTIONS"]
    options["options"] = f"{options.get('options', '')} {settings}".strip()


def keep_to_one_processor() -> None:
    """Keep this process's later statements to one processor each.

    PostgreSQL's processes ignore the niceness of those who ask them.
    """
    begin_sessions_with(
        "-c max_parallel_workers_per_gather=0 -c max_parallel_maintenance_workers=0"
    )
