"""Sign-in by password, second factor or token."""
