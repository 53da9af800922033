#!/usr/bin/env python3
"""How fast `kforge trace FILE` is, against `gzip -dc FILE`, and how much memory it takes.

    trace_speed.py [--kforge BINARY] [--lab FOLDER] [--pairs 15] [--only big_decode,dense,fold] [--fold 12]
                   [--fold-runs 5] [--write]

Three captures:
  big_decode   the lab's largest, 271 MB of JSON       limit: 0.65 of gzip, 64 MB
  dense        about a million events in 300 MB        limit: 1.00 of gzip
  fold         12 times the events of big_decode       limit: 13 times its time, 400 MB (N times the events: N + 1 times)

A pair is `kforge trace FILE > /dev/null` and `gzip -dc FILE > /dev/null`, one after the other in alternating order, each
on a fresh copy of the file with a fresh, empty HOME. The figure is the median of the pairs' ratios. Memory is the largest
resident set of any run (wait4); the kernel counts a child's memory from before its exec too, so this program makes its files
in children, keeps below 20 MB itself, and no figure is below its own size. Made files live in a temporary folder. `--write` puts the table into
docs/measured/trace_speed.md. Exit status: 0 within every limit, 1 not, 2 where nothing was to be measured.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MEGABYTE = 1024 * 1024
LIMITS = {
    "big_decode": {"ratio": 0.65, "megabytes": 64},
    "dense": {"ratio": 1.0, "megabytes": None},
    "fold": {"ratio": 13.0, "megabytes": 400},
}


class Run:
    """One timed child: wall seconds, CPU seconds, peak resident bytes."""

    def __init__(self, command, home):
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": home, "LC_ALL": "C"}
        with open(os.devnull, "wb") as nowhere:
            start = time.perf_counter()
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nowhere, env=environment)
            _, status, usage = os.wait4(child.pid, 0)
            self.wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit("%s: exit %d" % (" ".join(command), child.returncode))
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def fresh(command, capture, scratch):
    """Runs the command on a copy of the capture that no one has read, in a HOME that no one has used."""
    folder = tempfile.mkdtemp(dir=scratch)
    try:
        copy = os.path.join(folder, "capture.json.gz")
        shutil.copyfile(capture, copy)
        home = os.path.join(folder, "home")
        os.mkdir(home)
        return Run(command + [copy], home)
    finally:
        shutil.rmtree(folder)


def pair(kforge, capture, scratch, turn):
    """(kforge, gzip), in an order that alternates."""
    commands = [[kforge, "trace"], ["gzip", "-dc"]]
    runs = {}
    for index in ((0, 1) if turn % 2 == 0 else (1, 0)):
        runs[index] = fresh(commands[index], capture, scratch)
    return runs[0], runs[1]


def against_gzip(name, options, capture, scratch):
    pairs = [pair(options.kforge, capture, scratch, turn) for turn in range(options.pairs)]
    ratios = sorted(mine.wall / theirs.wall for mine, theirs in pairs)
    return {
        "name": name,
        "what": "median of %d pairs" % len(pairs),
        "seconds": statistics.median(mine.wall for mine, _ in pairs),
        "cpu": statistics.median(mine.cpu for mine, _ in pairs),
        "base": statistics.median(theirs.wall for _, theirs in pairs),
        "base_name": "gzip -dc",
        "ratio": statistics.median(ratios),
        "spread": (ratios[0], ratios[-1]),
        "peak": max(mine.peak for mine, _ in pairs),
    }


def against_one(options, one, many, scratch):
    """The folded capture against the single one, alternating."""
    singles, folds = [], []
    for turn in range(options.fold_runs):
        for capture, runs in ((one, singles), (many, folds))[:: 1 if turn % 2 == 0 else -1]:
            runs.append(fresh([options.kforge, "trace"], capture, scratch))
    ratios = sorted(fold.wall / single.wall for fold, single in zip(folds, singles))
    return {
        "name": "fold",
        "what": "median of %d pairs, %d-fold" % (len(folds), options.fold),
        "seconds": statistics.median(run.wall for run in folds),
        "cpu": statistics.median(run.cpu for run in folds),
        "base": statistics.median(run.wall for run in singles),
        "base_name": "big_decode",
        "ratio": statistics.median(ratios),
        "spread": (ratios[0], ratios[-1]),
        "peak": max(run.peak for run in folds),
    }


def counted(kforge, capture):
    """(kernels, their time), the first of each name in the JSON: a fast answer that is wrong is no answer."""
    printed = subprocess.run([kforge, "trace", capture, "--format", "json"], stdout=subprocess.PIPE, check=True).stdout
    found = [re.search(rb'"%s": (\d+)' % name, printed) for name in (b"kernels", b"kernel_sum_ns")]
    return tuple(int(match.group(1)) if match else None for match in found)


def make(script, *arguments):
    """Runs one of the makers and returns what it printed."""
    command = [sys.executable, os.path.join(HERE, script)] + [str(argument) for argument in arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def require(what, found, expected):
    if found != expected:
        raise SystemExit("%s: kforge counts (kernels, ns) %s, expected %s" % (what, found, expected))


def within(row):
    limit = LIMITS[row["name"]]
    megabytes = limit["megabytes"]
    return row["ratio"] <= limit["ratio"] and (megabytes is None or row["peak"] <= megabytes * MEGABYTE)


def table(rows):
    lines = ["| capture | figure | kforge s | CPU s | base | base s | ratio | least–most | limit | peak MB | limit MB | within |",
             "|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---|"]
    for row in rows:
        limit = LIMITS[row["name"]]
        lines.append("| %s | %s | %.3f | %.3f | %s | %.3f | %.3f | %.3f–%.3f | %.2f | %.1f | %s | %s |" % (
            row["name"], row["what"], row["seconds"], row["cpu"], row["base_name"], row["base"], row["ratio"], row["spread"][0],
            row["spread"][1], limit["ratio"], row["peak"] / MEGABYTE, limit["megabytes"] or "–", "yes" if within(row) else "NO"))
    return "\n".join(lines)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as handle:
            names = [line.split(":", 1)[1].strip() for line in handle if line.startswith("model name")]
    except OSError:
        names = []
    return "%s, %d hardware threads, %s" % (names[0] if names else "unknown processor", os.cpu_count() or 0, platform.system())


def version(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()[0]


def page(options, rows):
    given = {"pairs": options.pairs, "only": ",".join(options.only), "fold": options.fold, "fold-runs": options.fold_runs}
    arguments = " ".join("--%s %s" % pair for pair in given.items())
    return """# How fast a capture is read

Made by `python3 benches/trace_speed.py %s`; what is measured, and how, stands at the top of that program.

%s

Machine: %s. %s against %s. Load average before: %s.
""" % (arguments, table(rows), processor(), version([options.kforge, "--version"]), version(["gzip", "--version"]), options.load)


def measure(options, scratch):
    rows = []
    wanted = options.only
    big = os.path.join(options.lab, "captures", "big_decode.json.gz")
    if "big_decode" in wanted:
        rows.append(against_gzip("big_decode", options, big, scratch))
    if "dense" in wanted:
        dense = os.path.join(scratch, "dense.json.gz")
        made = make("make_dense.py", dense, "--calls", options.dense_calls)
        print("dense: %d events, %.0f MB of JSON" % (made["events"], made["json_bytes"] / 1e6), file=sys.stderr)
        require("dense", counted(options.kforge, dense), (made["kernels"], made["kernel_sum_ns"]))
        rows.append(against_gzip("dense", options, dense, scratch))
        os.remove(dense)
    if "fold" in wanted:
        many = os.path.join(scratch, "fold.json.gz")
        size = make("make_fold.py", big, many, "--fold", options.fold)
        print("fold: %.0f MB of JSON" % (size / 1e6), file=sys.stderr)
        kernels, kernel_sum = counted(options.kforge, big)
        require("fold", counted(options.kforge, many), (kernels * options.fold, kernel_sum * options.fold))
        rows.append(against_one(options, big, many, scratch))
    return rows


def captures(text):
    """Names of captures, separated by commas; an unknown name is refused, for it would measure nothing and pass."""
    names = [name for name in text.split(",") if name]
    odd = [name for name in names if name not in LIMITS]
    if odd or not names:
        raise argparse.ArgumentTypeError("%s: not among %s" % (", ".join(odd) or "nothing", ", ".join(LIMITS)))
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kforge", default=os.environ.get("KFORGE") or os.path.join(ROOT, "target", "release", "kforge"))
    parser.add_argument("--lab", default=os.environ.get("KFORGE_LAB") or os.path.join(os.path.dirname(ROOT), "shared", "lab"))
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", type=captures, default=list(LIMITS))
    parser.add_argument("--fold", type=int, default=12)
    parser.add_argument("--fold-runs", type=int, default=5)
    parser.add_argument("--dense-calls", type=int, default=112_500)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.kforge = os.path.abspath(options.kforge)
    LIMITS["fold"]["ratio"] = options.fold + 1.0
    options.load = " ".join("%.2f" % value for value in os.getloadavg())
    with tempfile.TemporaryDirectory(prefix="kforge-bench-") as scratch:
        rows = measure(options, scratch)
    print(table(rows))
    if options.write:
        target = os.path.join(ROOT, "docs", "measured", "trace_speed.md")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as handle:
            handle.write(page(options, rows))
    return 0 if all(within(row) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
