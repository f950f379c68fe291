"""Webhooks with their deliveries, and receipts of requests: the rows behind programs."""
