"""Around the applications: sessions, cache, uploads, outages, headers, media stores, admin."""
