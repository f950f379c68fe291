"""How often a password may be wrong, so that nobody guesses one and no stranger locks anybody out.

Tries count by (name, address) and by address. Those from many addresses count by name too, but not in a browser in
which the person has signed in before: there her tries count by themselves, whatever others do elsewhere, or behind the
same address. They stand in the database, as the cache may be emptied, and are forgotten within the hour.
"""

from datetime import timedelta

from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotate.models import SignInTry, User

SHORT, LONG = timedelta(minutes=5), timedelta(hours=1)
PERSON_HERE = 5  # in the short time: of a person from an address, or in a browser that knows her
PERSON_HERE_LONG = 15  # in the long time, so that nobody uses up what a person has at all addresses from one of them
ADDRESS, PERSON = 100, 50  # in the long time


class TooManyTries(Exception):
    """The password is not looked at; some minutes later it will be."""


def person_of(*, login: str) -> str:
    """Whom a name or an address of mail stands for: an account, or the text itself where there is none."""
    login = login.strip().lower()
    known = User.objects.filter(Q(username__iexact=login) | Q(email__iexact=login) & ~Q(email=""))
    pk = known.order_by("pk").values_list("pk", flat=True).first()
    return f"name {login}" if pk is None else str(pk)


def begin_try(*, person: str, address: str, browser: str) -> SignInTry:
    """Count a try before its password is looked at; `forget_try` if it is right. Raises TooManyTries.

    person : from person_of
    browser : what tells a browser in which this person has signed in before; blank in any other
    """
    hashed = {"person": _hash("person", person), "address": _hash("address", address), "browser": browser}
    begun = SignInTry.objects.create(**hashed)
    if _is_over_limit(begun):
        forget_try(begun=begun)  # its password is not looked at
        raise TooManyTries
    return begun


def forget_try(*, begun: SignInTry) -> None:
    """Let a try count for nothing."""
    SignInTry.objects.filter(pk=begun.pk).delete()


def forget_person(*, person: str) -> None:
    """Let a person begin anew, who has just set a new password."""
    SignInTry.objects.filter(person=_hash("person", person)).delete()


def sweep() -> None:
    """Delete what counts no more."""
    SignInTry.objects.filter(at__lte=Now() - LONG).delete()


def _is_over_limit(begun: SignInTry) -> bool:
    hers, here, lately = Q(person=begun.person), Q(address=begun.address), Q(at__gt=Now() - SHORT)
    tries = SignInTry.objects.filter(at__gt=Now() - LONG, browser=begun.browser)
    if begun.browser:
        n = tries.filter(hers).aggregate(lately=Count("pk", filter=lately), all=Count("pk"))
        return n["lately"] > PERSON_HERE or n["all"] > PERSON
    n = tries.filter(hers | here).aggregate(
        person_here=Count("pk", filter=hers & here & lately),
        person_here_long=Count("pk", filter=hers & here),
        address=Count("pk", filter=here),
        person=Count("pk", filter=hers),
    )
    limits = {
        "person_here": PERSON_HERE, "person_here_long": PERSON_HERE_LONG, "address": ADDRESS, "person": PERSON,
    }  # fmt: skip
    return any(n[name] > most for name, most in limits.items())


def _hash(what: str, value: str) -> str:
    return salted_hmac(f"annotate.sign_in_limits.{what}", value, algorithm="sha256").hexdigest()
