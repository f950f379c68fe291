"""The wiring of the product: settings, addresses, Celery, embedded servers.

It is loaded before numpy and its like, in every process that has settings.
"""

import gc
import os

# Several processes share the machine's processors; threads of OpenBLAS would wait by spinning.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Loading makes 140,000 lasting objects; at Python's default of 700 they are scanned over and over.
gc.set_threshold(20_000, 10, 10)
