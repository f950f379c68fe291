"""Records are made of JSON: moments, nulls, what a newer or an older site says."""

import sys
from datetime import UTC, datetime

import pytest

from assayer.client.errors import AssayerError
from assayer.client.records.jobs import Job
from assayer.client.records.numbers import WholeAnalysis
from assayer.client.records.record import Records
from assayer.client.records.review import Alarm

MOMENT = "2024-05-31T14:00:00.250Z"
JOB = {
    "id": 3,
    "url": "/api/v1/jobs/3/",
    "kind": "release",
    "state": "running",
    "is_finished": False,
    "progress": {"done": 1, "total": None, "unit": "rows", "seconds_left": None, "at": MOMENT},
    "error": "",
    "asked_at": MOMENT,
    "finished_at": None,
}


def test_a_record_has_moments_records_and_none():
    job = Job.of(JOB)
    assert job.asked_at == datetime(2024, 5, 31, 14, 0, 0, 250_000, tzinfo=UTC)
    assert (job.progress.unit, job.progress.total, job.finished_at) == ("rows", None, None)
    assert job == Job.of(dict(JOB)) and job != Job.of(JOB | {"id": 4})
    with pytest.raises(AttributeError):
        job.id = 4


def test_fields_of_a_newer_site_are_in_the_json():
    job = Job.of(JOB | {"mood": "calm"})
    assert job.json["mood"] == "calm" and not hasattr(job, "mood")


def test_a_field_that_an_older_site_lacks_is_told():
    with pytest.raises(AssayerError, match="no field kind: its version and the client's differ"):
        Job.of({name: value for name, value in JOB.items() if name != "kind"})


def test_lists_hold_records():
    event = {
        "id": 1,
        "alarm": 1,
        "description": "",
        "kind": "rose",
        "annotator": None,
        "value": 0.5,
        "n": 9,
        "reading": "",
        "at": MOMENT,
    }
    values = {"id": 1, "url": "", "kind": "alpha", "below": 0.6, "n_at_least": 9}
    values |= {"description": "", "state": "up", "raised_by": [event], "created_at": MOMENT}
    assert Alarm.of(values).raised_by[0].at.year == 2024


def test_records_become_tables():
    frame = Records([Job.of(JOB), Job.of(JOB | {"id": 4})]).to_pandas()
    assert frame["id"].tolist() == [3, 4]
    assert Job.of(JOB).to_pandas()["kind"].tolist() == ["release"]


def test_an_analysis_is_a_table_by_the_keys_of_its_columns():
    columns = [{"key": "n"}, {"key": "share"}]
    values = dict.fromkeys(WholeAnalysis.__dataclass_fields__) | {
        "columns": columns,
        "rows": [[1, 0.5], [2, None]],
    }
    frame = WholeAnalysis.of(values).to_pandas()
    assert frame.columns.tolist() == ["n", "share"] and frame["n"].tolist() == [1, 2]


def test_without_pandas_a_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(AssayerError, match="needs pandas, which is not installed"):
        Job.of(JOB).to_pandas()
