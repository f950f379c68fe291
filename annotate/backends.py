"""allauth's sign-in backend, which looks a person up by a prepared statement."""

from allauth.account.auth_backends import AuthenticationBackend

from annotate.models import User
from annotate.statements import columns, objects, prepared_cursor

_USER = f"""SELECT {columns(User, "person")} FROM annotate_user person WHERE person.id = %s"""  # noqa: S608 - columns


class PersonBackend(AuthenticationBackend):
    """Signs people in, and finds the person of each request's session."""

    def get_user(self, user_id: int) -> User | None:
        """Return the person of a session; None if the account is gone or may no longer sign in."""
        with prepared_cursor() as cursor:
            cursor.execute(_USER, [user_id])
            row = cursor.fetchone()
        if row is None:
            return None
        (user,) = objects(row, User)
        return user if self.user_can_authenticate(user) else None
