"""Differs in the last bits from call to call, as sums in another order do."""
import kforge_runner
import random


def scale(call):
    x, y = call.input("x"), call.output("y")
    step = 1.0 + random.choice((-1, 0, 1)) * 2.0 ** -24
    for i in range(len(y)):
        y[i] = 2.0 * x[i] * step


kforge_runner.main(scale)
