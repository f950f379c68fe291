"""Measures of other tools, as oracles of several tests."""

from ir_measures.measures import Measure, registry


def ir_measure(name: str) -> Measure:
    """The measure of ir_measures with a name such as `AP(rel=2)` or `nDCG(dcg='exp-log2')@10`.

    Their names are Python expressions that make the measure, and its `str`. Their own parser,
    `parse_measure`, needs parts of `ast` that Python 3.14 no longer has.
    """
    measure = eval(name, {"__builtins__": {}}, registry)
    assert isinstance(measure, Measure) and str(measure) == name, f"{name} is called {measure}"
    return measure
