"""Is wrong in every eleventh call, as a race would be."""
import kforge_runner

CALLS = 0


def scale(call):
    global CALLS
    x, y = call.input("x"), call.output("y")
    CALLS += 1
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    if CALLS % 11 == 0:
        y[-1] += 1.0


kforge_runner.main(scale)
