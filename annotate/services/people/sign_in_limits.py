"""Limits of wrong passwords, so that nobody guesses one and no stranger locks anybody out.

Tries count by (name, address) and by address. Those from many addresses count by name too, but not
in a browser in which the person has signed in before: there her tries count by themselves, whatever
others do elsewhere, or behind the same address. They stand in the database, as the cache may be
emptied, and are forgotten within the hour.
"""

from datetime import timedelta

from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotate.models import SignInTry, User

SHORT, LONG = timedelta(minutes=5), timedelta(hours=1)
# in the short time: tries of a person from an address, or in a browser she has signed in with
PERSON_HERE = 5
# in the long time, so that nobody uses up a person's tries at all addresses from one of them
PERSON_HERE_LONG = 15
ADDRESS, PERSON = 100, 50  # in the long time


class TooManyTries(Exception):
    """The password is not looked at; some minutes later it will be."""


def person_of(*, login: str) -> str:
    """Return the key of the account of a user name or e-mail address; without one, the text."""
    login = login.strip().lower()
    users = User.objects.filter(Q(username__iexact=login) | Q(email__iexact=login) & ~Q(email=""))
    pk = users.order_by("pk").values_list("pk", flat=True).first()
    return f"name {login}" if pk is None else str(pk)


def begin_try(*, person: str, address: str, browser: str) -> SignInTry:
    """Count a try before its password is looked at; `forget_try` if right. Raises TooManyTries.

    person : from person_of
    browser : number of a browser in which this person has signed in before; blank in any other
    """
    hashes = {
        "person": _hash("person", person),
        "address": _hash("address", address),
        "browser": browser,
    }
    sign_in_try = SignInTry.objects.create(**hashes)
    if _is_over_limit(sign_in_try):
        forget_try(sign_in_try=sign_in_try)  # its password is not looked at
        raise TooManyTries
    return sign_in_try


def forget_try(*, sign_in_try: SignInTry) -> None:
    """Delete a try, so that it does not count."""
    SignInTry.objects.filter(pk=sign_in_try.pk).delete()


def forget_person(*, person: str) -> None:
    """Forget the tries of a person who has just set a new password."""
    SignInTry.objects.filter(person=_hash("person", person)).delete()


def sweep() -> None:
    """Delete tries that no longer count."""
    SignInTry.objects.filter(at__lte=Now() - LONG).delete()


def _is_over_limit(sign_in_try: SignInTry) -> bool:
    by_person, from_address, recent = (
        Q(person=sign_in_try.person),
        Q(address=sign_in_try.address),
        Q(at__gt=Now() - SHORT),
    )
    tries = SignInTry.objects.filter(at__gt=Now() - LONG, browser=sign_in_try.browser)
    if sign_in_try.browser:
        counts = tries.filter(by_person).aggregate(
            lately=Count("pk", filter=recent), all=Count("pk")
        )
        return counts["lately"] > PERSON_HERE or counts["all"] > PERSON
    counts = tries.filter(by_person | from_address).aggregate(
        person_here=Count("pk", filter=by_person & from_address & recent),
        person_here_long=Count("pk", filter=by_person & from_address),
        address=Count("pk", filter=from_address),
        person=Count("pk", filter=by_person),
    )
    limits = {
        "person_here": PERSON_HERE,
        "person_here_long": PERSON_HERE_LONG,
        "address": ADDRESS,
        "person": PERSON,
    }
    return any(counts[name] > limit for name, limit in limits.items())


def _hash(kind: str, value: str) -> str:
    return salted_hmac(f"annotate.sign_in_limits.{kind}", value, algorithm="sha256").hexdigest()
