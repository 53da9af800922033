#!/usr/bin/env python3
"""Writes a capture with N times the events of another, with distinct numbers and times.

    make_fold.py IN.json.gz OUT.json.gz [--fold 12]

Copy k of every event has its `ts` moved by k spans of the original and each of its numbers (`correlation`, arrow `id`,
`External id`, `Python id`, `Python parent id`, `Ev Idx`) by k times more than the largest one. Streams: memory does not
grow with the fold. IN must be laid out as Kineto writes it: `"traceEvents": [`, events, `  ],`.
"""

import argparse
import gzip
import re

NUMBERS = re.compile(rb'"(correlation|id|External id|Python id|Python parent id|Ev Idx)": (\d+)')
TIME = re.compile(rb'"ts": (\d+)(?=[.,\s}])')
OPENING = b'"traceEvents": [\n'
CLOSING = b"\n  ],"
PIECE = 1 << 22


def split(text):
    """(head, events, tail) of a capture."""
    start = text.index(OPENING) + len(OPENING)
    end = text.rindex(CLOSING)
    return text[:start], text[start:end], text[end:]


def pieces(events):
    """The events in pieces that end between two lines."""
    at = 0
    while at < len(events):
        end = min(at + PIECE, len(events))
        if end < len(events):
            end = events.rindex(b"\n", at, end) + 1
        yield events[at:end]
        at = end


def fold(source, target, times):
    """Writes the capture; returns the bytes of JSON."""
    with gzip.open(source, "rb") as handle:
        head, events, tail = split(handle.read())
    moments = [int(match.group(1)) for match in TIME.finditer(events)]
    moments = [moment for moment in moments if moment > 0]
    span = max(moments) - min(moments) + 1_000_000
    step = max(int(match.group(2)) for match in NUMBERS.finditer(events)) + 1
    written = len(head) + len(tail)
    with gzip.GzipFile(target, "wb", compresslevel=6, mtime=0) as handle:
        handle.write(head)
        for copy in range(times):
            number = copy * step
            moved = copy * span
            if copy:
                written += handle.write(b",\n")
            for piece in pieces(events):
                if copy:
                    piece = NUMBERS.sub(lambda match: b'"%s": %d' % (match.group(1), int(match.group(2)) + number), piece)
                    piece = TIME.sub(lambda match: b'"ts": %d' % (int(match.group(1)) + moved), piece)
                written += handle.write(piece)
        handle.write(tail)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--fold", type=int, default=12)
    options = parser.parse_args()
    print(fold(options.source, options.target, options.fold))


if __name__ == "__main__":
    main()
