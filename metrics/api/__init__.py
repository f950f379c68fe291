"""The API of metrics: qrels and analyses."""
