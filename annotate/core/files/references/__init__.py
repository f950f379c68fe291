"""Files of reference labels: TREC qrels, tables, lists of captions."""
