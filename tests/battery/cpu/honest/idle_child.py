"""Has a helper process that sleeps and goes with it."""
import kforge_runner
import os
import time

if os.fork() == 0:
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.02)
    os._exit(0)


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
