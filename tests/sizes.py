"""Pytest plugin: the three sizes of a test run, and a summary of omitted tests and resources.

Loaded by `-p tests.sizes`. CONTRIBUTING.md says what belongs to which size.
"""

import resource
import sys
from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.charmap import charmap_file
from hypothesis.internal.conjecture import providers
from xdist.workermanage import WorkerController

from config.testing import BROWSER_FIXTURES, quietly

PRODUCT_FIXTURES = {"live_stack", "fault_stack"}  # they start the product itself
FEWEST = 10  # cases of a property
WHOLE = 100  # percent of the cases that a property asks for
# percent of a property's cases that each size tries
SHARES = {"default": 10, "full": 30, "heavy": 20 * WHOLE}
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)  # what is slow depends on the machine
TABLES = (
    "from hypothesis.internal import charmap; charmap.charmap(); "
    "charmap.intervals_from_codec('utf-8')"
)
LEFT_OUT = pytest.StashKey[Counter[str]]()
PEAKS = pytest.StashKey[list[int]]()
WHY = {
    "--no-browser": "in a browser (--no-browser)",
    "--full": "of --full, which starts processes, goes on for long and sees pages in further looks",
    "--heavy": "of --heavy, which measures, and attacks for long",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    group = parser.getgroup("assayer")
    group.addoption(
        "--no-browser", action="store_true", help="leave out the tests that need a browser"
    )
    group.addoption(
        "--full", action="store_true", help="start the product too, see every page in every look"
    )
    group.addoption(
        "--heavy",
        action="store_true",
        help="all that --full runs, and measurements and long attacks",
    )
    group.addoption(
        "--first-failure",
        action="store_true",
        help="only see whether something fails: tests in the order named, no smaller case sought",
    )
    group.addoption(
        "--share",
        type=float,
        default=1,
        help="of the sizes that the scorecard wants of what it measures",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name our markers, and let the larger size hold the smaller one."""
    config.addinivalue_line(
        "markers", "full: starts processes, goes on for long or sees more looks; run with --full"
    )
    config.addinivalue_line("markers", "heavy: a measurement or a long attack; run with --heavy")
    config.option.full |= config.option.heavy
    size = "heavy" if config.option.heavy else "full" if config.option.full else "default"
    unwanted_phases = [Phase.shrink, Phase.explain] if config.option.first_failure else []
    # the same examples in every run but the heavy one, which is to find new ones
    for name, share in SHARES.items():
        settings.register_profile(  # percents, of which share_of makes a number
            name,
            max_examples=share,
            derandomize=name != "heavy",
            deadline=None,
            phases=[phase for phase in Phase if phase not in unwanted_phases],
            suppress_health_check=SLOW,
        )
    settings.load_profile(size)
    # else some examples are literals of whatever modules are loaded, not the same in all runs
    if size != "heavy":
        providers.is_local_module_file = lambda _: False
    config.stash[LEFT_OUT], config.stash[PEAKS] = Counter(), []


@pytest.hookimpl(trylast=True)  # Hypothesis wants its folder left alone before
def pytest_sessionstart() -> None:
    """Have Hypothesis make its character tables, once a machine, in a process apart: 200 MiB."""
    if not charmap_file().exists():
        quietly(sys.executable, "-c", TABLES)


def share_of(n: int) -> int:
    """A tenth of n, but ten at least; 30 % with `--full`, and twenty times n with `--heavy`."""
    return max(min(n, FEWEST), n * settings.default.max_examples // WHOLE)


def cases(n: int) -> settings:
    """Hypothesis settings for a property of n cases, of which each size tries its share."""
    return settings(max_examples=share_of(n))


def seeds(n: int, *, by_default: int) -> list[object]:
    """The first seeds of those that `--full` tries, for parametrize."""
    return [
        seed if seed < by_default else pytest.param(seed, marks=pytest.mark.full)
        for seed in range(n)
    ]


@pytest.hookimpl(trylast=True)  # after -k, whose deselected tests are not counted here
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that this size leaves out, and begin with the longest."""
    options = [option_for(item, config) for item in items]
    left_out = [item for item, option in zip(items, options, strict=True) if option]
    config.stash[LEFT_OUT].update(option for option in options if option)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item, option in zip(items, options, strict=True) if not option]
    if config.getoption("--first-failure"):
        position = {name: i for i, name in enumerate(config.args)}
        items.sort(key=lambda item: position.get(item.nodeid, -1))
    else:
        items.sort(key=rank)  # so that no process waits at the end; modules keep their order


def rank(item: pytest.Item) -> int:
    """Order of a test: shared product, real data, other products, then browsers, then the rest.

    A process that has finished takes over tests from the end of another's list, and sets up their
    shared fixtures anew: so these come first, and one process has the running product and each set
    of real data.
    """
    fixtures = set(getattr(item, "fixturenames", ()))
    if "live_stack" in fixtures:
        return 0
    if item.path.parent.name == "real":
        return 1
    if item.get_closest_marker("full") or PRODUCT_FIXTURES & fixtures:
        return 2
    return 3 if BROWSER_FIXTURES & fixtures else 4


def option_for(item: pytest.Item, config: pytest.Config) -> str:
    """The option that leaves a test out, "" where it is run."""
    fixtures = set(getattr(item, "fixturenames", ()))
    if config.getoption("--no-browser") and BROWSER_FIXTURES & fixtures:
        return "--no-browser"
    if item.get_closest_marker("heavy"):
        return "" if config.getoption("--heavy") else "--heavy"
    if item.get_closest_marker("full") or PRODUCT_FIXTURES & fixtures:
        return "" if config.getoption("--full") else "--full"
    return ""


def peak() -> int:
    """The most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report a pytest-xdist process's omitted tests (each collects all tests) and peak memory."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput.update(
            left_out=dict(session.config.stash[LEFT_OUT]), peak=peak()
        )


@pytest.hookimpl(optionalhook=True)  # pytest-xdist's own
def pytest_testnodedown(node: WorkerController) -> None:
    """Store a process's omitted tests and peak memory."""
    output = getattr(node, "workeroutput", {})
    if output:  # a dead process has none
        node.config.stash[LEFT_OUT] = Counter(output["left_out"])
        node.config.stash[PEAKS].append(output["peak"])


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print the omitted and skipped tests, and the seconds and memory that the tests took."""
    for option, n in sorted(config.stash[LEFT_OUT].items()):
        terminalreporter.write_line(f"Left out: {tests(n)} {WHY[option]}.")
    skipped = Counter(report.longrepr[2] for report in terminalreporter.getreports("skipped"))
    for reason, n in sorted(skipped.items()):
        terminalreporter.write_line(f"Skipped: {tests(n)}. {reason.removeprefix('Skipped: ')}.")
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    seconds = sum(getattr(report, "duration", 0) for report in reports)
    terminalreporter.write_line(f"The tests' own seconds, added up: {seconds:.0f}.")
    terminalreporter.write_line(
        f"The largest process of the tests took {max([peak(), *config.stash[PEAKS]])} MiB."
    )


def tests(n: int) -> str:
    """A number of tests in words."""
    return "1 test" if n == 1 else f"{n} tests"
