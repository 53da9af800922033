"""Writes lines of its own where answers are due, before the harness has taken the stream over."""
print("loading kernels, please wait", flush=True)

import kforge_runner  # noqa: E402


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
