"""Headings of tables of scores: queries, runs and measures by the words that people use."""

import pytest

from metrics.core.files.score_headings import (
    measures_among,
    names_measures,
    names_queries,
    names_runs,
)


@pytest.mark.parametrize(
    ("words", "of_queries", "of_runs", "of_measures"),
    [
        ("query;Queries;QID;qids;topic;Topics;topic_id;Topic No.;topicnum", True, False, False),
        ("run;RUNS;run_id;runid;Run-Name;name of the run;system;Systems", False, True, False),
        ("model;Models;Model name;method;Methods;team;TEAMS;team/run", False, True, False),
        ("algorithm;approach;system (name)", False, True, False),
        ("measure;Metrics", False, False, True),
        (";name;id;run1;run 1;turn;caption;document;modelling;AP", False, False, False),
    ],
)
def test_a_heading_says_what_it_names(words, of_queries, of_runs, of_measures):
    for heading in words.split(";"):
        answers = names_queries(heading), names_runs(heading), names_measures(heading)
        assert answers == (of_queries, of_runs, of_measures), heading


def test_measures_are_told_by_every_name_that_they_have():
    names = ["C@1", "R@10", "AP", "nDCG@10", "mAP@R", "MedR", "ERR(max_grade=3)@5"]
    names += ["RSUM", "ECCV R-P", "ECCV mAP@R", "1K R@5", "P(rel=2, judged_only=True)@3"]
    assert measures_among(names) == names
    names = ["", " ", "P", "run1", "AP-run", "BM25", "AP (ours)", "sum"]
    assert measures_among(names) == []
