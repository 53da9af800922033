#!/usr/bin/env python3
"""Counts a Kineto capture from docs/counting.md alone.

    kineto_oracle.py CAPTURE            prints the figures as JSON, with the names `kforge trace` uses
    kineto_oracle.py --brief CAPTURE    the same without the tables

It is the independent source of right values: whole-document parsing, integers for every time, no shortcut, nothing read
from the product's own code. Files that the standard library's JSON parser does not accept are answered with
{"parsed": false, "why": ...}; the rest of the tests say what may be expected of those.

Exit status: 0 counted, 3 not a capture, 4 not parsed.
"""

import gzip
import json
import os
import re
import sys
import zlib

try:
    import tomllib
except ImportError:  # before Python 3.11: no table of sources
    tomllib = None

INT64_MAX = (1 << 63) - 1
INT64_MIN = -(1 << 63)
DAY_NS = 86_400 * 1_000_000_000
LONGEST_NS = 7 * DAY_NS

CLASSES = {
    "kernel": "kernel",
    "gpu_memcpy": "copy",
    "memcpy": "copy",
    "gpu_memset": "fill",
    "memset": "fill",
    "cuda_runtime": "host",
    "cuda_driver": "host",
    "hip_runtime": "host",
    "runtime": "host",
    "driver": "host",
    "privateuse1_runtime": "host",
    "privateuse1_driver": "host",
    "mtia_runtime": "host",
    "xpu_runtime": "host",
    "cpu_op": "op",
    "operator": "op",
    "user_annotation": "range",
    "python_function": "frame",
}
ACTIVITY_CLASSES = ("kernel", "copy", "fill")
LAUNCHING = ("Launch", "Memcpy", "Memset")
PATH_NAMES = 128
PATH_BYTES = 4096
PATHS_BYTES = 64 << 20
ARROW_CATEGORIES = ("ac2g", "async_cpu_to_gpu", "async")
LINK_CLASSES = ("call", "graph_replay", "before_capture", "missing")

DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")
INTEGER = re.compile(r"[+-]?\d+")
STREAM = re.compile(r"stream\s*([+-]?\d+)", re.IGNORECASE)
MODULE = re.compile(r"nn\.Module: (.+)", re.DOTALL)
FRAME = re.compile(r"(.+)\((\d+)\): (.+)", re.DOTALL)
INSTALLED = re.compile(r".*(?:site-packages/|dist-packages/|lib/python\d+(?:\.\d+)?/)")
FRAMES_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "frames", "python.toml")


class NotParsed(Exception):
    """The standard library cannot read the document."""


class NotACapture(Exception):
    """The document holds no events."""


# ---------------------------------------------------------------------------------------------------- the document


def read_text(path):
    """The capture's bytes, unpacked where they are gzip, as text."""
    with open(path, "rb") as handle:
        raw = handle.read()
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise NotParsed("gzip: %s" % error)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotParsed("utf-8: %s" % error)


def parse_events(text):
    """The list of event objects: from `traceEvents`, from a bare array, or from a run of objects."""
    decoder = json.JSONDecoder(object_pairs_hook=members, parse_float=str, parse_constant=lambda name: None, strict=True)
    start = 0
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    try:
        document, end = decoder.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise NotParsed("json: %s" % error)
    rest = text[end:].strip(" \t\r\n")
    if rest:
        document = parse_run(decoder, text, start)
    if isinstance(document, dict):
        events = document.get("traceEvents")
        if not isinstance(events, list):
            if "ph" in document:
                return [document]
            raise NotACapture("no traceEvents array")
        return [event for event in events if is_event(event)]
    if isinstance(document, list):
        events = [event for event in document if is_event(event) and "ph" in event]
        if not events:
            raise NotACapture("an array without events")
        return events
    raise NotACapture("neither an object nor an array")


class Damaged(dict):
    """An object two or more of whose keys come twice with different values: two events that ran into each other."""


def members(pairs):
    """The object of these pairs: of a key that comes twice the last value counts."""
    value = dict(pairs)
    if len(value) < len(pairs):
        contradicted = {key for key, first in pairs if any(key == other and first != last for other, last in pairs)}
        if len(contradicted) > 1:
            return Damaged(value)
    return value


def is_event(value):
    return isinstance(value, dict) and not isinstance(value, Damaged)


def parse_run(decoder, text, at):
    """`{…}, {…} {…}`: event objects one after another, commas optional."""
    events = []
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at == len(text):
            return events
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise NotParsed("json: %s" % error)
        if not isinstance(value, dict):
            raise NotParsed("json: a run of values that are not objects")
        if is_event(value):
            events.append(value)


# ------------------------------------------------------------------------------------------------------- the values


def nanoseconds(value):
    """Decimal microseconds (number or text) as integer nanoseconds, half to even; None where there is no such number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        result = value * 1000
        return result if INT64_MIN <= result <= INT64_MAX else None
    if not isinstance(value, str):
        return None
    match = DECIMAL.fullmatch(value.strip())
    if not match or not (match.group(2) or match.group(3)):
        return None
    sign, whole, fraction, exponent = match.groups()
    fraction = fraction or ""
    digits = int(whole + fraction or "0")
    scale = int(exponent or 0) - len(fraction) + 3
    if digits == 0:
        return 0
    if scale >= 0:
        if scale > 40:
            return None
        result = digits * 10**scale
    elif -scale > len(whole) + len(fraction) + 1:
        result = 0
    else:
        unit = 10**-scale
        result, rest = divmod(digits, unit)
        if rest * 2 > unit or (rest * 2 == unit and result % 2 == 1):
            result += 1
    if sign == "-":
        result = -result
    return result if INT64_MIN <= result <= INT64_MAX else None


def integer(value):
    """An integer written as a number or as text, else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        text = value.strip()
        if INTEGER.fullmatch(text):
            return int(text)
        match = DECIMAL.fullmatch(text)
        if match and match.group(2) and not match.group(4) and not (match.group(3) or "").strip("0"):
            return int(match.group(1) + match.group(2))
    return None


def identity(value):
    """A process, thread, device or stream: an integer where the text is one (`stream 7` too), else the text."""
    number = integer(value)
    if number is not None:
        return number
    if isinstance(value, str):
        match = STREAM.fullmatch(value.strip())
        if match:
            return int(match.group(1))
        return value
    return None


def text(value):
    """A name; half of a surrogate pair is no character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return ""


class Event:
    """A complete event, or a pair, of one of the classes of the page."""

    __slots__ = ("kind", "name", "pid", "tid", "start", "length", "order", "arguments", "correlation", "device", "stream",
                 "clocked", "placed", "launch", "link")

    def __init__(self, kind, raw, order):
        self.kind = kind
        self.name = text(raw.get("name"))
        self.pid = identity(raw.get("pid"))
        self.tid = identity(raw.get("tid"))
        self.start = nanoseconds(raw.get("ts"))
        self.length = nanoseconds(raw.get("dur"))
        self.order = order
        arguments = raw.get("args")
        self.arguments = arguments if isinstance(arguments, dict) else {}
        self.correlation = integer(self.arguments.get("correlation"))
        self.clocked = False
        self.placed = False
        self.launch = None
        self.link = None

    def set_length(self, length, totals):
        """A length that is negative or absurd is none, and so is one that the sum of its kind so far cannot take."""
        self.length = length if length is not None and 0 <= length <= LONGEST_NS else None
        kind = "activity" if self.kind in ACTIVITY_CLASSES else self.kind
        if kind in totals and self.length is not None:
            if totals[kind] + self.length > INT64_MAX:
                self.length = None
            else:
                totals[kind] += self.length

    @property
    def end(self):
        return self.start + self.length


def collect(raw_events):
    """(events by class, arrows): complete events, pairs closed per process and thread, and the two ends of arrows."""
    found = {"activity": [], "host": [], "op": [], "range": [], "frame": []}
    arrows = {"s": [], "f": []}
    open_pairs = {}
    totals = {"activity": 0, "host": 0}
    for order, raw in enumerate(raw_events):
        phase = raw.get("ph")
        category = raw.get("cat")
        lowered = category.lower() if isinstance(category, str) else ""
        if phase in ("s", "f"):
            if lowered in ARROW_CATEGORIES:
                arrows[phase].append(raw)
            continue
        if phase == "E":
            stack = open_pairs.get((identity(raw.get("pid")), identity(raw.get("tid"))))
            if stack:
                event = stack.pop()
                end = nanoseconds(raw.get("ts"))
                if event is not None and event.start is not None and end is not None:
                    event.set_length(end - event.start, totals)
            continue
        if phase not in ("X", "B"):
            continue
        kind = CLASSES.get(lowered)
        event = Event(kind, raw, order) if kind else None
        if phase == "B":
            open_pairs.setdefault((identity(raw.get("pid")), identity(raw.get("tid"))), []).append(event)
        if event is None:
            continue
        event.set_length(event.length if phase == "X" else None, totals)
        found["activity" if kind in ACTIVITY_CLASSES else kind].append(event)
    return found, arrows


# --------------------------------------------------------------------------------------------------- the activities


def settle_activities(activities, hosts):
    """Devices and streams, clocks that were lost, activities written twice. Returns the activities that count."""
    known = [event.start for event in activities + hosts if event.start]
    lost_clock = bool(known) and min(known) > DAY_NS
    kept = []
    seen = set()
    for event in activities:
        device = event.arguments.get("device")
        event.device = identity(device) if device is not None else event.pid
        stream = event.arguments.get("stream")
        event.stream = identity(stream) if stream is not None else event.tid
        if event.correlation is not None and event.correlation > 0 and event.length:
            key = (event.kind, event.name, event.device, event.stream, event.start, event.length, event.correlation)
            if key in seen:
                continue
            seen.add(key)
        event.clocked = event.start is not None and not (event.start == 0 and lost_clock)
        event.placed = event.clocked and event.length is not None and event.end <= INT64_MAX
        kept.append(event)
    return kept


def devices(activities):
    """Window, busy and idle of each device, over the activities that have a place."""
    by_device = {}
    for event in activities:
        spans = by_device.setdefault(event.device, [])
        if event.placed:
            spans.append((event.start, event.end))
    rows = []
    for device, spans in by_device.items():
        if not spans:
            rows.append({"device": device, "window_ns": None, "busy_ns": None, "idle_ns": None})
            continue
        spans.sort()
        window = max(end for _, end in spans) - spans[0][0]
        busy = 0
        covered = spans[0][0]
        for start, end in spans:
            if end > covered:
                busy += end - max(start, covered)
                covered = end
        rows.append({"device": device, "window_ns": window, "busy_ns": busy, "idle_ns": window - busy})
    return sorted(rows, key=lambda row: str(row["device"]))


# ------------------------------------------------------------------------------------------------------ the launches


def is_launching(host):
    return any(word in host.name for word in LAUNCHING)


def choose_host(hosts, activity):
    """Launching names first; then the latest that starts no later than the activity; then the first in time and file."""
    launching = [host for host in hosts if is_launching(host)]
    pool = launching or hosts
    ordered = sorted(pool, key=lambda host: (host.start is None, host.start or 0, host.order))
    if activity.start is not None:
        before = [host for host in ordered if host.start is not None and host.start <= activity.start]
        if before:
            return next(host for host in before if host.start == before[-1].start)
    return ordered[0]


def link(activities, hosts, arrows):
    """Gives every activity its class, and its launch where it has one."""
    by_number = {}
    by_position = {}
    for host in hosts:
        if host.correlation is not None and host.correlation > 0:
            by_number.setdefault(host.correlation, []).append(host)
        by_position.setdefault((host.pid, host.tid, host.start), []).append(host)
    lowest = min(by_number) if by_number else None
    starts_by_id = {}
    for arrow in arrows["s"]:
        starts_by_id.setdefault(arrow_id(arrow), []).append(arrow_position(arrow))
    ends_by_position = {}
    for arrow in arrows["f"]:
        ends_by_position.setdefault(arrow_position(arrow), []).append(arrow_id(arrow))
    for activity in activities:
        candidates = by_number.get(activity.correlation, [])
        if not candidates and activity.clocked:
            for number in ends_by_position.get((activity.pid, activity.tid, activity.start), []):
                for position in starts_by_id.get(number, []):
                    candidates = candidates + by_position.get(position, [])
        if candidates:
            activity.launch = choose_host(candidates, activity)
            activity.link = "graph_replay" if "GraphLaunch" in activity.launch.name else "call"
        elif lowest is not None and activity.correlation is not None and 0 < activity.correlation < lowest:
            activity.link = "before_capture"
        else:
            activity.link = "missing"


def arrow_id(arrow):
    value = arrow.get("id")
    number = integer(value)
    return number if number is not None else value if isinstance(value, str) else None


def arrow_position(arrow):
    return identity(arrow.get("pid")), identity(arrow.get("tid")), nanoseconds(arrow.get("ts"))


# -------------------------------------------------------------------------------------------------------- the tables


def kernel_table(activities):
    rows = {}
    for event in activities:
        if event.kind == "kernel":
            row = rows.setdefault(event.name, [0, 0])
            row[0] += 1
            row[1] += event.length or 0
    whole = sum(row[1] for row in rows.values())
    return {
        "rows": [{"name": name, "count": count, "total_ns": total} for name, (count, total) in sorted(rows.items())],
        "whole_ns": whole,
        "residual_ns": 0,
    }


def nest(frames):
    """[(frame, its parent's place in this list or None)], in order of start: of two that start together the longer is the
    outer one, of equal ones the first in the file. The parent is the frame that started last among those open at the start."""
    ordered = sorted((frame for frame in frames if frame.start is not None),
                     key=lambda frame: (frame.start, -(frame.length or 0), frame.order))
    nested = []
    open_places = []
    for place, frame in enumerate(ordered):
        open_places = [outer for outer in open_places if nested[outer][0].end > frame.start]
        nested.append((frame, open_places[-1] if open_places else None))
        if frame.length is not None:
            open_places.append(place)
    return nested


def chain(nested, place):
    """The frame at this place and the frames around it, outermost first."""
    frames = []
    while place is not None:
        frame, place = nested[place]
        frames.append(frame)
    return tuple(reversed(frames))


def enclosing(frames, moments):
    """For each moment (any order) the frame that started last among those open at it, under the frames around it."""
    nested = nest(frames)
    answers = {}
    open_places = []
    position = 0
    for moment in sorted(set(moments)):
        while position < len(nested) and nested[position][0].start <= moment:
            if nested[position][0].length is not None:
                open_places.append(position)
            position += 1
        open_places = [place for place in open_places if nested[place][0].end > moment]
        answers[moment] = chain(nested, open_places[-1] if open_places else None)
    return answers


def module_label(frame):
    match = MODULE.fullmatch(frame.name)
    return match.group(1) if match else None


def module_table(activities, frames):
    """Rows by path; None where the capture holds no module frames."""
    if not any(module_label(frame) for frame in frames):
        return None
    threads = {}
    for frame in frames:
        threads.setdefault((frame.pid, frame.tid), []).append(frame)
    launches = {}
    for activity in activities:
        host = activity.launch
        if host is not None and host.start is not None:
            launches.setdefault((host.pid, host.tid), []).append(activity)
    rows = {}

    def row(path):
        if path not in rows:
            kind, _, instance = path[-1].rpartition("_")
            if not kind or not instance.isdigit():
                kind, instance = path[-1], ""
            rows[path] = {"path": list(path), "type": kind, "instance": instance, "count": 0, "self_ns": 0, "subtree_ns": 0}
        return rows[path]

    attributed = 0
    for thread, thread_frames in threads.items():
        nested = nest(thread_frames)
        for place, (frame, _) in enumerate(nested):
            around = chain(nested, place)
            path = module_path(around)
            if module_label(frame) is not None and len(path) > len(module_path(around[:-1])):
                row(path)["count"] += 1
        waiting = launches.get(thread, [])
        chains = enclosing(thread_frames, [activity.launch.start for activity in waiting])
        for activity in waiting:
            path = module_path(chains[activity.launch.start])
            length = activity.length or 0
            if path:
                row(path)["self_ns"] += length
                attributed += length
                for depth in range(1, len(path) + 1):
                    row(path[:depth])["subtree_ns"] += length
    if sum(path_bytes(path) for path in rows) > PATHS_BYTES:
        raise NotParsed("module paths: more than 64 MiB of them, and which have rows is left open")
    whole = sum(activity.length or 0 for activity in activities)
    return {
        "rows": [rows[path] for path in sorted(rows)],
        "whole_ns": whole,
        "residual_ns": whole - attributed,
    }


def module_path(frames):
    """The labels of the module frames among these, outermost first, without those that would make the path too long."""
    path = ()
    for frame in frames:
        label = module_label(frame)
        if label is not None and len(path) < PATH_NAMES and path_bytes(path + (label,)) <= PATH_BYTES:
            path += (label,)
    return path


def path_bytes(path):
    return len("/".join(path).encode("utf-8"))


class FrameRules:
    """Which frames are whose, from data/frames."""

    def __init__(self, data):
        self.folders = tuple(data["folders"])
        self.files = set(data["files"])
        self.markers = tuple(data["markers"])
        self.wrappers = set(data["wrappers"])

    def source(self, name):
        """((file, line, function), is a wrapper) of an application frame; None of any other."""
        match = FRAME.fullmatch(name)
        if name.startswith(self.markers) or not match:
            return None
        file = match.group(1).replace("\\", "/")
        path = INSTALLED.sub("", file)
        if path.startswith(self.folders) or path in self.files:
            return None
        return (path, int(match.group(2)), match.group(3)), match.group(3) in self.wrappers


def source_table(activities, frames):
    """Rows by (file, line, function); None where there are no rules or no frames."""
    if tomllib is None or not os.path.exists(FRAMES_DATA) or not frames:
        return None
    with open(FRAMES_DATA, "rb") as handle:
        rules = FrameRules(tomllib.load(handle))
    threads = {}
    for frame in frames:
        threads.setdefault((frame.pid, frame.tid), []).append(frame)
    launches = {}
    for activity in activities:
        host = activity.launch
        if host is not None and host.start is not None:
            launches.setdefault((host.pid, host.tid), []).append(activity)
    rows = {}
    for thread, waiting in launches.items():
        chains = enclosing(threads.get(thread, []), [activity.launch.start for activity in waiting])
        for activity in waiting:
            where = innermost_source(rules, chains[activity.launch.start])
            if where is not None:
                row = rows.setdefault(where, [0, 0])
                row[0] += 1
                row[1] += activity.length or 0
    whole = sum(activity.length or 0 for activity in activities)
    attributed = sum(row[1] for row in rows.values())
    return {
        "rows": [{"file": key[0], "line": key[1], "function": key[2], "count": rows[key][0], "ns": rows[key][1]} for key in sorted(rows)],
        "whole_ns": whole,
        "residual_ns": whole - attributed,
    }


def innermost_source(rules, chain):
    """The innermost application frame that is no wrapper; where there is none, the innermost that is one."""
    fallback = None
    for frame in reversed(chain):
        found = rules.source(frame.name)
        if found is not None:
            if not found[1]:
                return found[0]
            fallback = fallback or found[0]
    return fallback


# ---------------------------------------------------------------------------------------------------------- the whole


def count(path):
    """The figures of one capture. Raises NotParsed or NotACapture."""
    found, arrows = collect(parse_events(read_text(path)))
    activities = settle_activities(found["activity"], found["host"])
    link(activities, found["host"], arrows)
    number = {kind: sum(1 for event in activities if event.kind == kind) for kind in ACTIVITY_CLASSES}
    links = {name: {"count": 0, "ns": 0} for name in LINK_CLASSES}
    for event in activities:
        links[event.link]["count"] += 1
        links[event.link]["ns"] += event.length or 0
    kernels = kernel_table(activities)
    return {
        "activities": {"total": len(activities), "kernels": number["kernel"], "copies": number["copy"], "fills": number["fill"]},
        "time": {
            "kernel_sum_ns": kernels["whole_ns"],
            "activity_sum_ns": sum(event.length or 0 for event in activities),
            "devices": devices(activities),
        },
        "links": links,
        "tables": {"kernels": kernels, "modules": module_table(activities, found["frame"]),
                   "sources": source_table(activities, found["frame"])},
    }


def answer(path):
    """(exit status, JSON value)."""
    try:
        return 0, {"parsed": True, "data": count(path)}
    except NotACapture as error:
        return 3, {"parsed": True, "capture": False, "why": str(error)}
    except NotParsed as error:
        return 4, {"parsed": False, "why": str(error)}


def main(arguments):
    brief = "--brief" in arguments
    paths = [argument for argument in arguments if argument != "--brief"]
    if len(paths) != 1:
        sys.stderr.write(__doc__)
        return 2
    status, value = answer(paths[0])
    if brief and "data" in value:
        value["data"].pop("tables")
    json.dump(value, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
