"""Webhooks: addresses of receivers, addresses that nothing is sent to, signatures, pauses."""
