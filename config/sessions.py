"""Sessions in the database, as Django keeps them; read by a statement whose plan is kept, for every request does."""

from typing import Any

from django.contrib.sessions.backends import db
from django.utils import timezone

from annotate.statements import prepared

_READ = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(db.SessionStore):
    """One person's session."""

    def _validate_session_key(self, key: str | None) -> bool:
        """Whether this can be a session's key: a cookie may hold anything, which the database may not even be asked."""
        return bool(super()._validate_session_key(key)) and str(key).isalnum() and str(key).isascii()

    def load(self) -> dict[str, Any]:
        """What the session holds; nothing where it has ended."""
        with prepared() as cursor:
            cursor.execute(_READ, [self.session_key, timezone.now()])
            row = cursor.fetchone()
        if row is None:
            self._session_key = None
            return {}
        return self.decode(row[0])
