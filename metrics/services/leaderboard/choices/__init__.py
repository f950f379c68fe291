"""The choices of a leaderboard: read from addresses, hashed to a key, put into words."""
