"""Uses a temporary file."""
import kforge_runner
import tempfile


def scale(call):
    x, y = call.input("x"), call.output("y")
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
