"""Analyses of files of scores: from the table of a file to a result, without a collection."""
