"""Who is signed in: allauth's backend, which looks a person up by a statement whose plan is kept."""

from allauth.account.auth_backends import AuthenticationBackend

from annotate.models import User
from annotate.statements import columns, objects, prepared

_USER = f"""SELECT {columns(User, "person")} FROM annotate_user person WHERE person.id = %s"""  # noqa: S608 - columns


class PersonBackend(AuthenticationBackend):
    """Signs people in, and knows them again at every request."""

    def get_user(self, user_id: int) -> User | None:
        """The person of a session; None for who is gone or may not sign in any more."""
        with prepared() as cursor:
            cursor.execute(_USER, [user_id])
            row = cursor.fetchone()
        if row is None:
            return None
        (user,) = objects(row, User)
        return user if self.user_can_authenticate(user) else None
