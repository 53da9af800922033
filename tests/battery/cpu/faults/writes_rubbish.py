"""Outputs are what memory happened to hold."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    for i in range(len(y)):
        y[i] = 1e30 / (i + 1)


kforge_runner.main(scale)
