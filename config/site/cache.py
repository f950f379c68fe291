"""The cache: Redis, and a small memory of each process while Redis is away."""

from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django_redis.cache import CONNECTION_INTERRUPTED, RedisCache
from django_redis.exceptions import ConnectionInterrupted
from django_redis.serializers.pickle import PickleSerializer


class UpgradeSafeSerializer(PickleSerializer):
    """Pickles values; one that an older version stored under another class is missing."""

    def loads(self, value: bytes) -> object:
        """Return the value, or None where its class was renamed, moved or given other fields."""
        try:
            return super().loads(value)
        except (AttributeError, ImportError, TypeError):
            return None


class PatientCache(RedisCache):
    """A Redis cache that goes on without Redis.

    The limits on signing in are in the cache. Were it to forget them, anybody could guess passwords
    while Redis is away; were it to refuse, nobody could sign in. The memory keeps the limits per
    process.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.memory = LocMemCache("redis-is-away", {})

    def add(self, key: str, value: object, *args: Any, **kwargs: Any) -> bool:
        """Store a value unless there is one; return whether it was stored."""
        try:
            return bool(self.client.add(key, value, *args, **kwargs))
        except ConnectionInterrupted:
            return self.memory.add(key, value, *args, **kwargs)

    def _get(self, key: str, default: object, version: int | None, client: object) -> object:
        value = super()._get(key, default, version, client)
        return self.memory.get(key, default, version) if value is CONNECTION_INTERRUPTED else value

    def set(self, key: str, value: object, *args: Any, **kwargs: Any) -> bool:
        """Store a value; return whether it was stored."""
        try:
            return bool(self.client.set(key, value, *args, **kwargs))
        except ConnectionInterrupted:
            self.memory.set(key, value, *args, **kwargs)
            return True

    def delete(self, key: str, *args: Any, **kwargs: Any) -> object:
        """Delete a value."""
        try:
            return self.client.delete(key, *args, **kwargs)
        except ConnectionInterrupted:
            return self.memory.delete(key, *args, **kwargs)
