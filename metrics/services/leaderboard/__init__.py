"""The leaderboard and the comparison of two runs, for chosen labels, queries and measures."""
