"""The site around the applications: sessions, cache, uploads, outages, headers, media, admin."""
