"""Leads' work pair by pair: inbox, history, adjudication, exclusion, reports."""
