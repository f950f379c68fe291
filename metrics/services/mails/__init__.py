"""Mails to the leads: about whom guards name, and about alarms that rose."""
