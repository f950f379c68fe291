"""Leads' decisions about annotators' work: verdicts, pauses, withdrawn labels, and their log."""
