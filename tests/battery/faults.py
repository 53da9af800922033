#!/usr/bin/env python3
"""What goes wrong in a runner, on a device or on the machine ends in a clean verdict or error, in time, with nothing left behind.

    faults.py KFORGE [--device cpu|cuda] [--only NAME,...]

Each program in DEVICE/faults is validated as a candidate; then two validations ask for one device at once, one that does not wait meets them,
and one has no disk left. After each: no process of it is alive, and the leases are free. Prints a Markdown table; exit status 1 where
anything was otherwise.
"""
import argparse
import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import battery

HERE = pathlib.Path(__file__).resolve().parent
DEADLINE_S = 15
# A validation of one sound candidate takes no longer here, whatever it waits for.
WHOLE_S = 120
POLICY = {"drawn_cases": 1, "looks": [2], "alpha": 0.5, "min_blocks": 4, "blocks": 4, "sample_us": 1000, "reason": "what goes wrong is under test"}

# Verdict and cause, and what the reason says.
EXPECTED = {
    "hangs": ("incorrect", r"did not answer|has not answered|within"),
    "hangs_when_timed": ("incorrect", r"did not answer|has not answered|within"),
    "dies": ("incorrect", r"SIGSEGV"),
    "illegal_address": ("incorrect", r"illegal memory access|illegal address|misaligned"),
    "takes_all_memory": ("incorrect", r"memory"),
    "prints_rubbish": ("incorrect", r"loading kernels"),
    "writes_rubbish": ("incorrect", r"outside the tolerance|differ"),
    "leaves_a_process": ("void(left_process)", r"sleep 3600"),
}


class Folders:
    """Where everything of one question happens: a project, the leases, scratch space."""

    def __init__(self, root, device):
        self.root, self.device = root, device
        self.leases, self.scratch = root / "leases", root / "scratch"
        self.leases.mkdir()
        self.scratch.mkdir()

    def environment(self, scratch=None):
        return {**os.environ, "KFORGE_LEASE_DIR": str(self.leases), "TMPDIR": str(scratch or self.scratch)}

    def left(self):
        """What is still there: processes that name the folder or were started in it, leases that are held, files."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(self.root).encode() in text:
                found.append("process " + (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
        for lease in self.leases.iterdir():
            with open(lease, "r+b") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    found.append(f"lease {lease.name}")
        found += [f"file {path.name}" for path in self.scratch.iterdir()]
        return found


def project(folders, candidates):
    fixtures = [{"name": path.stem, "program": path, "more": f"deadline_s = {DEADLINE_S}"} for path in candidates]
    return battery.build(folders.root, {"policy": POLICY}, folders.device, fixtures)


def start(kforge, folders, asked, *arguments, scratch=None):
    root, op = asked
    command = [kforge, "validate", op, "--format", "json", *arguments]
    return subprocess.Popen(command, cwd=root, env=folders.environment(scratch), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process):
    """Exit status, verdict with its cause, reason or message."""
    out, err = process.communicate(timeout=10 * WHOLE_S)
    try:
        said = json.loads(out)
    except ValueError:
        return process.returncode, "no answer", (out + err)[-400:]
    if not said["ok"]:
        return process.returncode, "error", said["error"]["message"]
    word, cause, reason = battery.read(said["data"]["candidates"][0])
    return process.returncode, battery.shown(word, cause), reason


class Report:
    def __init__(self):
        self.rows, self.wrong = [], 0

    def add(self, name, expected, seen, seconds, left, right):
        state = "nothing" if not left else "; ".join(left)
        self.wrong += not right or bool(left)
        mark = "" if right and not left else " **unexpected**"
        self.rows.append(f"| {name} | {expected} | {seen}{mark} | {seconds:.1f} | {state} |")
        print(self.rows[-1], flush=True)


def one(kforge, device, program, report):
    verdict, says = EXPECTED[program.stem]
    with tempfile.TemporaryDirectory(prefix="kforge-faults-") as folder:
        folders = Folders(pathlib.Path(folder).resolve(), device)
        asked = project(folders, [program])
        begin = time.monotonic()
        status, seen, reason = answer(start(kforge, folders, asked))
        seconds = time.monotonic() - begin
        right = seen == verdict and re.search(says, reason) and seconds < WHOLE_S and status in (1, 4)
        report.add(program.stem, verdict, f"{seen}: {reason[:160]}", seconds, folders.left(), bool(right))


def racing(kforge, device, sound, report):
    """Two at once, and a third that does not wait."""
    with tempfile.TemporaryDirectory(prefix="kforge-faults-") as folder:
        folders = Folders(pathlib.Path(folder).resolve(), device)
        asked = project(folders, [sound])
        begin = time.monotonic()
        both = [start(kforge, folders, asked) for _ in range(2)]
        while device != "cpu" and not any(lease.stat().st_size for lease in folders.leases.iterdir()) and time.monotonic() < begin + 30:
            time.sleep(0.02)
        if device != "cpu":
            status, seen, message = answer(start(kforge, folders, asked, "--wait", "0"))
            report.add("does_not_wait", "error, status 4", f"{seen}, status {status}: {message[:160]}", time.monotonic() - begin, [], (status, seen) == (4, "error"))
        answers = [answer(process) for process in both]
        # So few launches show anything.
        verdicts = ("same", "inconclusive", "slower", "faster", "void(environment)")
        right = all(seen in verdicts for _, seen, _ in answers)
        report.add("two_at_once", "two verdicts", ", ".join(seen for _, seen, _ in answers), time.monotonic() - begin, folders.left(), right)


def full_disk(kforge, device, sound, report):
    """Scratch space of 48 KiB."""
    with tempfile.TemporaryDirectory(prefix="kforge-faults-") as folder:
        folders = Folders(pathlib.Path(folder).resolve(), device)
        asked = project(folders, [sound])
        small = folders.root / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True).returncode:
            print("| full_disk | | skipped: no file system can be mounted here | | |")
            return
        try:
            (small / "taken").write_bytes(bytes(1_000_000))
            begin = time.monotonic()
            status, seen, message = answer(start(kforge, folders, asked, scratch=small))
            left = folders.left() + [f"file {path.name}" for path in small.iterdir() if path.name != "taken"]
            right = status in (1, 4) and seen in ("error", "incorrect") and re.search(r"space|write|disk", message)
            report.add("full_disk", "error, status 4", f"{seen}, status {status}: {message[:160]}", time.monotonic() - begin, left, bool(right))
        finally:
            subprocess.run(["umount", small], check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kforge", type=pathlib.Path)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    kforge, device = arguments.kforge.resolve(), arguments.device
    programs = sorted((HERE / device / "faults").iterdir())
    sound = next((HERE / device / "honest").glob("again*"))
    asked = [
        *((program.stem, lambda report, program=program: one(kforge, device, program, report)) for program in programs),
        ("two_at_once", lambda report: racing(kforge, device, sound, report)),
        ("full_disk", lambda report: full_disk(kforge, device, sound, report)),
    ]
    only = set(filter(None, arguments.only.split(",")))
    report = Report()
    print("| what happens | expected | seen | s | left behind |\n|---|---|---|---:|---|")
    for name, ask in asked:
        if not only or name in only:
            ask(report)
    print(f"\n{len(report.rows)} faults; {report.wrong} unexpected.")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
