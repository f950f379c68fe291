"""Files made in the background: qrels, judgments, scores, bundles."""
