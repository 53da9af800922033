#!/usr/bin/env python3
"""Counts rows and looks shapes up in tuned tables without kforge, and compares with what kforge says.

Written from the libraries' loaders and Python's csv and json modules; nothing of kforge is imported.
usage: tuned.py KFORGE CORPUS [LOOKUPS]
"""

import csv
import json
import random
import re
import subprocess
import sys
from pathlib import Path

BOUNDS = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
MOE = ["token", "model_dim", "inter_dim", "expert", "topk"]
CHOICES = {"us", "soltimes", "kernelId", "kernelName", "libtype", "solidx", "block_m", "us1", "total_us"}


def power(m):
    return 1 if m <= 1 else 1 << (m - 1).bit_length()


def padded(m, n):
    step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
    fine = (m + step - 1) // step * step
    coarse = 8192 if m > 8192 and n > 4096 else power(m)
    return [m, fine, coarse]


def ask(kforge, path, *arguments):
    run = subprocess.run([kforge, "tuned", str(path), *arguments, "--format", "json"], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout)


def csv_rows(path):
    """Header, and (line, cells) of the rows that are as wide as it or shorter; lines that are wider are counted."""
    text = path.read_text(encoding="utf-8-sig")
    lines = text.split("\n")
    header = [cell.strip() for cell in next(csv.reader([lines[0]]))]
    rows, wide = [], 0
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in next(csv.reader([line.rstrip("\r")]))]
        if len(cells) > len(header) or cells == header:
            wide += 1
        else:
            rows.append((number, dict(zip(header, cells))))
    return header, rows, wide


def gemm(header):
    return {"M", "N", "K"} <= set(header) and set(header) & CHOICES and not {"B", "token"} & set(header)


def moe(header):
    return set(MOE) <= set(header) and set(header) & CHOICES


def find_gemm(rows, header, m, n, k, gfx, units):
    for size in padded(m, n):
        lines = []
        for line, row in rows:
            same = [int(row[name]) for name in ("M", "N", "K")] == [size, n, k]
            device = ("gfx" not in header or row["gfx"] == gfx) and ("cu_num" not in header or row["cu_num"] == units)
            if same and device:
                lines.append(line)
        if lines:
            return lines
    return []


def find_json(keys, m):
    if all(key.isdigit() for key in keys):
        return min(keys, key=lambda key: abs(int(key) - m))
    for bound in BOUNDS:
        if m <= bound and f"M_LEQ_{bound}" in keys:
            return f"M_LEQ_{bound}"
    for bound in reversed(BOUNDS):
        if m >= bound and f"M_GEQ_{bound}" in keys:
            return f"M_GEQ_{bound}"
    return "any" if "any" in keys else None


def main():
    kforge, corpus = sys.argv[1], Path(sys.argv[2])
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    random.seed(4)
    tables, bad, jsons, gemms, found = 0, [], [], [], {}
    for path in sorted([*corpus.glob("aiter/*.csv"), *corpus.glob("aiter/*.json"), *corpus.glob("tuned-configs/*.json")]):
        code, answer = ask(kforge, path, "--audit")
        if not answer["ok"]:
            continue
        (file,) = answer["data"]["files"]
        tables += 1
        for finding in answer["data"]["findings"]:
            found[finding["code"]] = found.get(finding["code"], 0) + 1
        if path.suffix == ".json":
            keys = [key for key, value in json.loads(path.read_text()).items() if isinstance(value, dict)]
            if len(keys) != file["rows"]:
                bad.append(f"{path.name}: {len(keys)} keys, kforge {file['rows']}")
            jsons.append((path, keys))
            continue
        header, rows, wide = csv_rows(path)
        if (len(rows), wide) != (file["rows"], file["damaged"]):
            bad.append(f"{path.name}: {len(rows)} rows and {wide} damaged, kforge {file['rows']} and {file['damaged']}")
        limit = 0.1 if moe(header) else 0.05
        ratios = [row.get(name, "") for _, row in rows for name in ("errRatio", "err_ratio", "err", "err1", "err2")]
        values = [float(text.rstrip("%")) / (100 if text.endswith("%") else 1) for text in ratios if re.fullmatch(r"[-+.0-9eE]+%?", text)]
        over = sum(value > limit for value in values)
        said = sum(finding["code"] == "error-ratio" for finding in answer["data"]["findings"])
        if over != said:
            bad.append(f"{path.name}: {over} errors above tolerance, kforge {said}")
        if gemm(header) and rows:
            gemms.append((path, header, rows))
    asked = 0
    while asked < wanted:
        if random.random() < 0.5:
            path, keys = random.choice(jsons)
            m = random.choice([random.randint(1, 9000), random.randint(1, 300)])
            key = find_json(keys, m)
            _, answer = ask(kforge, path, "--shape", f"M={m}")
            mine, theirs = key, answer["data"]["lookups"][0]["row"].get("key")
        else:
            path, header, rows = random.choice(gemms)
            row = random.choice(rows)[1]
            m = max(1, int(row["M"]) - random.choice([0, 0, 1, 3, 7, 100]))
            n, k, gfx, units = int(row["N"]), int(row["K"]), row.get("gfx"), row.get("cu_num")
            device = [part for part in (f"gfx={gfx}" if gfx else "", f"cu_num={units}" if units else "") if part]
            _, answer = ask(kforge, path, "--shape", ",".join([f"M={m}", f"N={n}", f"K={k}", *device]))
            mine = find_gemm(rows, header, m, n, k, gfx, units)
            theirs = answer["data"]["lookups"][0]["lines"]
            # Of rows with one whole key kforge names the first.
            mine = mine[: len(theirs)] if theirs and mine[0] == theirs[0] and len(theirs) == 1 else mine
        asked += 1
        if mine != theirs:
            bad.append(f"{path.name} M={m}: {mine}, kforge {theirs}")
    print(f"{tables} tables, {asked} look-ups, findings {dict(sorted(found.items()))}, {len(bad)} differences")
    print("\n".join(bad[:40]))
    return 1 if bad or tables < 59 else 0


if __name__ == "__main__":
    sys.exit(main())
