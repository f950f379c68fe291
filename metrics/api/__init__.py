"""The API of metrics: qrels, analyses and diffs of releases."""
