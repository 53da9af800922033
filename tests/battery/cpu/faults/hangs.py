"""A call that never ends."""
import kforge_runner
import time


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    time.sleep(3600)


kforge_runner.main(scale)
