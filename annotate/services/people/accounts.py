"""People: their accounts, how they join a collection, and how they are forgotten."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotate.core.labels.pseudonyms import pseudonym
from annotate.models import (
    Annotator,
    ApiToken,
    ClockTimestamp,
    Collection,
    Invitation,
    JudgmentComment,
    Membership,
    Report,
    Role,
    User,
)

# The salt of a demo account's password begins with this, so that any copy of the database tells; a
# later password has another. Twelve letters: in the hash they are sixteen, whatever follows.
DEMO_SALT = "demo-account"
SECOND_CLICK = timedelta(minutes=1)  # within it the same sign-up again is a second click


class InvitationUnusable(Exception):
    """The link was mistyped, used, revoked or has run out; nobody joined."""


class NameTaken(Exception):
    """Somebody took the name at the same moment; no account was made."""


class LastLead(Exception):
    """The collection would be left without a lead; the membership stays."""


class InvitationLink(NamedTuple):
    """An invitation and the token of its link; the token is not kept anywhere."""

    invitation: Invitation
    token: str


class SignUp(NamedTuple):
    """An invitation and the user whose account was made by it."""

    invitation: Invitation
    user: User


@transaction.atomic
def ensure_demo_accounts(*, passwords: dict[str, str]) -> None:
    """Make an account for each user name with its password; "admin" looks after the site."""
    for username, password in passwords.items():
        user, is_new = User.objects.get_or_create(username=username)
        user.is_staff = user.is_superuser = username == "admin"
        if is_new or not user.check_password(password):  # a new hash would end open sessions
            user.password = make_password(password, salt=DEMO_SALT + secrets.token_hex(8))
        user.save()


@transaction.atomic
def join(*, collection: Collection, user: User, role: Role) -> Membership:
    """Give a person a role; an annotator gets her pseudonym, and the same one if she comes back."""
    membership, _ = Membership.objects.get_or_create(
        collection=collection, user=user, role=Role(role)
    )
    if membership.role == Role.ANNOTATOR:
        ensure_annotator(collection=collection, user=user)
    return membership


@transaction.atomic
def leave(*, membership: Membership) -> None:
    """Take a role from a person; an annotator's judgments stay. Raises LastLead."""
    leads = Membership.objects.filter(collection=membership.collection_id, role=Role.LEAD)
    # two leads may remove each other at once
    other_leads = leads.select_for_update().exclude(pk=membership.pk)
    if membership.role == Role.LEAD and not other_leads.exists():
        raise LastLead("This is the collection's only lead; make somebody else a lead first.")
    membership.delete()


@transaction.atomic
def pause_annotator(*, annotator: Annotator) -> bool:
    """Pause an annotator: she gets no more pairs, her held seats expire, her judgments stay.

    False if she was paused before.
    """
    rows = Annotator.objects.filter(pk=annotator.pk, paused_at=None)
    is_new = rows.update(paused_at=ClockTimestamp()) > 0
    annotator.refresh_from_db()
    return is_new


@transaction.atomic
def resume_annotator(*, annotator: Annotator) -> None:
    """Resume a paused annotator."""
    Annotator.objects.filter(pk=annotator.pk).update(paused_at=None)
    annotator.refresh_from_db()


@transaction.atomic
def invite(
    *,
    collection: Collection,
    role: Role,
    by: User,
    email: str = "",
    days: int = 14,
    by_mail: bool = False,
) -> InvitationLink:
    """Make a link by which one person takes this role within some days; only its hash is kept.

    by_mail : the link that works is another one, made when it is sent; see invitation_mail.py
    """
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        collection=collection,
        role=Role(role),
        email=email,
        by_mail=by_mail,
        token_sha256=hash_token(token),
        expires_at=Now() + timedelta(days=days),
        created_by=by,
    )
    invitation.refresh_from_db()
    return InvitationLink(invitation, token)


@transaction.atomic
def invite_several(
    *, collection: Collection, by: User, email: Sequence[str], **fields: Any
) -> list[InvitationLink]:
    """Make a link for each address, as `invite` does; without an address one link."""
    return [
        invite(collection=collection, by=by, email=address, **fields) for address in email or [""]
    ]


def find_invitation(*, token: str) -> Invitation | None:
    """Return the invitation of a link that can still be used, if there is one."""
    usable = Invitation.objects.usable().select_related("collection")
    return usable.filter(token_sha256=hash_token(token)).first()


def open_invitation(*, token: str) -> Invitation:
    """Return the invitation of a link that can still be used. Raises InvitationUnusable."""
    invitation = find_invitation(token=token)
    if invitation is None:
        raise InvitationUnusable(
            "This link was used already, was revoked or has run out; ask for a new one."
        )
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, user: User) -> Invitation:
    """Give a signed-in person the role of an invitation; accepting it again changes nothing.

    Raises InvitationUnusable.
    """
    # lock before reading: two people may open one link
    locked_invitation = (
        Invitation.objects.select_for_update(of=("self",))
        .filter(token_sha256=hash_token(token))
        .first()
    )
    if locked_invitation is not None and locked_invitation.accepted_by_id == user.pk:
        return locked_invitation
    invitation = open_invitation(token=token)
    join(collection=invitation.collection, user=user, role=Role(invitation.role))
    Invitation.objects.filter(pk=invitation.pk).update(
        accepted_by=user, accepted_at=ClockTimestamp()
    )
    invitation.refresh_from_db()
    return invitation


@transaction.atomic
def sign_up(*, token: str, username: str, password: str) -> User:
    """Make an account for an invited person and let her join; nobody else can sign up.

    The caller has checked name and password. The same once more, a moment later or at once, is a
    second click: the account is there, and hers. Raises InvitationUnusable, and NameTaken where
    somebody was quicker with this name.
    """
    if earlier_sign_up := recent_sign_up(token=token, username=username, password=password):
        return earlier_sign_up.user
    email = open_invitation(token=token).email
    if User.objects.filter(email__iexact=email).exists():
        email = ""
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password)
    except IntegrityError:
        raise NameTaken(
            "Somebody has this name; choose another one, or sign in if it is you."
        ) from None
    accept_invitation(token=token, user=user)
    return user


@transaction.atomic
def recent_sign_up(*, token: str, username: str, password: str) -> SignUp | None:
    """Return the sign-up by this link with this name and password a moment ago, if there was one.

    Waits for one under way.
    """
    invitations = Invitation.objects.select_for_update(of=("self",)).filter(
        token_sha256=hash_token(token)
    )
    invitation = invitations.select_related("collection").first()
    if invitation is None or invitation.accepted_by_id is None:
        return None
    new_users = User.objects.filter(
        is_active=True, date_joined__gte=ClockTimestamp() - SECOND_CLICK
    )
    user = new_users.filter(pk=invitation.accepted_by_id, username=username).first()
    return SignUp(invitation, user) if user is not None and user.check_password(password) else None


@transaction.atomic
def revoke_invitation(*, invitation: Invitation) -> None:
    """Make an unused link worthless from now on."""
    Invitation.objects.usable().filter(pk=invitation.pk).update(expires_at=ClockTimestamp())


@transaction.atomic
def erase_oneself(*, user: User) -> None:
    """Forget a person at her own wish.

    Raises LastLead where a collection, or the site, would be left to nobody.
    """
    lead_memberships = (
        Membership.objects.filter(user=user, role=Role.LEAD)
        .select_related("collection")
        .order_by("pk")
    )
    for membership in lead_memberships:
        leads = Membership.objects.filter(collection=membership.collection_id, role=Role.LEAD)
        if not leads.select_for_update().exclude(user=user).exists():
            raise LastLead(
                f"You are the only lead of {membership.collection}; "
                "make somebody else a lead first."
            )
    if (
        user.is_superuser
        and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists()
    ):
        raise LastLead(
            "You are the only one who looks after this site; give it to somebody else first."
        )
    erase_person(user=user)


@transaction.atomic
def erase_person(*, user: User) -> None:
    """Forget a person: account scrubbed, words deleted, annotators cut off; judgments stay."""
    annotators = Annotator.objects.filter(user=user)
    JudgmentComment.objects.filter(judgment__annotator__in=annotators).delete()
    Report.objects.filter(annotator__in=annotators).update(note="")
    annotators.update(user=None)
    Membership.objects.filter(user=user).delete()
    ApiToken.objects.filter(user=user).delete()
    _forget_invitations(user)
    EmailAddress.objects.filter(user=user).delete()  # sign-in keeps a copy
    Authenticator.objects.filter(user=user).delete()
    user.username, user.email = f"erased-{user.pk}", ""
    user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.set_unusable_password()
    user.save()


def _forget_invitations(user: User) -> None:
    """Take her address out of the invitations that she accepted or that were sent to her.

    An open one ends with that. Its link lies in her mailbox: whoever used it would make an account
    for the person who is to be forgotten, and a mail that is still to be sent would have no
    address. To have her back, invite her anew.
    """
    addressed_to_user = Q(email__iexact=user.email) if user.email else Q(pk__in=[])
    Invitation.objects.usable().filter(addressed_to_user).update(expires_at=ClockTimestamp())
    # the database requires an address of mailed invitations; without one it is an ordinary link
    Invitation.objects.filter(addressed_to_user | Q(accepted_by=user)).update(
        email="", by_mail=False
    )


def hash_token(token: str) -> str:
    """Hash of a secret that was shown once; 256 random bits need no salt."""
    return hashlib.sha256(token.encode()).hexdigest()


def ensure_annotator(*, collection: Collection, user: User) -> Annotator:
    """Return, in a transaction, this person's annotator in the collection, made if need be."""
    annotator = Annotator.objects.filter(collection=collection, user=user).first()
    if annotator is not None:
        return annotator
    # no two people take one name
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    key = bytes(collection.key)
    for attempt in count():
        name = pseudonym(key, "user", str(user.pk), str(attempt))
        if not Annotator.objects.filter(collection=collection, pseudonym=name).exists():
            break
    return Annotator.objects.create(
        collection=collection, user=user, origin=Annotator.Origin.PERSON, pseudonym=name
    )
