"""Password hashing as in the product, but quick: slow hashes would take an hour of all tests."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class QuickHasher(Argon2PasswordHasher):
    """Argon2 with the least of work and memory."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
