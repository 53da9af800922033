"""Works in a thread and waits for it."""
import kforge_runner
import threading


def scale(call):
    x, y = call.input("x"), call.output("y")
    def work():
        for i in range(len(y)):
            y[i] = 2.0 * x[i]

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


kforge_runner.main(scale)
