#!/usr/bin/env python3
"""Compares the oracle's figures of a capture with what `kforge trace CAPTURE --format json` printed.

    compare.py CAPTURE KFORGE_JSON      (KFORGE_JSON may be `-` for standard input)

Prints one line for each difference (field: oracle value, kforge value) and exits 1 on any, 0 on none, 4 where the
oracle cannot parse the capture and 3 where it is no capture.
"""

import json
import sys

import kineto_oracle

LIMIT = 40


class Differences:
    """Lines to print, with a count of those beyond the limit."""

    def __init__(self):
        self.lines = []

    def expect(self, field, oracle, kforge):
        if oracle != kforge:
            self.lines.append("%s: oracle %s, kforge %s" % (field, show(oracle), show(kforge)))

    def add(self, line):
        self.lines.append(line)


def show(value):
    written = json.dumps(value, ensure_ascii=True, default=str)
    return written if len(written) <= 160 else written[:150] + "…(%d)" % len(written)


def get(value, *names):
    for name in names:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def compare_scalars(oracle, data, out):
    for name in ("total", "kernels", "copies", "fills"):
        out.expect("activities.%s" % name, oracle["activities"][name], get(data, "activities", name))
    for name in ("kernel_sum_ns", "activity_sum_ns"):
        out.expect("time.%s" % name, oracle["time"][name], get(data, "time", name))
    for name in kineto_oracle.LINK_CLASSES:
        for part in ("count", "ns"):
            out.expect("links.%s.%s" % (name, part), oracle["links"][name][part], get(data, "links", name, part))


def compare_devices(oracle, data, out):
    mine = {str(row["device"]): row for row in oracle["time"]["devices"]}
    theirs = {}
    for row in get(data, "time", "devices") or []:
        key = str(row.get("device"))
        if key in theirs:
            out.add("time.devices[%s]: twice in kforge" % key)
        theirs[key] = row
    for key in sorted(set(mine) | set(theirs)):
        for part in ("window_ns", "busy_ns", "idle_ns"):
            out.expect("time.devices[%s].%s" % (key, part), get(mine, key, part), get(theirs, key, part))


def compare_kernels(oracle, data, out):
    table = get(data, "tables", "kernels")
    mine = {row["name"]: (row["count"], row["total_ns"]) for row in oracle["rows"]}
    theirs = {}
    for row in get(table, "rows") or []:
        if row["name"] in theirs:
            out.add("tables.kernels[%s]: twice in kforge" % show(row["name"]))
        theirs[row["name"]] = (row["count"], row["total_ns"])
    for name in sorted(set(mine) | set(theirs)):
        out.expect("tables.kernels[%s]" % show(name), mine.get(name), theirs.get(name))
    out.expect("tables.kernels.residual_ns", oracle["residual_ns"], get(table, "residual_ns"))
    out.expect("tables.kernels.whole_ns", oracle["whole_ns"], get(table, "whole_ns"))
    reconcile("kernels", table, "total_ns", out)


def reconcile(name, table, part, out):
    """Rows + residual = whole, whatever the rows are."""
    rows = get(table, "rows")
    if rows is None:
        return
    total = sum(row.get(part) or 0 for row in rows) + (get(table, "residual_ns") or 0)
    if total != get(table, "whole_ns"):
        out.add("tables.%s: rows + residual = %s, whole = %s" % (name, total, show(get(table, "whole_ns"))))


def module_path(row):
    path = row.get("path")
    if isinstance(path, str):
        return tuple(path.split("/"))
    return tuple(path or ())


def compare_modules(oracle, data, out):
    table = get(data, "tables", "modules")
    rows = get(table, "rows") or []
    if oracle is None:
        if rows:
            out.add("tables.modules: oracle none, kforge %d rows" % len(rows))
        return
    mine = {tuple(row["path"]): row for row in oracle["rows"]}
    theirs = {}
    for row in rows:
        path = module_path(row)
        if path in theirs:
            out.add("tables.modules[%s]: twice in kforge" % show("/".join(path)))
        theirs[path] = row
    for path in sorted(set(mine) | set(theirs)):
        field = "tables.modules[%s]" % show("/".join(path))
        if path not in theirs or path not in mine:
            out.expect(field, mine.get(path), theirs.get(path))
            continue
        for part in ("count", "self_ns", "subtree_ns", "type"):
            out.expect("%s.%s" % (field, part), mine[path][part], theirs[path].get(part))
        out.expect("%s.instance" % field, mine[path]["instance"], str(theirs[path].get("instance")))
    out.expect("tables.modules.residual_ns", oracle["residual_ns"], get(table, "residual_ns"))
    out.expect("tables.modules.whole_ns", oracle["whole_ns"], get(table, "whole_ns"))
    reconcile("modules", table, "self_ns", out)


def compare_sources(oracle, data, out):
    table = get(data, "tables", "sources")
    reconcile("sources", table, "ns", out)
    if oracle is None:
        return
    mine = {(row["file"], row["line"], row["function"]): (row["count"], row["ns"]) for row in oracle["rows"]}
    theirs = {}
    for row in get(table, "rows") or []:
        key = (kineto_oracle.INSTALLED.sub("", str(row.get("file"))), row.get("line"), row.get("function"))
        if key in theirs:
            out.add("tables.sources[%s]: twice in kforge" % show(key))
        theirs[key] = (row.get("count"), row.get("ns"))
    for key in sorted(set(mine) | set(theirs), key=str):
        out.expect("tables.sources[%s]" % show(key), mine.get(key), theirs.get(key))
    out.expect("tables.sources.residual_ns", oracle["residual_ns"], get(table, "residual_ns"))
    out.expect("tables.sources.whole_ns", oracle["whole_ns"], get(table, "whole_ns"))


def differences(capture, printed):
    """(exit status, lines)."""
    status, answer = kineto_oracle.answer(capture)
    if status != 0:
        return status, ["not counted: %s" % answer["why"]]
    out = Differences()
    if printed.get("ok") is not True:
        return 1, ["ok: oracle true, kforge %s" % show(printed.get("ok"))]
    data = printed.get("data") or {}
    oracle = answer["data"]
    compare_scalars(oracle, data, out)
    compare_devices(oracle, data, out)
    compare_kernels(oracle["tables"]["kernels"], data, out)
    compare_modules(oracle["tables"]["modules"], data, out)
    compare_sources(oracle["tables"]["sources"], data, out)
    return (1 if out.lines else 0), out.lines


def main(arguments):
    if len(arguments) != 2:
        sys.stderr.write(__doc__)
        return 2
    handle = sys.stdin if arguments[1] == "-" else open(arguments[1], encoding="utf-8")
    with handle:
        printed = json.load(handle)
    status, lines = differences(arguments[0], printed)
    for line in lines[:LIMIT]:
        print(line)
    if len(lines) > LIMIT:
        print("… and %d more" % (len(lines) - LIMIT))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
