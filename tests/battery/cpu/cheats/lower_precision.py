"""Computes and keeps the result in 16 bits."""
import kforge_runner
import struct


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = struct.unpack("<e", struct.pack("<e", 2.0 * x[i]))[0]


kforge_runner.main(scale)
