"""Values that are computed when somebody looks.

To see these tests fail: let `_is_fresh` ignore the version or `fresh_until`; let `look` send
its signal whenever a value is old; let `compute` go on without its lock.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from annotate.models import Kept
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from tests import cast, works
from tests.servers.databases import closing_connections

HOUR = timedelta(hours=1)


class Lengths:
    """A kind of value that is there for the tests: the length of a word, at a version they set."""

    def __init__(self):
        self.version = "1"
        self.n_computed = 0
        self.inputs = ""
        self.error = None

    def version_of(self, inquiry):
        return self.version

    def compute(self, inquiry, last):
        self.n_computed += 1
        if self.error is not None:
            raise self.error
        if last is not None and self.inputs and last.digest == self.inputs:
            return None
        return Computed(len(inquiry.key), digest=self.inputs)


@pytest.fixture
def lengths(monkeypatch):
    monkeypatch.setattr(kept, "KINDS", dict(kept.KINDS))
    return Lengths()


@pytest.fixture
def requests():
    with works.value_requests() as inquiries:
        yield inquiries


def keep(lengths, **options):
    kept.keeps("length", version=lengths.version_of, **options)(lengths.compute)


def word(text="word", collection=None):
    return Inquiry(collection or cast.collection(), "length", text)


@pytest.mark.django_db
def test_of_all_who_look_at_a_missing_value_one_has_it_computed(lengths, requests):
    keep(lengths)
    inquiry = word()
    assert not kept.is_requested(inquiry=inquiry)
    looks = [kept.look(inquiry=inquiry) for _ in range(3)]
    assert [(look.row, look.is_fresh) for look in looks] == [(None, False)] * 3
    assert requests == [inquiry] and kept.is_requested(inquiry=inquiry)
    assert kept.compute(inquiry=inquiry) is True
    assert not kept.is_requested(inquiry=inquiry)
    look = kept.look(inquiry=inquiry)
    assert (look.row.value, look.version, look.is_fresh) == (4, "1", True)
    assert requests == [inquiry]


@pytest.mark.django_db
def test_a_value_of_another_version_is_shown_until_there_is_a_newer_one(lengths, requests):
    keep(lengths)
    inquiry = word()
    kept.compute(inquiry=inquiry)
    assert kept.compute(inquiry=inquiry) is False
    lengths.version = "2"
    look = kept.look(inquiry=inquiry)
    assert (look.row.value, look.row.version, look.version) == (4, "1", "2")
    assert not look.is_fresh
    assert requests == [inquiry]
    assert kept.compute(inquiry=inquiry) is True
    look = kept.look(inquiry=inquiry)
    assert look.row.version == look.version == "2"
    assert lengths.n_computed == 2


@pytest.mark.django_db
def test_a_message_that_was_lost_is_sent_again(lengths, requests, monkeypatch):
    lifetimes = []
    add = cache.add
    monkeypatch.setattr(
        cache, "add", lambda *args, timeout: lifetimes.append(timeout) or add(*args, timeout)
    )
    keep(lengths, request_lasts=timedelta(seconds=7))
    inquiry = word()
    kept.look(inquiry=inquiry)
    cache.clear()  # as if the seconds were over
    kept.look(inquiry=inquiry)
    assert requests == [inquiry] * 2 and lifetimes == [7, 7]


@pytest.mark.django_db
def test_an_error_is_told_and_for_a_while_nobody_has_the_value_computed_again(lengths, requests):
    keep(lengths, request_lasts=HOUR)
    inquiry = word()
    kept.look(inquiry=inquiry)
    lengths.error = MemoryError()
    with pytest.raises(MemoryError):
        kept.compute(inquiry=inquiry)
    for _ in range(2):
        assert kept.look(inquiry=inquiry).row is None
        assert progress.job_status(job=inquiry.job).has_failed
    assert requests == [inquiry]
    cache.clear()  # as if the seconds were over
    kept.look(inquiry=inquiry)
    assert requests == [inquiry] * 2
    assert not progress.job_status(job=inquiry.job).has_failed


@pytest.mark.django_db
def test_a_value_that_is_there_after_an_error_ends_the_notice(lengths):
    keep(lengths)
    inquiry = word()
    lengths.error = MemoryError()
    with pytest.raises(MemoryError):
        kept.compute(inquiry=inquiry)
    lengths.error = None
    assert kept.compute(inquiry=inquiry) is True
    assert not progress.job_status(job=inquiry.job).has_failed


@pytest.mark.django_db
def test_nothing_is_computed_where_there_is_no_version_yet(lengths, requests):
    keep(lengths)
    lengths.version = None
    look = kept.look(inquiry=word())
    assert (look.row, look.is_fresh) == (None, True)
    assert kept.compute(inquiry=word()) is False
    assert requests == [] and lengths.n_computed == 0


@pytest.mark.django_db
def test_time_makes_a_value_old_that_no_version_does(lengths):
    keep(lengths, fresh_for=HOUR)
    inquiry = word()
    kept.compute(inquiry=inquiry)
    assert kept.look(inquiry=inquiry).is_fresh
    kept.values_of(inquiry=inquiry).update(fresh_until=timezone.now())
    assert not kept.look(inquiry=inquiry).is_fresh
    assert kept.compute(inquiry=inquiry) is True


@pytest.mark.django_db
@pytest.mark.parametrize("rests", [False, True])
def test_a_value_may_rest_whatever_changes(lengths, requests, rests):
    keep(lengths, rests=rests)
    inquiry = word()
    kept.look(inquiry=inquiry)
    kept.compute(inquiry=inquiry)
    lengths.version = "2"
    look = kept.look(inquiry=inquiry)
    assert not look.is_fresh
    assert len(requests) == (1 if rests else 2)


@pytest.mark.django_db
def test_one_may_look_without_reading_the_value(lengths, django_assert_num_queries):
    keep(lengths)
    inquiry = word()
    kept.compute(inquiry=inquiry)
    with django_assert_num_queries(1):
        look = kept.look(inquiry=inquiry, with_value=False)
        assert look.is_fresh
    with django_assert_num_queries(1):
        assert look.row.value == 4


@pytest.mark.django_db
@pytest.mark.parametrize("with_look", [False, True])
def test_of_a_long_list_only_the_first_rows_may_be_read(lengths, with_look):
    keep(lengths, fresh_for=HOUR)
    inquiry = word()
    whole = {"rows": [[number, None, "a"] for number in range(7)], "spec": {"rows": [1, 2, 3]}}
    kept.store(inquiry=inquiry, computed=Computed(whole), version="1")

    def row_of(most_rows):
        if with_look:
            look = kept.look(inquiry=inquiry, most_rows=most_rows)
            assert look.is_fresh
            return look.row
        return kept.find(inquiry=inquiry, most_rows=most_rows)

    stored = row_of(None)
    for most_rows in (1, 3, 6):
        row = row_of(most_rows)
        first_rows = {"rows": whole["rows"][:most_rows], "n_left_out": 7 - most_rows}
        assert row.value == whole | first_rows
        for name in ("pk", "version", "digest", "computed_at", "fresh_until"):
            assert getattr(row, name) == getattr(stored, name)
    assert [row_of(most_rows).value for most_rows in (7, 8, None)] == [whole] * 3


@pytest.mark.django_db
@pytest.mark.parametrize("value", [{"reason": "none"}, {"rows": []}, {"rows": 3}, {"rows": None}])
def test_a_value_without_a_long_list_is_read_as_it_is(lengths, value):
    keep(lengths)
    inquiry = word()
    assert kept.find(inquiry=inquiry, most_rows=1) is None
    kept.store(inquiry=inquiry, computed=Computed(value))
    assert kept.find(inquiry=inquiry, most_rows=1).value == value


@pytest.mark.django_db
def test_a_value_of_the_same_inputs_stays_and_is_fresh_again(lengths):
    keep(lengths)
    inquiry = word()
    lengths.inputs = "a b"
    kept.compute(inquiry=inquiry)
    kept.values_of(inquiry=inquiry).update(value=-1)
    lengths.version = "2"
    assert kept.compute(inquiry=inquiry) is False
    look = kept.look(inquiry=inquiry)
    assert (look.row.value, look.is_fresh, look.row.version) == (-1, True, "2")


@pytest.mark.django_db
def test_a_computation_says_itself_how_long_its_value_is_fresh(lengths, monkeypatch):
    keep(lengths, fresh_for=HOUR)
    inquiry = word()
    monkeypatch.setattr(
        lengths, "compute", lambda inquiry, last: Computed(0, fresh_for=timedelta(seconds=1))
    )
    keep(lengths, fresh_for=HOUR)
    kept.compute(inquiry=inquiry)
    stored = kept.find(inquiry=inquiry)
    assert stored.fresh_until < timezone.now() + HOUR / 2


@pytest.mark.django_db
def test_old_values_and_more_than_can_be_kept_are_deleted(lengths):
    keep(lengths, drop_after=HOUR, at_most=2)
    collection, other = cast.collection(), cast.collection(slug="other")
    kept.compute(inquiry=word("elsewhere", other))
    for text in ("a", "bc", "def"):
        kept.compute(inquiry=word(text, collection))
    assert sorted(Kept.objects.values_list("key", flat=True)) == ["bc", "def", "elsewhere"]
    Kept.objects.filter(key__in=["bc", "elsewhere"]).update(computed_at=timezone.now() - HOUR)
    kept.drop_old()
    assert list(Kept.objects.values_list("key", flat=True)) == ["def"]


@pytest.mark.django_db
def test_a_value_is_as_old_as_the_rows_it_was_computed_from(lengths, monkeypatch):
    begun = []

    def slow(inquiry, row):
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp() FROM pg_sleep(.01)")
            begun.append(cursor.fetchone()[0])
        return Computed(1)

    monkeypatch.setattr(lengths, "compute", slow)
    keep(lengths, fresh_for=HOUR)
    kept.compute(inquiry=word())
    row = Kept.objects.get()
    assert row.computed_at < begun[0]


@pytest.mark.django_db
def test_a_value_that_is_deleted_while_it_is_computed_is_stored(lengths, monkeypatch):
    plain = lengths.compute

    def meanwhile(inquiry, row):
        Kept.objects.all().delete()
        return plain(inquiry, row)

    monkeypatch.setattr(lengths, "compute", meanwhile)
    keep(lengths)
    inquiry = word()
    kept.compute(inquiry=inquiry)
    lengths.version = "2"
    assert kept.compute(inquiry=inquiry) is True
    assert kept.find(inquiry=inquiry).version == "2"


@pytest.mark.django_db
def test_what_must_be_stored_before_is_stored_whatever_becomes_of_the_value(lengths, monkeypatch):
    prepared = []
    keep(lengths, prepare=prepared.append)
    inquiry = word()
    kept.compute(inquiry=inquiry)
    kept.compute(inquiry=inquiry)
    assert prepared == [inquiry] * 2 and lengths.n_computed == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_do_not_compute_the_same_value_at_once(lengths, monkeypatch):
    begun, seen = Barrier(2, timeout=60), Barrier(2, timeout=60)
    plain = lengths.compute

    def slow(inquiry, last):
        begun.wait()
        seen.wait()
        return plain(inquiry, last)

    monkeypatch.setattr(lengths, "compute", slow)
    keep(lengths)
    inquiry = word()
    with ThreadPoolExecutor() as pool:
        first = pool.submit(closing_connections(kept.compute), inquiry=inquiry)
        kept.look(inquiry=inquiry)
        begun.wait()
        assert kept.compute(inquiry=inquiry) is False
        assert kept.is_requested(inquiry=inquiry), "the other one is not done"
        seen.wait()
        assert first.result(timeout=60) is True
    assert lengths.n_computed == 1 and kept.find(inquiry=inquiry).value == 4
