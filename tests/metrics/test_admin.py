"""The site's administration of numbers: to look at, not to touch."""

import pytest
from django.test import Client

from metrics.models import Score, Snapshot
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Score, Snapshot])
def test_numbers_can_be_looked_at_and_not_changed(client: Client, model) -> None:
    campaigns.campaign()
    client.force_login(cast.user(is_staff=True, is_superuser=True))
    path = f"/admin/metrics/{model._meta.model_name}/"
    row = model.objects.first()
    assert client.get(path).status_code == 200
    page = client.get(f"{path}{row.pk}/change/")
    assert page.status_code == 200
    assert 'name="_save"' not in page.content.decode()
    assert client.get(f"{path}add/").status_code == 403
    assert client.post(f"{path}{row.pk}/delete/").status_code == 403
