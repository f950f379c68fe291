"""Numbers from the database: refreshed, looked at, downloaded."""
