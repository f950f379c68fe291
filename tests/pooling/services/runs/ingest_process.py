"""Reads one run in a process of its own, as a worker does, and prints its cost.

Arguments: the run's key, the folder of uploads. Says {"idle", "peak"} in MiB, {"wall", "processor"}
in seconds, and the state the run came to.
"""

import json
import sys
import time
from pathlib import Path

import django
from django.conf import settings


def in_memory(name: str) -> float:
    """MiB that this process has in memory now (VmRSS) or had at most (VmHWM).

    Not getrusage, which goes on counting from the process that started this one.
    """
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)
    )
    return int(line.split()[1]) / 1024


def main() -> None:
    """Read the run."""
    django.setup()
    settings.MEDIA_ROOT = sys.argv[2]
    from annotate import tasks
    from pooling.models import Run

    run = Run.objects.get(pk=int(sys.argv[1]))
    idle, wall, processor = in_memory("VmRSS"), time.perf_counter(), time.process_time()
    tasks.perform_work(work_id=run.work.pk)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    run.refresh_from_db()
    peak = in_memory("VmHWM")
    figures = {
        "idle": idle,
        "peak": peak,
        "wall": wall,
        "processor": processor,
        "state": run.state,
        "report": run.report,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
