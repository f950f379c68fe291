"""The head of a data card names the files of each part, in the forms that programs write."""

import pytest
import yaml

from assayer.datasets.card_configs import card_files
from assayer.datasets.data_sets import SourceFault
from metrics.core.releases.yaml_text import yaml_text

HUB = """---
language:
- en
dataset_info:
- config_name: corpus
  features:
  - name: _id
    dtype: string
configs:
- config_name: corpus
  data_files:
  - split: corpus
    path: corpus/corpus-*
- config_name: default
  data_files:
  - split: train
    path: data/train-*
  - split: test
    path:
    - data/test-0.parquet
    - 'data/test-1''s.parquet'
tags:
- config_name: none
---
configs:
- config_name: beneath
"""
LISTS = """---
configs:
  # two short forms
  - config_name: queries
    data_files: "queries.jsonl"
  - config_name: qrels
    data_files:
      - "a.parquet"
      - b.parquet
    default: true
---
"""


def test_cards_of_the_hub_name_files_by_config_and_split():
    assert [tuple(row) for row in card_files(HUB)] == [
        ("corpus", "corpus", "corpus/corpus-*"),
        ("default", "train", "data/train-*"),
        ("default", "test", "data/test-0.parquet"),
        ("default", "test", "data/test-1's.parquet"),
    ]


def test_files_without_a_split_are_of_train_as_the_hub_has_it():
    assert [tuple(row) for row in card_files(LISTS)] == [
        ("queries", "train", "queries.jsonl"),
        ("qrels", "train", "a.parquet"),
        ("qrels", "train", "b.parquet"),
    ]


def test_cards_of_releases_are_read_as_yaml_has_them():
    configs = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/{name}.parquet"}]}
        for name in ("qrels", 'a "word"', "per-query")
    ]
    head = yaml_text({"license": "cc-by-4.0", "configs": configs, "pretty_name": "A"})
    assert yaml.safe_load(head)["configs"] == configs
    assert [tuple(row) for row in card_files(f"---\n{head}---\n# A\n")] == [
        (entry["config_name"], "test", entry["data_files"][0]["path"]) for entry in configs
    ]


@pytest.mark.parametrize("card", ["", "# A title\n", "---\nlicense: mit\n---\nconfigs:\n- a\n"])
def test_a_card_without_configs_names_no_files(card):
    assert card_files(card) == []


def test_lists_in_brackets_are_told():
    card = "---\nconfigs:\n- config_name: a\n  data_files: [a.parquet]\n---\n"
    with pytest.raises(SourceFault, match="on a line of its own"):
        card_files(card)


def test_a_text_in_quotes_that_is_none_is_told():
    with pytest.raises(SourceFault, match="which is no text"):
        card_files('---\nconfigs:\n- config_name: "a\n---\n')
