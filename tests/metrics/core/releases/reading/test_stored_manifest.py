"""A manifest is read back as it was written, and one of an earlier version with empty fields."""

import json
from datetime import date

import pytest

from metrics.core.releases.manifest import CountsEntry
from metrics.core.releases.reading.stored_manifest import stored_manifest
from tests.metrics.core.releases.samples.manifests import bare_manifest, example_manifest


@pytest.mark.parametrize("make", [example_manifest, bare_manifest])
def test_a_manifest_is_read_back_as_it_was_written(make):
    manifest = make()
    assert stored_manifest(json.loads(manifest.json)) == manifest
    assert stored_manifest(manifest.values) == manifest


def test_fields_that_are_missing_are_empty_and_unknown_ones_are_left_out():
    manifest = stored_manifest({"version": "1.0", "later": 1, "runs": [{"alias": "run-01"}]})
    assert (manifest.version, manifest.title, manifest.released_on) == ("1.0", "", date.min)
    assert manifest.counts == CountsEntry(*[0] * 10)
    assert (manifest.agreement.alpha, manifest.people) == (None, ())
    (run,) = manifest.runs
    assert (run.alias, run.is_named, run.gallery_files) == ("run-01", False, {})
