"""The command that forgets a person."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import User
from tests import cast

pytestmark = pytest.mark.django_db


def test_it_wants_a_known_person_and_to_be_meant():
    cast.user("ada")
    with pytest.raises(CommandError, match='no user "eve"'):
        call_command("erase_person", "eve", "--yes")
    with pytest.raises(CommandError, match="Add --yes"):
        call_command("erase_person", "ada")
    assert User.objects.get().username == "ada"


def test_the_person_is_forgotten():
    person = cast.user("ada")
    call_command("erase_person", "ada", "--yes", stdout=StringIO())
    assert User.objects.get().username == f"erased-{person.pk}"
