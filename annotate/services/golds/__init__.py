"""Golds and repeats: hidden in batches, checked at the end of each, watched for doubts."""
