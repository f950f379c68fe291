"""Files of scores, labels, strata and groups, and zip archives of the same bytes each time."""
