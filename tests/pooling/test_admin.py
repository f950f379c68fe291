"""The site's admin may look at runs and pools, and change none of them."""

import pytest
from django.urls import reverse

from tests import cast
from tests.pooling import factories

pytestmark = pytest.mark.django_db


def test_lists_and_rows_open_and_nothing_can_be_added_or_deleted(client, collection, media_root):
    run = factories.run(collection, "a", {0: [1]})
    pool = factories.opened(collection, [run])
    client.force_login(cast.user("root", is_staff=True, is_superuser=True))
    for model, row in (("run", run), ("pool", pool)):
        name = f"admin:pooling_{model}"
        assert client.get(reverse(f"{name}_changelist")).status_code == 200
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert (
            client.post(reverse(f"{name}_change", args=[row.pk]), {"name": "x"}).status_code == 403
        )
        assert client.get(reverse(f"{name}_add")).status_code == 403
        assert client.get(reverse(f"{name}_delete", args=[row.pk])).status_code == 403
