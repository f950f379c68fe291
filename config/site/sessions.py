"""Sessions in Django's table, read by a prepared statement, as every request reads one."""

from typing import Any

from django.contrib.sessions.backends import db
from django.utils import timezone

from annotate.statements import prepared_cursor

_READ = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(db.SessionStore):
    """One person's session."""

    def _validate_session_key(self, key: str | None) -> bool:
        """True if the text may be a session key: the database refuses some texts of cookies."""
        is_long_enough = super()._validate_session_key(key)  # type: ignore[misc]  # not in the stubs
        return bool(is_long_enough) and str(key).isalnum() and str(key).isascii()

    def load(self) -> dict[str, Any]:
        """Return the session's data; an empty dictionary where it has ended."""
        with prepared_cursor() as cursor:
            cursor.execute(_READ, [self.session_key, timezone.now()])
            row = cursor.fetchone()
        if row is None:
            self._session_key = None
            return {}
        return self.decode(row[0])
