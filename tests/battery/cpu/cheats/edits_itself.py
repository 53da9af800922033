"""Replaces its own source while it is timed."""
import kforge_runner

CALLS = 0


def scale(call):
    global CALLS
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    CALLS += 1
    if CALLS == 60:
        with open("kernels/scale/edits_itself.py", "a") as file:
            file.write("# another program\n")


kforge_runner.main(scale)
