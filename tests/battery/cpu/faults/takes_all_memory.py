"""Asks for more memory than there is."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    raise MemoryError("no memory for 2^45 bytes")


kforge_runner.main(scale)
