"""The page of the guidelines and the words of levels, which several leads may have open."""

import pytest
from django.db import connection

from annotate.core.levels.scheme_rules import LevelSpec
from annotate.services.collection import collections
from tests.annotate.views.browsing import page, send
from tests.pages import text_of

pytestmark = pytest.mark.django_db
NAMES = {f"name-{grade}": f"Grade {grade}" for grade in range(3)}


def test_words_of_a_level_that_is_replaced_meanwhile_are_refused(client, collection, lead):
    locks = []

    def replace_before_lock(execute, sql, params, many, context):
        if "FOR NO KEY UPDATE" in sql:
            locks.append(sql)
        if locks == [sql]:
            levels = [LevelSpec(1, "Yes"), LevelSpec(0, "No")]
            collections.replace_levels(collection=collection, levels=levels, positive_from=1)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(replace_before_lock):
        answer = send(
            client, "guidelines", collection.slug, status=422, markdown="# Twice", **NAMES
        )
    assert "The scheme has no grade 2." in text_of(answer)
    assert "# Twice</textarea>" in text_of(answer)
    assert collection.guidelines.count() == 1


def test_a_version_that_somebody_saved_meanwhile_is_not_overwritten_unseen(
    client, collection, lead
):
    assert 'name="version" value="1"' in page(client, "guidelines", collection.slug)
    collections.change_guidelines(collection=collection, markdown="# Theirs", by=None)
    fields = {"markdown": "# Ours", **NAMES}
    answer = send(client, "guidelines", collection.slug, status=422, version=1, **fields)
    text = text_of(answer)
    assert "Somebody saved version 2 after this page was loaded: yours was not saved." in text
    assert "# Ours</textarea>" in text
    assert 'name="version" value="2"' in text
    assert collection.guidelines.latest("version").markdown == "# Theirs"
    send(client, "guidelines", collection.slug, version=2, **fields)
    assert collection.guidelines.latest("version").markdown == "# Ours"


def test_two_levels_of_one_name_are_refused_at_the_second(client, collection, lead):
    fields = NAMES | {"name-0": "grade 2 "}
    text = text_of(send(client, "guidelines", collection.slug, status=422, **fields))
    assert 'id="id_name-0_error">Two levels have the same name; every level' in text
    assert 'id="id_name-2_error"' not in text
    assert collection.guidelines.count() == 1
