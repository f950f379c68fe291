"""Pages of long lists: their rows share what is made for an answer."""

import pytest
from rest_framework.serializers import BaseSerializer

from annotate.models import ApiToken, Role
from annotate.services.review import exclusions
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["annotators", "items", "resolutions", "review-log", "runs"])
def test_a_page_has_as_many_serializers_for_many_rows_as_for_one(
    client, campaign, monkeypatch, name
):
    cast.run(campaign.collection, "second", {}, uploaded_by=campaign.researcher)
    for pair in campaign.collection.pairs.order_by("pk")[:2]:
        exclusions.exclude_pair(pair=pair, by=campaign.lead, reason="nobody can tell")
    cast.member(campaign.collection, Role.RESEARCHER, campaign.lead)
    headers = cast.bearer(campaign.lead, *ApiToken.Scope.values)
    made = []
    initialize = BaseSerializer.__init__

    def noted(serializer, *arguments, **options):
        made.append(type(serializer).__name__)
        initialize(serializer, *arguments, **options)

    monkeypatch.setattr(BaseSerializer, "__init__", noted)

    def serializers_of(page_size):
        made.clear()
        address = f"/api/v1/collections/{campaign.collection.slug}/{name}/"
        answer = client.get(address, {"page_size": page_size}, headers=headers)
        (rows,) = (value for value in answer.json().values() if isinstance(value, list))
        return len(rows), sorted(made)

    serializers_of(1)  # the first request loads all endpoints
    (one, few), (many, as_few) = serializers_of(1), serializers_of(100)
    assert one == 1 < many
    assert few == as_few
