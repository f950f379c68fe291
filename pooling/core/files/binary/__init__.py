"""Similarity matrices and Parquet, the untrusted ones read in a sandbox."""
