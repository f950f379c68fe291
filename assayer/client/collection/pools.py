"""Pools and rounds."""

from collections.abc import Sequence
from typing import Any

from assayer.client.collection.part import FOREVER, CollectionPart
from assayer.client.errors import NotFound, Refused
from assayer.client.records.pools import Pool, PoolPreview, Round, WholePool
from assayer.client.records.record import Records
from assayer.client.transport import Call


class Pools(CollectionPart):
    """The pools of a collection: previewed, made, opened, closed."""

    def pools(self, **filters: Any) -> Records[Pool]:
        """The pools; filters are `state`, `name` and `query_set`."""
        return self.listed(Pool, "pools/", filters)

    def pool(self, pool: int | str) -> WholePool:
        """A pool by its id or its name; raises NotFound."""
        return WholePool.of(self.transport.read(self._pool_address(pool)))

    def rounds(self, **filters: Any) -> Records[Round]:
        """The rounds of pools and imports; filters are `kind` and `state`."""
        return self.listed(Round, "rounds/", filters)

    def preview_pool(
        self,
        *,
        strategy: str,
        parameters: dict[str, Any] | None = None,
        runs: Sequence[str] | None = None,
        wait: float = FOREVER,
        **choices: Any,
    ) -> PoolPreview:
        """The pairs and the cost of a pool like this, which is not made.

        The arguments are those of `open_pool`. Raises Refused, NotReady.
        """
        fields = pool_fields(strategy, parameters, runs)
        call = Call(
            "POST", self.address("pools/preview/"), json={**fields, **choices}, is_safe=True
        )
        return self.numbers(PoolPreview, call, wait=wait, title="The pairs of this pool")

    def open_pool(
        self,
        name: str,
        *,
        strategy: str,
        parameters: dict[str, Any] | None = None,
        runs: Sequence[str] | None = None,
        wait: float = FOREVER,
        **choices: Any,
    ) -> WholePool:
        """Make a pool and have it opened; returns it as it is then.

        strategy, parameters : such as depth-k and {"depth": 10}
        runs : their names; without them all that are in use
        wait : seconds to wait; 0 returns at once
        choices : query_set, direction, seed
        Raises Refused, also where its opening fails.
        """
        fields = pool_fields(strategy, parameters, runs)
        pool = WholePool.of(
            self.transport.create(self.address("pools/"), {"name": name, **fields, **choices})
        )
        return self._opened(pool, wait=wait)

    def close_pool(self, pool: int | str, *, wait: float = FOREVER) -> WholePool:
        """Close a pool: nobody is asked for its labels any more."""
        closing = self.transport.create(f"{self._pool_address(pool)}close/")
        return self._opened(WholePool.of(closing), wait=wait)

    def reopen_pool(self, pool: int | str, *, wait: float = FOREVER) -> WholePool:
        """Open a pool again that was closed."""
        reopening = self.transport.create(f"{self._pool_address(pool)}reopen/")
        return self._opened(WholePool.of(reopening), wait=wait)

    def _opened(self, pool: WholePool, *, wait: float) -> WholePool:
        """A pool once its job has ended; raises Refused where that failed."""
        pool = self.awaited(pool, wait=wait, title=f"pool {pool.name}")
        if pool.job is not None and pool.job.state in ("failed", "cancelled"):
            sentence = pool.error or pool.job.error or f"Its job is {pool.job.state}."
            raise Refused(f"Pool {pool.name} is {pool.state}. {sentence}")
        return pool

    def _pool_address(self, pool: int | str) -> str:
        """The address of a pool by its id or its name; raises NotFound."""
        if isinstance(pool, str):
            rows = [row for row in self.pools(name=pool) if row.name == pool]
            if not rows:
                raise NotFound(f"{self.slug} has no pool {pool}.")
            pool = rows[0].id
        return self.address(f"pools/{pool}/")


def pool_fields(
    strategy: str, parameters: dict[str, Any] | None, runs: Sequence[str] | None
) -> dict[str, Any]:
    """The fields of a request of a pool."""
    fields = {"strategy": strategy, "parameters": parameters or {}}
    return fields if runs is None else {**fields, "runs": list(runs)}
