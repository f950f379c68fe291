"""What other tools say, for tests that ask them alike."""

from ir_measures.measures import Measure, registry


def ir_measure(name: str) -> Measure:
    """The measure that ir_measures calls by this name, such as `AP(rel=2)` or `nDCG(dcg='exp-log2')@10`.

    A name of theirs is the Python expression that makes the measure, and what the measure calls itself. Their own
    reader of names, `parse_measure`, asks for parts of `ast` that Python 3.14 has no more.
    """
    measure = eval(name, {"__builtins__": {}}, registry)
    assert isinstance(measure, Measure) and str(measure) == name, f"{name} is called {measure}"
    return measure
