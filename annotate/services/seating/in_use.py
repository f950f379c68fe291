"""Conditions in SQL that an item or a pair is in use: the opposites of the filters `left_out`."""


def item_in_use(item: str) -> str:
    """The item is retrieved and judged, as `Item.objects.in_use`; of an alias of its table."""
    return f"{item}.split = 'test' AND {item}.excluded_at IS NULL"


def pair_in_use(pair: str) -> str:
    """No lead excluded the pair or one of its items: it is not in `Pair.objects.left_out`.

    pair : its key; the rows of its items are `query` and `document`
    """
    return f"""
        query.excluded_at IS NULL AND document.excluded_at IS NULL
        AND NOT EXISTS (SELECT FROM annotate_pairexclusion exclusion
                        WHERE exclusion.pair_id = {pair})
    """
