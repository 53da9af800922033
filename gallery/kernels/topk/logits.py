"""Logits of which no two in a row are equal, as raw binary32.

A logit has a random sign, one of four exponents and random leading bits of its fraction; the last bits of the fraction are its column. Sizes
are from 0.125 to 2. Among neighbours in value the column decides, so that an order by less than all bits of a value is found.
"""

import os
import random

rows, cols = int(os.environ["KFORGE_PARAM_ROWS"]), int(os.environ["KFORGE_PARAM_COLS"])
column_bits = (cols - 1).bit_length()


def every_element(word):
    """One word in every element of a tensor, as one large number."""
    return int.from_bytes(word.to_bytes(4, "little") * (rows * cols), "little")


# Sign, the low two bits of the exponent, and the fraction without the bits of the column.
free = (1 << 31) | (3 << 23) | ((1 << 23) - (1 << column_bits))
noise = random.Random(int(os.environ["KFORGE_SEED"])).randbytes(4 * rows * cols)
columns = b"".join(column.to_bytes(4, "little") for column in range(cols)) * rows
bits = int.from_bytes(noise, "little") & every_element(free) | every_element(124 << 23) | int.from_bytes(columns, "little")
with open(os.environ["KFORGE_OUT"], "wb") as file:
    file.write(bits.to_bytes(4 * rows * cols, "little"))
