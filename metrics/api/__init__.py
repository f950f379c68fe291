"""The API of metrics: numbers, qrels, analyses, releases and what changed between them."""
