"""The site around the applications: sessions, cache, uploads, outages, navigation, sign-in."""
