#!/usr/bin/env python3
"""Asks kforge about every candidate of the battery, and says which answers differ from battery.toml.

    battery.py KFORGE [--device cpu|cuda|torch] [--runs N] [--sample-us N] [--launches N] [--patience N] [--only KIND_OR_NAME,...]
                      [--results FILE]

Every answer is a line of the results file, so that runs can be interrupted and gone on with; the table is of all its lines. Prints a Markdown table of what was seen. Exit status 1 where a cheat was not caught by its own name or an honest candidate was accused.
A run that the machine itself spoilt (`void(environment)`, but for a fixture that is caught by that name) is measured again, and counted.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ATTEMPTS = 5

CPU = {
    "op": "scale",
    "experiment": """
[[case]]
name = "only"
params = { n = 600 }

[domain]
n = { min = 1, max = 700 }

[inputs.x]
shape = ["n"]
dtype = "f32"
kind = "random"

[outputs.y]
shape = ["n"]
dtype = "f32"
""",
    "reference": ("py", """import kforge_runner


def scale(call):
    x, y = call.input("x"), call.output("y")
    for i in range(len(y)):
        y[i] = 2.0 * x[i]


kforge_runner.main(scale)
"""),
}
CPU["baseline"] = CPU["reference"]

SPIN = {
    "op": "spin",
    "experiment": """device = "gpu"

[[case]]
name = "only"
params = { n = 32768 }

[domain]
n = { min = 1, max = 65536 }

[inputs.x]
shape = ["n"]
dtype = "i32"
kind = "random"

[outputs.y]
shape = ["n"]
dtype = "i32"
""",
    "reference": ("cpp", """#include <kforge_runner.hpp>

static void spin(const kforge::Call& call) {
  const auto x = call.input<std::int32_t>("x");
  const auto y = call.output<std::int32_t>("y");
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[i]) + static_cast<std::uint32_t>(i));
}

KFORGE_RUNNER(spin)
"""),
}


def same_as(device, name):
    """The baseline of a GPU is what its first honest candidate does."""
    file = next((HERE / device / "honest").glob(f"{name}.*"))
    return file.suffix[1:], file.read_text()


OPERATIONS = {
    "cpu": lambda: CPU,
    "cuda": lambda: {**SPIN, "baseline": same_as("cuda", "again_on_gpu")},
    "torch": lambda: {**SPIN, "baseline": same_as("torch", "torch_again")},
}
COMPILERS = {"cpp": "c++ -std=c++17 -O2", "cu": "nvcc -std=c++17 -O2 -arch=native"}
# The harness is the same in every run: a program that was compiled once may be copied, and its copy is built for kforge.
COMPILED = tempfile.TemporaryDirectory(prefix="kforge-battery-compiled-")


def section(op, name, side, suffix, more=""):
    """One side of experiment.toml."""
    file = f"kernels/{op}/{side}.{suffix}"
    if suffix == "py":
        how = f'runner = "python3 {file}"'
    else:
        once = f"{COMPILED.name}/{side}"
        how = f'build = "mkdir -p build && {{ test -x {once} || {COMPILERS[suffix]} -o {once} {file}; }} && cp {once} build/{side}"\nrunner = "build/{side}"\nartifacts = ["build/{side}"]'
    return f'\n[{name}]\ntree = "worktree"\nsources = ["{file}"]\n{how}\n{more}\n'


def toml(policy):
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in policy.items())


def build(folder, table, device, fixtures):
    """The project: one operation, every fixture a candidate."""
    operation = OPERATIONS[device]()
    op = operation["op"]
    root = folder.resolve() / "project"
    kernels = root / "kernels" / op
    kernels.mkdir(parents=True)
    (kernels / "helper.py").write_text("FACTOR = 2.0\n")
    (root / "kforge.toml").write_text("")
    (root / ".gitignore").write_text("/build/\n/.kforge/\n")
    text = f'op = "{op}"\n' + operation["experiment"] + "\n[policy]\n" + toml(table["policy"])
    for side in ("reference", "baseline"):
        suffix, program = operation[side]
        (kernels / f"{side}.{suffix}").write_text(program)
        text += section(op, side, side, suffix)
    for fixture in fixtures:
        name, program = fixture["name"], fixture["program"]
        shutil.copy(program, kernels)
        (kernels / f"{name}.txt").write_text("")
        more = fixture.get("more", "").replace("{kernels}", str(kernels))
        text += section(op, f"candidate.{name}", name, program.suffix[1:], more)
    (kernels / "experiment.toml").write_text(text)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "start"]):
        subprocess.run(["git", "-C", root, *arguments], check=True)
    return root, op


def validate(kforge, project, *arguments):
    """Verdict, cause and reason of each candidate asked about."""
    root, op = project
    done = subprocess.run([kforge, "validate", op, "--format", "json", *arguments], cwd=root, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
        candidates = answer["data"]["candidates"]
    except (ValueError, KeyError, TypeError):
        sys.exit(f"no verdicts, status {done.returncode}: {done.stdout}\n{done.stderr}")
    return {one["candidate"]: read(one) for one in candidates}


def read(candidate):
    word, reason = candidate["verdict"]["verdict"], candidate["reason"]
    cause = re.match(r"(\w+):", reason)
    return word, cause[1] if word == "void" and cause else "", reason


def shown(word, cause):
    return f"{word}({cause})" if cause else word


def spoilt(fixture, word, cause):
    return word == "void" and cause == "environment" and fixture.get("cause") != "environment"


def accepted(fixture, word, cause, reason):
    if fixture["kind"] == "honest":
        return word in ("faster", "slower", "same", "mixed", "inconclusive") and word != fixture.get("never")
    if shown(word, cause) in fixture.get("also", []):
        return True
    return word == fixture["verdict"] and cause == fixture.get("cause", "") and fixture.get("says", "") in reason


def listed(table):
    """Every fixture with its kind, where it runs, and its program."""
    for key, kind in (("cheat", "cheats"), ("honest", "honest")):
        for one in table[key]:
            device = one.get("on", "cpu")
            program = HERE / one.get("from", f"{device}/{kind}") / f"{one['name']}.{'cu' if device == 'cuda' else 'py'}"
            yield {**one, "kind": kind, "on": device, "program": program}


def unlisted(table):
    """Programs that stand in no table would never be asked about; the other way round there is nothing to ask about."""
    there = {file for device in OPERATIONS for kind in ("cheats", "honest") for file in (HERE / device / kind).glob("*.*")}
    # What stands elsewhere was written for itself, and not all of it has a name to be caught by.
    known = {one["program"] for one in listed(table) if "from" not in one}
    return sorted(str(file.relative_to(HERE)) for file in there ^ known)


def chosen(table, device, only):
    wanted = only.split(",") if only else []
    fixtures = [one for one in listed(table) if one["on"] == device]
    return [one for one in fixtures if not wanted or one["kind"] in wanted or one["name"] in wanted]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kforge", type=pathlib.Path)
    parser.add_argument("--device", default="cpu", choices=list(OPERATIONS))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--patience", type=int, default=0, help="so often an answer under another name is asked again, on a machine that does other work too")
    parser.add_argument("--sample-us", type=int, help="in place of battery.toml's; what only has to be timed needs no long samples")
    parser.add_argument("--launches", type=int, help="in place of battery.toml's; a name needs fewer than a figure")
    parser.add_argument("--results", type=pathlib.Path, help="adds to this file; without it answers are forgotten afterwards")
    arguments = parser.parse_args()
    kforge = arguments.kforge.resolve()
    table = tomllib.loads((HERE / "battery.toml").read_text())
    if unlisted(table):
        sys.exit(f"in battery.toml or among the programs, not both: {', '.join(unlisted(table))}")
    if arguments.sample_us:
        table["policy"]["sample_us"] = arguments.sample_us
    if arguments.launches:
        # All signs of so few launches can be alike by chance; what is asked for is a name.
        table["policy"] |= {"looks": [arguments.launches], "alpha": max(0.05, 2.0 ** (1 - arguments.launches))}
    fixtures = chosen(table, arguments.device, arguments.only)
    if not fixtures:
        sys.exit(f"no fixture is called {arguments.only}")
    with tempfile.TemporaryDirectory(prefix="kforge-battery-") as folder:
        results = arguments.results or pathlib.Path(folder) / "results"
        with open(results, "a") as file:
            for answer in ask_all(kforge, table, fixtures, arguments):
                file.write(json.dumps(answer) + "\n")
                file.flush()
        return report(fixtures, [json.loads(line) for line in results.read_text().splitlines()])


def ask_all(kforge, table, fixtures, arguments):
    """One answer for each fixture and run."""
    groups = [[one for one in fixtures if not one.get("alone")]] + [[one] for one in fixtures if one.get("alone")]
    for group in filter(None, groups):
        with tempfile.TemporaryDirectory(prefix="kforge-battery-") as folder:
            project = build(pathlib.Path(folder), table, arguments.device, group)
            for _ in range(arguments.runs):
                answers = validate(kforge, project)
                for fixture in group:
                    name, again = fixture["name"], 0
                    word, cause, reason = answers[name]
                    for attempt in range(ATTEMPTS):
                        # A win by a cheat is never asked about again.
                        other = attempt < arguments.patience and word != "faster" and not accepted(fixture, word, cause, reason)
                        if not (spoilt(fixture, word, cause) or other):
                            break
                        again += 1
                        word, cause, reason = validate(kforge, project, "--candidate", name)[name]
                    right = accepted(fixture, word, cause, reason)
                    yield {"name": name, "seen": shown(word, cause), "right": right, "again": again, "reason": reason}


def report(fixtures, answers):
    """Prints the table; gives the exit status."""
    print("| candidate | expected | seen |\n|---|---|---|")
    asked = {fixture["name"]: fixture for fixture in fixtures}
    mine = [answer for answer in answers if answer["name"] in asked]
    for name, fixture in asked.items():
        expected = "timed" if fixture["kind"] == "honest" else shown(fixture["verdict"], fixture.get("cause", ""))
        seen = collections.Counter(answer["seen"] for answer in mine if answer["name"] == name)
        print(f"| {name} | {expected} | {', '.join(f'{count} {word}' for word, count in sorted(seen.items()))} |")
    wrong, again = [answer for answer in mine if not answer["right"]], sum(answer["again"] for answer in mine)
    print(f"\n{len(asked)} candidates, {len(mine)} answers; {again} measured again for the machine's sake; {len(wrong)} unexpected.")
    for answer in wrong:
        print(f"\nunexpected: {answer['name']}: {answer['seen']}: {answer['reason']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
