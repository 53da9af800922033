"""Tries two variants in its first calls and keeps the quicker one."""
import kforge_runner
import time


def multiplies(x, y):
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


def adds(x, y):
    for i in range(len(y)):
        y[i] = x[i] + x[i]


VARIANTS, TRIED = [multiplies, adds], []


def scale(call):
    x, y = call.input("x"), call.output("y")
    if len(TRIED) < 2:
        start = time.perf_counter()
        VARIANTS[len(TRIED)](x, y)
        TRIED.append(time.perf_counter() - start)
    else:
        VARIANTS[TRIED.index(min(TRIED))](x, y)


kforge_runner.main(scale)
