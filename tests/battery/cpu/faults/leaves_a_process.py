"""Starts a process that outlives it."""
import kforge_runner
import subprocess

subprocess.Popen(["sleep", "3600"], start_new_session=True)


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
