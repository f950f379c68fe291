"""Files of scores, labels, strata and groups."""
