"""Asks another program something before it begins."""
import kforge_runner
import subprocess

subprocess.run(["uname"], check=True, capture_output=True)


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
