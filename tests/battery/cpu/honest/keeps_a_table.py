"""Keeps a table that does not depend on the inputs."""
import kforge_runner

TABLES = {}


def scale(call):
    x, y = call.input("x"), call.output("y")
    table = TABLES.setdefault("table", [2.0])
    for i in range(len(y)):
        y[i] = table[0] * x[i]


kforge_runner.main(scale)
