"""Collections, and each change of guidelines and policy as a version."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from annotate.core.levels.scheme_rules import BadScheme, LevelSpec, check_scheme
from annotate.models import Change, Collection, Guidelines, Level, Membership, Policy
from annotate.services.collection import collections
from annotate.services.collection.collections import Wording
from tests import cast

pytestmark = pytest.mark.django_db
LEVELS = [
    LevelSpec(0, "Not relevant", "It does not match."),
    LevelSpec(1, "Relevant", "It matches."),
]


def create(**fields):
    defaults = {
        "name": "Shapes",
        "slug": "shapes",
        "levels": LEVELS,
        "positive_from": 1,
        "guidelines": "# Look",
    }
    return collections.create_collection(**{**defaults, **fields})


def judged(collection):
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at="2026-01-01T00:00Z")


def test_a_new_collection_has_levels_policy_guidelines_and_a_secret_of_its_own():
    collection, other = create(), create(slug="other")
    assert list(collection.levels.values_list("grade", "name", "key")) == [
        (1, "Relevant", "1"),
        (0, "Not relevant", "0"),
    ]
    assert (collection.policies.get().version, collection.guidelines.get().version) == (1, 1)
    assert collection.guidelines.get().wording[0] == {
        "grade": 1,
        "name": "Relevant",
        "sentence": "It matches.",
    }
    assert len(collection.key) == 32
    assert bytes(collection.key) != bytes(other.key)


def test_who_makes_a_collection_leads_and_researches_it():
    person = cast.user()
    create(by=person)
    assert set(Membership.objects.values_list("user", "role")) == {
        (person.pk, "lead"),
        (person.pk, "researcher"),
    }


def test_the_first_policy_is_the_defaults_in_the_papers():
    policy = create().policies.get()
    assert (policy.labels_per_pair, policy.double_share, policy.ceiling) == (1, Decimal("0.1"), 3)
    assert (policy.batch_candidates, policy.gold_positives, policy.gold_negatives) == (18, 1, 1)


def test_a_short_name_taken_is_refused():
    create()
    with pytest.raises(collections.CollectionExists, match="choose another"):
        create(name="Other")
    assert Collection.objects.get().name == "Shapes"


@pytest.mark.parametrize(
    ("levels", "positive_from", "says"),
    [
        (LEVELS[:1], 0, "2 to 7 levels, this one has 1"),
        ([LevelSpec(grade, str(grade)) for grade in range(8)], 1, "this one has 8"),
        ([LevelSpec(1, "a"), LevelSpec(1, "b")], 1, "same grade"),
        ([LevelSpec(0, "a", key="x"), LevelSpec(1, "b", key="x")], 1, "same key"),
        ([LevelSpec(0, "a"), LevelSpec(101, "b", key="x")], 101, "between 0 and 100"),
        (LEVELS, 0, "above the lowest"),
        (LEVELS, 2, "above the lowest"),
    ],
)
def test_levels_that_are_no_scheme_are_refused(levels, positive_from, says):
    with pytest.raises(BadScheme, match=says):
        create(levels=levels, positive_from=positive_from)
    assert not Collection.objects.exists()


def test_seven_levels_are_a_scheme():
    collection = create(
        levels=[LevelSpec(grade, str(grade)) for grade in range(7)], positive_from=3
    )
    assert collection.levels.count() == 7


def test_levels_can_be_replaced_while_nothing_is_judged():
    collection = create()
    collections.replace_levels(
        collection=collection,
        levels=[LevelSpec(grade, f"L{grade}") for grade in range(4)],
        positive_from=2,
    )
    assert (collection.levels.count(), collection.positive_from) == (4, 2)
    assert [row["name"] for row in collection.guidelines.latest("version").wording] == [
        "L3",
        "L2",
        "L1",
        "L0",
    ]


def colours(collection):
    return dict(collection.levels.values_list("name", "colour"))


def test_colours_of_levels_go_by_grade_in_whatever_order_they_are_given():
    rows = [LevelSpec(0, "No"), LevelSpec(2, "Yes"), LevelSpec(1, "Partly")]
    expected = {"Yes": "green", "Partly": "teal", "No": "slate"}
    assert colours(create(levels=rows)) == expected
    assert colours(create(levels=rows[::-1], slug="other")) == expected


def test_a_level_that_gets_another_grade_keeps_its_colour():
    collection = create()
    rows = [LevelSpec(3, "Relevant"), LevelSpec(1, "Partly"), LevelSpec(0, "None at all")]
    for levels in (rows, rows[::-1]):
        collections.change_scheme(collection=collection, levels=levels, positive_from=1, by=None)
        expected = {"Relevant": "green", "Partly": "teal", "None at all": "slate"}
        assert colours(collection) == expected


def test_levels_cannot_be_replaced_once_judged():
    collection = create()
    judged(collection)
    with pytest.raises(collections.SchemeFrozen, match="only their wording"):
        collections.replace_levels(
            collection=collection, levels=[*LEVELS, LevelSpec(2, "More")], positive_from=1
        )
    assert collection.levels.count() == 2


def test_colours_may_change_after_the_first_judgment_without_a_version():
    collection = create()
    collection.levels.update(colour=Level.Colour.SLATE)
    judged(collection)
    levels = [LEVELS[0]._replace(colour="red"), LEVELS[1]._replace(colour="blue")]
    version = collections.change_scheme(
        collection=collection, levels=levels, positive_from=1, by=None
    )
    assert colours(collection) == {"Not relevant": "red", "Relevant": "blue"}
    assert version.version == 1


def test_keys_stay_after_the_first_judgment():
    collection = create()
    judged(collection)
    levels = [LEVELS[0]._replace(key="n"), LEVELS[1]]
    with pytest.raises(collections.SchemeFrozen):
        collections.change_scheme(collection=collection, levels=levels, positive_from=1, by=None)


def test_wording_may_change_as_a_version_after_the_first_judgment():
    collection, person = create(), cast.user()
    judged(collection)
    version = collections.change_guidelines(
        collection=collection,
        markdown="# Look twice",
        wording=[Wording(1, "Matches", "Yes.")],
        by=person,
    )
    assert (version.version, version.by) == (2, person)
    assert version.wording[0] == {"grade": 1, "name": "Matches", "sentence": "Yes."}
    assert Level.objects.get(grade=1).name == "Matches"
    assert Guidelines.objects.get(version=1).wording[0]["name"] == "Relevant"


def test_reasons_may_change_as_a_version_and_without_a_change_there_is_none():
    collection = create()
    offered = [{"name": "does not match", "what": ["colour", "species"]}, "too general"]
    for _ in range(2):
        words = Wording(1, "Relevant", "It shows it.", offered)
        version = collections.change_guidelines(
            collection=collection, markdown="# Look", wording=[words], by=None
        )
    assert version.version == 2
    assert version.wording[0]["reasons"] == collection.levels.get(grade=1).reasons == offered


def test_reasons_that_cannot_be_offered_change_nothing():
    collection = create()
    with pytest.raises(BadScheme, match='Level "Matches" offers the reason "a/b"'):
        words = Wording(1, "Matches", "", ["a/b"])
        collections.change_guidelines(
            collection=collection, markdown="# Look", wording=[words], by=None
        )
    with pytest.raises(BadScheme, match="twice"):
        check_scheme(
            levels=[LevelSpec(0, "No"), LevelSpec(1, "Yes", reasons=["a", "A"])], positive_from=1
        )
    assert (collection.guidelines.count(), collection.levels.get(grade=1).name) == (1, "Relevant")


def test_guidelines_saved_without_a_change_make_no_version():
    collection = create()
    collections.change_guidelines(collection=collection, markdown="# Look", by=None)
    assert collection.guidelines.count() == 1


def test_wording_for_an_unknown_grade_changes_nothing():
    collection = create()
    with pytest.raises(BadScheme, match="no grade 5"):
        collections.change_guidelines(
            collection=collection,
            markdown="new",
            wording=[Wording(1, "Matches"), Wording(5, "?")],
            by=None,
        )
    assert collection.levels.get(grade=1).name == "Relevant"


def test_a_policy_change_is_a_version_and_keeps_what_was_not_named():
    collection, person = create(), cast.user()
    changed = collections.change_policy(
        collection=collection, by=person, labels_per_pair=2, double_share=Decimal("0")
    )
    assert (changed.version, changed.labels_per_pair, changed.batch_candidates, changed.by) == (
        2,
        2,
        18,
        person,
    )
    assert Policy.objects.get(version=1).labels_per_pair == 1


def test_a_new_policy_has_the_moment_at_which_it_was_stored():
    collection = cast.collection("old", at=datetime(2020, 5, 1, tzinfo=UTC))
    policy = collections.change_policy(collection=collection, by=None, ceiling=5)
    assert policy.at.year > 2020


def test_a_policy_saved_without_a_change_makes_no_version():
    collection = create()
    collections.change_policy(
        collection=collection, by=None, labels_per_pair=1, double_share=Decimal("0.1")
    )
    assert collection.policies.count() == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"labels_per_pair": 6},
        {"labels_per_pair": 4, "ceiling": 3},
        {"double_share": Decimal("1.5")},
        {"rule": "loudest"},
        {"lease_minutes": 0},
        {"version": 9},
        {"nonsense": 1},
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(changes):
    collection = create()
    with pytest.raises(collections.BadPolicy):
        collections.change_policy(collection=collection, by=None, **changes)
    assert collection.policies.count() == 1


def test_two_levels_of_one_name_are_no_scheme():
    levels = [LevelSpec(0, "Relevant"), LevelSpec(1, "relevant ")]
    with pytest.raises(BadScheme, match="same name"):
        check_scheme(levels=levels, positive_from=1)


def test_new_words_give_no_two_levels_one_name():
    collection = create()
    low, high = collection.levels.order_by("grade")[:2]
    with pytest.raises(BadScheme, match="same name"):
        collections.change_guidelines(
            collection=collection,
            markdown="",
            wording=[Wording(low.grade, f"{high.name.upper()} ")],
            by=None,
        )
    assert Level.objects.get(pk=low.pk).name == low.name


def test_two_levels_exchange_their_names():
    collection = create()
    low, high = collection.levels.order_by("grade")[:2]
    wording = [Wording(low.grade, high.name), Wording(high.grade, low.name)]
    collections.change_guidelines(collection=collection, markdown="", wording=wording, by=None)
    assert Level.objects.get(pk=low.pk).name == high.name


def test_another_grouping_of_queries_is_told_to_metrics_and_the_same_one_is_not():
    collection = create()
    assert collection.query_groups == Collection.Grouping.REFERENCE
    for grouping in ("none", "column", "reference"):
        before = Change.objects.count()
        assert collections.change_query_groups(collection=collection, query_groups=grouping)
        assert not collections.change_query_groups(collection=collection, query_groups=grouping)
        assert Collection.objects.get().query_groups == grouping
        assert list(Change.objects.order_by("pk").values_list("collection", "pair"))[before:] == [
            (collection.pk, None)
        ]


def test_an_unknown_grouping_is_an_error_and_changes_nothing():
    collection = create()
    with pytest.raises(ValueError, match="moon"):
        collections.change_query_groups(collection=collection, query_groups="moon")
    assert not Change.objects.exists()
