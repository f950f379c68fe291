"""What waits for leads, pair by pair: inbox, history, adjudication, exclusion, reports."""
