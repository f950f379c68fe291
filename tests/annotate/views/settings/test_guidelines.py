"""The page of the guidelines and the words of levels, which several leads may have open."""

import pytest
from django.db import connection

from annotate.services.collection import collections
from annotate.services.collection.collections import LevelSpec
from tests.annotate.views.browsing import send
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
