"""What wires the product together: settings, addresses, Celery, embedded servers.

It is loaded before what calculates, in every process that has settings.
"""

import gc
import os

# A process is one of several on the machine's processors; the threads of a library of sums would wait by spinning.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Loading makes 140,000 objects that stay. At Python's own 700 they would be looked through again and again.
gc.set_threshold(20_000, 10, 10)
