"""Gives NaN, which compares unequal to nothing."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = float("nan")


kforge_runner.main(scale)
