"""Reads a file of the tree that nothing was told about, once it is timed."""
import kforge_runner

CALLS = 0


def scale(call):
    global CALLS
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    CALLS += 1
    if CALLS == 60:
        open("kernels/scale/opens_a_file_late.txt").close()


kforge_runner.main(scale)
