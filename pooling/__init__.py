"""Which pairs are worth judging: runs, rankings, pools, strategies."""
