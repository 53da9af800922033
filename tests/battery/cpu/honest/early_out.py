"""Leaves out the multiplication where an input is zero."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        value = x[i]
        y[i] = 2.0 * value if value else 0.0


kforge_runner.main(scale)
