"""Is right but for one element."""
import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]
    y[len(y) // 3] = 1.5 * y[len(y) // 3] + 1.0


kforge_runner.main(scale)
