"""The site's admin may look at rows, and change none of them."""

import pytest
from django.contrib import admin
from django.urls import reverse

from annotate.models import Collection, User
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def site_admin(client):
    person = cast.user("root", is_staff=True, is_superuser=True)
    client.force_login(person)
    return person


def ours():
    return [model for model in admin.site._registry if model._meta.app_label == "annotate"]


def test_every_list_and_every_row_opens_and_shows_no_secret(client, site_admin):
    collection = campaigns.campaign("made").collection
    secrets_ = [bytes(collection.key).hex(), collection.invitations.get().token_sha256]
    for model in ours():
        name = f"admin:annotate_{model._meta.model_name}"
        listed = client.get(reverse(f"{name}_changelist"))
        row = model.objects.first()
        shown = client.get(reverse(f"{name}_change", args=[row.pk])) if row else listed
        assert (listed.status_code, shown.status_code) == (200, 200), model
        assert not any(secret in shown.content.decode() for secret in secrets_)


def test_nothing_can_be_added_changed_or_deleted(client, site_admin):
    collection = campaigns.campaign("made").collection
    for model in ours():
        name = f"admin:annotate_{model._meta.model_name}"
        assert client.get(reverse(f"{name}_add")).status_code == 403
        row = model.objects.first()
        if row:
            assert client.post(reverse(f"{name}_delete", args=[row.pk])).status_code == 403
    client.post(
        reverse("admin:annotate_collection_change", args=[collection.pk]), {"name": "changed"}
    )
    assert Collection.objects.get().name != "changed"


def test_who_is_not_of_the_site_is_kept_out(client):
    client.force_login(cast.user())
    assert client.get(reverse("admin:annotate_collection_changelist")).status_code == 302


def test_an_account_can_be_closed_there(client, site_admin):
    person = cast.user("ada")
    page = client.get(reverse("admin:annotate_user_change", args=[person.pk]))
    fields = {
        name: value
        for name, value in page.context["adminform"].form.initial.items()
        if value is not None
    }
    joined = fields.pop("date_joined")
    del fields["is_active"]
    lists = {"groups": [], "user_permissions": []}
    answer = client.post(
        page.request["PATH_INFO"],
        {
            **fields,
            **lists,
            "date_joined_0": f"{joined:%Y-%m-%d}",
            "date_joined_1": f"{joined:%H:%M:%S}",
            "last_login_0": "",
            "last_login_1": "",
            "is_superuser": "",
            "is_staff": "",
        },
    )
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert not User.objects.get(pk=person.pk).is_active
