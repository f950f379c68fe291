"""Who is switched off sees nothing, whatever she was, though somebody holds her session."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from annotate import access
from annotate.models import Role
from tests import cast

pytestmark = pytest.mark.django_db


def test_nobody_is_an_annotator_and_has_no_annotators_and_no_keys(collection):
    with pytest.raises(Http404):
        access.get_annotator(user=AnonymousUser(), slug=collection.slug)
    with pytest.raises(Http404):
        access.get_token(user=AnonymousUser(), pk=1)
    for slug in ("", collection.slug):
        with pytest.raises(Http404):
            access.own_annotators(user=AnonymousUser(), slug=slug)


@pytest.mark.parametrize("is_admin", [True, False])
def test_whose_account_is_switched_off_has_no_collections_and_makes_none(collection, is_admin):
    person = cast.member(collection, Role.LEAD, cast.user(is_superuser=is_admin))
    assert list(access.collections_of(user=person)) == [collection]
    person.is_active = False
    assert not access.collections_of(user=person).exists()
    assert not access.may_make_collections(user=person)
