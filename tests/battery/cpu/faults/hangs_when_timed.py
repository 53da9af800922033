"""A call that never ends, once calls come in numbers."""
import kforge_runner
import time

CALLS = 0


def scale(call):
    global CALLS
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    CALLS += 1
    if CALLS > 200:
        time.sleep(3600)


kforge_runner.main(scale)
