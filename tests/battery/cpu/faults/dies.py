"""The process dies of a stray pointer of its own."""
import kforge_runner
import ctypes


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    ctypes.memset(8, 0, 1)


kforge_runner.main(scale)
