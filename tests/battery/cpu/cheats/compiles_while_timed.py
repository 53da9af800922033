"""Puts a new compiled kernel into its cache once it is timed."""
import kforge_runner
import os
import pathlib

CALLS = 0


def scale(call):
    global CALLS
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    CALLS += 1
    if CALLS == 60:
        pathlib.Path(os.environ["TRITON_CACHE_DIR"], "late.hsaco").write_bytes(b"code")


kforge_runner.main(scale)
