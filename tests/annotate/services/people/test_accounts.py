"""People join, pause, leave and are forgotten."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import is_password_usable
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import (
    Annotator,
    Invitation,
    Judgment,
    JudgmentComment,
    Membership,
    Report,
    Resolution,
    Role,
    User,
)
from annotate.services.judging import judging, reports
from annotate.services.people import accounts
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
PASSWORDS = {
    name: f"{name}-password-{name}" for name in ("annotator", "lead", "researcher", "admin")
}


def invited(role=Role.ANNOTATOR, **fields):
    collection = cast.collection()
    return accounts.invite(
        collection=collection, role=role, by=cast.member(collection, Role.LEAD), **fields
    )


def test_demo_accounts_are_one_a_role_and_only_admin_looks_after_the_site():
    accounts.ensure_demo_accounts(passwords=PASSWORDS)
    assert set(User.objects.values_list("username", "is_superuser")) == {
        ("annotator", False),
        ("lead", False),
        ("researcher", False),
        ("admin", True),
    }
    assert all(
        User.objects.get(username=name).check_password(word) for name, word in PASSWORDS.items()
    )


def test_making_demo_accounts_again_changes_no_hash():
    accounts.ensure_demo_accounts(passwords=PASSWORDS)
    before = set(User.objects.values_list("pk", "password"))
    accounts.ensure_demo_accounts(passwords=PASSWORDS)
    assert set(User.objects.values_list("pk", "password")) == before


def test_a_new_demo_password_replaces_the_old_one():
    accounts.ensure_demo_accounts(passwords={"lead": "old old old old"})
    accounts.ensure_demo_accounts(passwords={"lead": "new new new new"})
    assert User.objects.get().check_password("new new new new")


def test_joining_twice_is_one_membership_and_one_annotator():
    collection, person = cast.collection(), cast.user()
    first = accounts.join(collection=collection, user=person, role=Role.ANNOTATOR)
    assert accounts.join(collection=collection, user=person, role=Role.ANNOTATOR) == first
    assert Annotator.objects.get().user == person


def test_leads_and_researchers_are_no_annotators():
    collection, person = cast.collection(), cast.user()
    accounts.join(collection=collection, user=person, role=Role.LEAD)
    accounts.join(collection=collection, user=person, role=Role.RESEARCHER)
    assert Membership.objects.count() == 2
    assert not Annotator.objects.exists()


def test_a_pseudonym_is_the_same_after_coming_back_and_another_in_another_collection():
    collection, other, person = cast.collection(), cast.collection(), cast.user()
    membership = accounts.join(collection=collection, user=person, role=Role.ANNOTATOR)
    before = Annotator.objects.get().pseudonym
    accounts.leave(membership=membership)
    accounts.join(collection=collection, user=person, role=Role.ANNOTATOR)
    accounts.join(collection=other, user=person, role=Role.ANNOTATOR)
    assert Annotator.objects.get(collection=collection).pseudonym == before
    assert Annotator.objects.get(collection=other).pseudonym != before
    assert re.fullmatch(r"A-[A-Z2-7]{8}", before)


def test_a_pseudonym_already_taken_is_passed_over(monkeypatch):
    collection = cast.collection()
    first, second = cast.user(), cast.user()
    accounts.join(collection=collection, user=first, role=Role.ANNOTATOR)
    first_pseudonym = Annotator.objects.get().pseudonym
    real = accounts.pseudonym
    monkeypatch.setattr(
        accounts,
        "pseudonym",
        lambda key, *seeds: first_pseudonym if seeds[-1] == "0" else real(key, *seeds),
    )
    accounts.join(collection=collection, user=second, role=Role.ANNOTATOR)
    assert Annotator.objects.values("pseudonym").distinct().count() == 2


def test_only_the_hash_of_an_invitation_is_kept():
    invitation, token = invited(email="ada@example.org")
    assert token not in str(Invitation.objects.values().get())
    assert len(token) >= 43
    assert invitation.expires_at > timezone.now() + timedelta(days=13)


def test_an_invited_person_gets_the_role():
    invitation, token = invited()
    person = cast.user()
    accounts.accept_invitation(token=token, user=person)
    assert Membership.objects.filter(
        user=person, role="annotator", collection=invitation.collection
    ).exists()
    assert Annotator.objects.filter(user=person).exists()


def test_accepting_again_changes_nothing():
    _, token = invited()
    person = cast.user()
    first = accounts.accept_invitation(token=token, user=person)
    assert accounts.accept_invitation(token=token, user=person).accepted_at == first.accepted_at


def test_a_link_serves_one_person():
    _, token = invited()
    accounts.accept_invitation(token=token, user=cast.user())
    with pytest.raises(accounts.InvitationUnusable, match="ask for a new one"):
        accounts.accept_invitation(token=token, user=cast.user())


@pytest.mark.parametrize("days", [0, -1])
def test_a_link_that_ran_out_is_refused(days):
    _, token = invited(days=days)
    with pytest.raises(accounts.InvitationUnusable):
        accounts.accept_invitation(token=token, user=cast.user())


def test_a_revoked_link_is_refused():
    invitation, token = invited()
    accounts.revoke_invitation(invitation=invitation)
    with pytest.raises(accounts.InvitationUnusable):
        accounts.open_invitation(token=token)


def test_revoking_a_used_link_takes_nothing_back():
    invitation, token = invited()
    accounts.accept_invitation(token=token, user=cast.user())
    before = Invitation.objects.values().get()
    accounts.revoke_invitation(invitation=invitation)
    assert Invitation.objects.values().get() == before


def test_signing_up_needs_an_invitation():
    with pytest.raises(accounts.InvitationUnusable):
        accounts.sign_up(token="guess", username="mallory", password=cast.PASSWORD)
    assert not User.objects.filter(username="mallory").exists()


def test_who_signs_up_by_invitation_has_the_invited_mail_and_role():
    _, token = invited(email="ada@example.org")
    person = accounts.sign_up(token=token, username="ada", password=cast.PASSWORD)
    assert person.email == "ada@example.org"
    assert person.memberships.get().role == "annotator"
    assert not person.is_superuser


def test_a_mail_somebody_has_already_is_not_taken_over():
    cast.user("first", email="Ada@example.org")
    _, token = invited(email="ada@example.org")
    assert accounts.sign_up(token=token, username="ada", password=cast.PASSWORD).email == ""


def test_a_paused_annotator_goes_on_when_resumed():
    person = cast.annotator(cast.collection())
    accounts.pause_annotator(annotator=person)
    since = person.paused_at
    accounts.pause_annotator(annotator=person)
    assert person.paused_at == since is not None
    accounts.resume_annotator(annotator=person)
    assert person.paused_at is None


def test_the_only_lead_cannot_leave():
    collection = cast.collection()
    cast.member(collection, Role.LEAD)
    with pytest.raises(accounts.LastLead, match="somebody else a lead first"):
        accounts.leave(membership=Membership.objects.get())
    cast.member(collection, Role.LEAD)
    accounts.leave(membership=Membership.objects.first())
    assert Membership.objects.count() == 1


def test_the_last_who_looks_after_the_site_cannot_erase_herself_though_others_once_did():
    last = cast.user(is_superuser=True)
    cast.user(is_superuser=True, is_active=False)
    with pytest.raises(accounts.LastLead, match="only one who looks after this site"):
        accounts.erase_oneself(user=last)
    cast.user(is_superuser=True)
    accounts.erase_oneself(user=last)
    assert not last.is_active


def test_erasing_a_person_keeps_judgments_and_forgets_the_person():
    _, hand_outs = campaigns.collection_with_batch(pairs=2)
    annotator = hand_outs[0].batch.annotator
    person = annotator.user
    User.objects.filter(pk=person.pk).update(
        email="ada@example.org", first_name="Ada", last_login=timezone.now()
    )
    answer = JudgmentAnswer(submission_id=uuid4(), grade=1, comment="I am Ada")
    judging.record_judgment(annotator=annotator, token=hand_outs[0].token, answer=answer)
    reports.report_pair(
        annotator=annotator,
        token=hand_outs[1].token,
        submission_id=uuid4(),
        kind="escalated",
        note="Ada asks",
    )
    before = Judgment.objects.values().get(), list(Resolution.objects.order_by("pk").values())
    person.refresh_from_db()
    accounts.erase_person(user=person)
    assert (
        Judgment.objects.values().get(),
        list(Resolution.objects.order_by("pk").values()),
    ) == before
    assert not JudgmentComment.objects.exists()
    assert Report.objects.get().note == ""
    annotator.refresh_from_db()
    assert annotator.user is None
    row = User.objects.values().get(pk=person.pk)
    assert not is_password_usable(row.pop("password"))  # random letters, which may spell anything
    assert "ada" not in str(row).lower()


def test_an_erased_person_cannot_sign_in(client):
    person = cast.user("ada")
    accounts.erase_person(user=person)
    assert not client.login(username=f"erased-{person.pk}", password=cast.PASSWORD)
    assert not User.objects.get(pk=person.pk).is_active


def test_who_joined_by_a_mailed_invitation_is_erased_and_her_address_stays_nowhere():
    invite = invited(email="ada@example.org", by_mail=True)
    person = accounts.sign_up(token=invite.token, username="ada", password=cast.PASSWORD)
    accounts.erase_person(user=person)
    invite.invitation.refresh_from_db()
    assert (invite.invitation.email, invite.invitation.accepted_by) == ("", person)


def test_invitations_that_an_erased_person_never_accepted_end_and_forget_her_address():
    person = cast.user("ada", email="Ada@example.org")
    for_her = invited(email="ada@example.org", by_mail=True)
    run_out = invited(email="ADA@example.org")
    Invitation.objects.filter(pk=run_out.invitation.pk).update(
        expires_at=timezone.now() - timedelta(days=9)
    )
    for_eve = invited(email="eve@example.org", by_mail=True)
    for_anybody = invited()
    accounts.erase_person(user=person)
    assert not Invitation.objects.filter(email__icontains="ada").exists()
    assert set(Invitation.objects.usable()) == {for_eve.invitation, for_anybody.invitation}
    with pytest.raises(accounts.InvitationUnusable):
        accounts.open_invitation(token=for_her.token)
    run_out.invitation.refresh_from_db()
    assert run_out.invitation.expires_at < timezone.now() - timedelta(days=8)


def test_erasing_somebody_without_an_address_ends_nobodys_invitation():
    invite = invited()
    accounts.erase_person(user=cast.user("ada"))
    assert accounts.open_invitation(token=invite.token) == invite.invitation
