#!/usr/bin/env python3
"""How often does `kforge validate` give each verdict where the truth is known by construction?

Both sides run the same loop; only the number of its trips differs:

    aa        100 against 100: no difference
    boundary  101 against 100: a speedup of exactly the minimum effect (1 %), which must not be called faster
    slowdown  100 against 105: slower by 5 %
    two       102 against 100: faster by 2 %; how often that is seen is the power, and no limit is set
    three     103 against 100: faster by 3 %, likewise

With `--gpu` the loop is a CUDA kernel of about 60 µs.

Every validation is one line in the results file, so that a run can be interrupted and resumed; the table at the end, in Markdown, is of all
lines. Nothing is measured by this program itself. Exit status 1 where a rate is not within its limit: of A/A none is faster or slower, at the
boundary at most 2.5 in 100 are faster, of slowdowns at least 95 in 100 are slower.

    python3 tests/statistics/rates.py --kforge target/release/kforge --runs 200 aa
    python3 tests/statistics/rates.py --kforge target/release/kforge --gpu --runs 60 aa boundary two three
    python3 tests/statistics/rates.py --table
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LIMITS = {
    "aa": lambda counts, runs: counts["faster"] + counts["slower"] == 0,
    "boundary": lambda counts, runs: counts["faster"] <= 0.025 * runs,
    "slowdown": lambda counts, runs: counts["slower"] >= 0.95 * runs,
    "two": lambda counts, runs: counts["slower"] == 0,
    "three": lambda counts, runs: counts["slower"] == 0,
}
KINDS = {"aa": (100, 100), "boundary": (101, 100), "slowdown": (100, 105), "two": (102, 100), "three": (103, 100)}
USUAL = ["aa", "boundary", "slowdown"]

SOURCE = """\
#include <cstdlib>

#include <kforge_runner.hpp>

// TRIPS times the same chain of dependent multiplications; the result is written, and does not depend on TRIPS, which is read when the
// process starts: every side is the same machine code.
static const int TRIPS = std::atoi(std::getenv("TRIPS"));

static void spin(const kforge::Call& call) {
  const auto x = call.input<std::int32_t>("x");
  const auto y = call.output<std::int32_t>("y");
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<std::uint32_t>(x[i]);
  std::uint32_t chain = sum | 1u;
  for (int trip = 0; trip < TRIPS; ++trip)
    for (int step = 0; step < 256; ++step) chain = chain * 1664525u + 1013904223u;
  volatile std::uint32_t sink = chain;
  (void)sink;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(sum + static_cast<std::uint32_t>(i));
}

KFORGE_RUNNER(spin)
"""

SOURCE_GPU = """\
#include <cstdlib>

#include <kforge_runner_gpu.hpp>

// As on a processor: every thread runs TRIPS times the same chain of dependent steps, and what it writes does not depend on them.
static const int TRIPS = std::atoi(std::getenv("TRIPS"));

static __global__ void chains(const int* x, int* y, int n, int trips) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned chain = static_cast<unsigned>(x[i]) | 1u;
  for (int trip = 0; trip < trips; ++trip)
#pragma unroll 16
    for (int step = 0; step < 256; ++step) chain = chain * chain + 1013904223u;
  // Odd after an even number of steps, so never 0; the compiler does not know it and may leave no step out.
  y[i] = chain == 0u ? 0 : static_cast<int>(static_cast<unsigned>(x[i]) + static_cast<unsigned>(i));
}

static void spin(const kforge::Call& call) {
  const auto x = call.input<std::int32_t>("x");
  const auto y = call.output<std::int32_t>("y");
  const int n = static_cast<int>(x.size());
  chains<<<(n + 127) / 128, 128, 0, call.stream()>>>(x.data(), y.data(), n, TRIPS);
}

KFORGE_RUNNER(spin)
"""

REFERENCE_GPU = """\
#include <kforge_runner.hpp>

static void spin(const kforge::Call& call) {
  const auto x = call.input<std::int32_t>("x");
  const auto y = call.output<std::int32_t>("y");
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[i]) + static_cast<std::uint32_t>(i));
}

KFORGE_RUNNER(spin)
"""

# The harness is the same in every run, so a program that was compiled once may be copied; its copy is built for kforge.
SIDE = """
[{section}]
tree = "worktree"
build = "test -x {cache}/{source} || {compiler} -std=c++17 -O2 -o {cache}/{source} kernels/spin/{source}; cp {cache}/{source} build/{name}"
runner = "build/{name}"
sources = ["kernels/spin/{source}"]
artifacts = ["build/{name}"]
env = {{ TRIPS = "{trips:03}" }}
"""

REST = """
[[case]]
params = {{ n = {n} }}

[domain]
n = {{ min = 1, max = {most} }}

[inputs.x]
shape = ["n"]
dtype = "i32"
kind = "random"

[outputs.y]
shape = ["n"]
dtype = "i32"

[policy]
drawn_cases = 2
reason = "only the timing is under test"
"""


def project(kind, cache, gpu):
    """A repository with one experiment of this kind."""
    baseline, candidate = KINDS[kind]
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"kforge-rates-{kind}-"))
    kernel = folder / "kernels" / "spin"
    kernel.mkdir(parents=True)
    (folder / "kforge.toml").write_text("")
    (folder / ".gitignore").write_text("/build/\n/.kforge/\n")
    side, reference = ("spin.cu", "reference.cpp") if gpu else ("spin.cpp", "spin.cpp")
    (kernel / side).write_text(SOURCE_GPU if gpu else SOURCE)
    if gpu:
        (kernel / reference).write_text(REFERENCE_GPU)
    sides = [("reference", "reference", 1), ("baseline", "baseline", baseline), ("candidate.other", "other", candidate)]
    text = 'op = "spin"\n' + ('device = "gpu"\n' if gpu else "")
    for section, name, trips in sides:
        source = reference if name == "reference" else side
        compiler = "nvcc -arch=native" if source.endswith(".cu") else "c++"
        text += SIDE.format(section=section, name=name, trips=trips, cache=cache, source=source, compiler=compiler)
    text += REST.format(n=1 << 15 if gpu else 256, most=1 << 16 if gpu else 512)
    (kernel / "experiment.toml").write_text(text)
    for arguments in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "start"]):
        subprocess.run(["git", "-C", folder, *arguments], check=True)
    return folder


def validate(kforge, folder):
    """One validation: the verdict's word and what it rests on."""
    start = time.monotonic()
    done = subprocess.run([kforge, "validate", "spin", "--format", "json"], cwd=folder, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)["data"]["candidates"][0]
    except (ValueError, KeyError, IndexError):
        return {"verdict": "error", "reason": (done.stderr or done.stdout)[-500:]}
    overall = answer["overall"] or {}
    return {"verdict": answer["verdict"]["verdict"], "reason": answer["reason"], "launches": answer["launches"],
            "speedup": overall.get("speedup"), "noise": overall.get("noise"), "seconds": round(time.monotonic() - start, 2)}


def read(results):
    lines = results.read_text().splitlines() if results.exists() else []
    return [json.loads(line) for line in lines if line.strip()]


def table(results):
    """Prints the counts; gives the kinds whose rate is not within its limit."""
    rows = read(results)
    words = ["faster", "slower", "same", "inconclusive", "void", "incorrect", "mixed", "error"]
    print("| truth | runs | " + " | ".join(words) + " | median launches | median s |")
    print("|---|" + "---:|" * (len(words) + 3))
    beyond = []
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        if not mine:
            continue
        counts = collections.Counter(row["verdict"] for row in mine)
        middle = lambda name: sorted(row.get(name) or 0 for row in mine)[len(mine) // 2]
        cells = [kind, len(mine), *(counts[word] for word in words), middle("launches"), middle("seconds")]
        print("| " + " | ".join(map(str, cells)) + " |")
        if not LIMITS[kind](counts, len(mine)):
            beyond.append(kind)
    return beyond


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], help="which truths to try; none: aa, boundary, slowdown")
    parser.add_argument("--gpu", action="store_true", help="a CUDA kernel in place of a loop on the processor")
    parser.add_argument("--kforge", default="target/release/kforge", type=pathlib.Path)
    parser.add_argument("--runs", default=200, type=int, help="validations of each kind in all, earlier ones counted")
    parser.add_argument("--results", default=pathlib.Path("target/rates.jsonl"), type=pathlib.Path)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    arguments = parser.parse_args()
    if not arguments.table:
        kforge = arguments.kforge.resolve(strict=True)
        cache = pathlib.Path(tempfile.mkdtemp(prefix="kforge-rates-cache-"))
        for kind in arguments.kinds or USUAL:
            folder = project(kind, cache, arguments.gpu)
            done = sum(row["kind"] == kind for row in read(arguments.results))
            for number in range(done, arguments.runs):
                row = {"kind": kind, **validate(kforge, folder)}
                with arguments.results.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"{kind} {number + 1}/{arguments.runs}: {row['verdict']} {row.get('speedup')}", file=sys.stderr, flush=True)
    beyond = table(arguments.results)
    if beyond:
        sys.exit("not within its limit: " + ", ".join(beyond))


if __name__ == "__main__":
    main()
