"""Prints while it works."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    print("working on", len(y))
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
