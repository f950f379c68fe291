"""What wires the product together: settings, addresses, Celery, embedded servers."""
