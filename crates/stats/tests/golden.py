#!/usr/bin/env python3
"""An independent judge: writes golden.json beside itself.

Nothing here is a translation of the Rust code. Logarithms have 40 digits (decimal), means are exact fractions of them, Student's t
is integrated numerically, Pocock's level is integrated on a grid of its own, the sign-flip test counts exact fractions, the
bootstrap draws from Python's generator (its ends are therefore compared with a tolerance). Standard library only; about 20 s.

Usage: python3 golden.py            writes golden.json
       python3 golden.py --check    says whether golden.json is what this script writes
"""
import bisect, itertools, json, math, os, random, statistics, sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 40
LOOKS, ALPHA, BIAS_ALPHA, EFFECT = [8, 12, 16, 24], 0.05, 0.01, Fraction(1, 100)


# ---- distributions -------------------------------------------------------------------------------------------------------
def simpson(f, low, high, n):
    step = (high - low) / n
    inner = sum((4 if i % 2 else 2) * f(low + i * step) for i in range(1, n))
    return (f(low) + f(high) + inner) * step / 3


def t_central(t, df):
    """P(|T| <= t) by the substitution t = sqrt(df) tan(angle)."""
    scale = 2 * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi)
    return scale * simpson(lambda a: math.cos(a) ** (df - 1), 0, math.atan(t / math.sqrt(df)), 1600)


def bisection(f, low, high):
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) else (low, middle)
    return (low + high) / 2


def t_quantile(tail, df):
    return bisection(lambda t: (1 - t_central(t, df)) / 2 > tail, 0, 1e5)


def z_tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def pocock_level(looks, alpha, points=240):
    times = [n / looks[-1] for n in looks]

    def crossing(c):
        total, before, grid = 2 * z_tail(c), None, None
        for k, t in enumerate(times):
            edge = c * math.sqrt(t)
            xs = [edge * (2 * i / points - 1) for i in range(points + 1)]
            ws = [2 * edge / points / 3 * (1 if i in (0, points) else 4 if i % 2 else 2) for i in range(points + 1)]
            if k == 0:
                dens = [statistics.NormalDist(0, math.sqrt(t)).pdf(x) for x in xs]
            else:
                sd = math.sqrt(t - before)
                total += sum(m * (z_tail((edge - x) / sd) + z_tail((edge + x) / sd)) for x, m in grid)
                step = statistics.NormalDist(0, sd)
                dens = [sum(m * step.pdf(y - x) for x, m in grid) for y in xs] if k + 1 < len(times) else xs
            grid, before = [(x, w * d) for x, w, d in zip(xs, ws, dens)], t
        return total

    low, high = 1.0, 5.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if crossing(middle) > alpha else (low, middle)
    return z_tail((low + high) / 2)


# ---- the rule ------------------------------------------------------------------------------------------------------------
def log(x):
    return Fraction(Decimal(x.numerator).ln() - Decimal(x.denominator).ln())


def sqrt(x):
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def mean_error(xs):
    mean = sum(xs) / len(xs)
    return mean, sqrt(sum((x - mean) ** 2 for x in xs) / (len(xs) - 1) / len(xs))


def sign_flip(xs):
    def sums(part):
        return sorted(sum((s * x for s, x in zip(signs, part)), Fraction(0)) for signs in itertools.product((-1, 1), repeat=len(part)))

    left, right, seen = sums(xs[: len(xs) // 3]), sums(xs[len(xs) // 3 :]), sum(xs)
    return sum(len(right) - bisect.bisect_left(right, seen - x) for x in left) / 2 ** len(xs)


QUANTILES = {}


def quantile(level, df):
    if (level, df) not in QUANTILES:
        QUANTILES[level, df] = t_quantile(level, df)
    return Fraction(QUANTILES[level, df])


def t_interval(xs, level, least):
    mean, error = mean_error(xs)
    half = max(quantile(level, len(xs) - 1) * error, least)
    return mean - half, mean, mean + half


def assess(launches, noises, blocks, least, level, bias_level):
    margin = log(1 + EFFECT)
    low, mid, high = t_interval(launches, level, least)
    noise = t_interval(noises, level, least)
    strict = t_interval(noises, bias_level, least)
    moved = abs(noise[1]) if noise[0] > 0 or noise[2] < 0 else Fraction(0)
    floor = max(abs(noise[0]), abs(noise[2]))
    found = {"speedup": ratios((low, mid, high)), "noise": ratios(noise), "floor": math.exp(floor)}
    edge = margin + moved
    freedom = len(launches) - 1
    error = float(max(mean_error(launches)[1], least / quantile(level, freedom)))

    def p(over):
        if error == 0:
            return 0.0 if over > 0 else 1.0
        central = t_central(abs(float(over)) / error, freedom)
        return (1 - central) / 2 if over > 0 else (1 + central) / 2

    found["p"] = (p(mid - edge), p(-mid - edge))
    if (strict[0] > 0 or strict[2] < 0) and abs(strict[1]) >= margin / 2:
        return "void", found
    if low > moved - margin and high < margin - moved:
        return "same", found
    sign = 1 if low > edge else -1 if high < -edge else 0
    if sign == 0:
        return "straddles", found
    if abs(mid) <= floor + moved:
        return "below_floor", found
    found["sign_flip_p"] = sign_flip([sign * x - edge for x in launches])
    found["bootstrap"] = bootstrap(blocks, level)
    if found["sign_flip_p"] > ALPHA / 2 / len(LOOKS):
        return "methods_disagree", found
    return ("faster" if sign > 0 else "slower"), found


def bootstrap(blocks, level, draws=4000):
    rng, means = random.Random(20261130), []
    for _ in range(draws):
        total = 0.0
        for launch in rng.choices(blocks, k=len(blocks)):
            total += sum(share * statistics.median(rng.choices(xs, k=len(xs))) for share, xs in launch)
        means.append(total / len(blocks))
    means.sort()
    cut = int(level * draws)
    return [math.exp(means[cut]), math.exp(statistics.median(means)), math.exp(means[-1 - cut])]


def ratios(logs):
    return [math.exp(x) for x in logs]


def holm(ps, level):
    marks = [False] * len(ps)
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        if ps[i] > level / (len(ps) - rank):
            break
        marks[i] = True
    return marks


def judge(cases):
    level, bias = LEVELS
    answer = None
    for look in LOOKS:
        places = len(cases) + (len(cases) > 1)
        total = sum(Fraction(case["weight"]) for case in cases)
        mean_s, mean_n, mean_b, mean_least, found = [Fraction(0)] * look, [Fraction(0)] * look, [[] for _ in range(look)], Fraction(0), []
        for case in cases:
            kept = [[b for b in blocks if not b.get("disturbed")] for blocks in case["launches"][:look]]
            logs = [[(log(Fraction(b["a_ns"], b["b_ns"])), log(Fraction(b["a_ns"], b["a2_ns"]))) for b in blocks] for blocks in kept]
            s = [statistics.median(x for x, _ in blocks) for blocks in logs]
            n = [statistics.median(y for _, y in blocks) for blocks in logs]
            tick, flat = case["tick_ns"], [b for blocks in kept for b in blocks]
            least = Fraction(0) if tick == 1 else Fraction(tick, min(b["a_ns"] for b in flat)) + Fraction(tick, min(b["b_ns"] for b in flat))
            blocks = [[float(x) for x, _ in bs] for bs in logs]
            found.append(assess(s, n, [[(1.0, xs)] for xs in blocks], least, level, bias / places))
            share = Fraction(case["weight"]) / total
            mean_s = [m + share * x for m, x in zip(mean_s, s)]
            mean_n = [m + share * x for m, x in zip(mean_n, n)]
            mean_least += share * least
            for launch, xs in zip(mean_b, blocks):
                launch.append((float(share), xs))
        word, overall = found[0] if len(cases) == 1 else assess(mean_s, mean_n, mean_b, mean_least, level, bias / places)
        if len(cases) > 1:
            faster, slower = (holm([f["p"][side] for _, f in found], level) for side in (0, 1))
            if any(w == "void" for w, _ in found):
                word = "void"
            elif word == "faster" and any(slower) or word == "slower" and any(faster) or word == "same" and any(faster + slower):
                word = "mixed"
            elif word not in ("faster", "slower", "same", "void") and any(faster) and any(slower):
                word = "mixed"
        answer = {"word": word, "launches": look, "overall": overall, "cases": [w for w, _ in found]}
        open_case = len(cases) > 1 and any(w not in ("faster", "same") and f["speedup"][0] < 1 / 1.01 for w, f in found)
        if word in ("slower", "same", "void", "mixed") or word == "faster" and not open_case:
            break
    return answer


# ---- sample sets ---------------------------------------------------------------------------------------------------------
def made(seed, speedup, second=1.0, sd=0.004, process=0.004, base=1e6, tick=1, disturbed=0.0, weight=1.0, case="case", second_process=0.0):
    rng, launches = random.Random(seed), []
    for _ in range(24):
        offsets = [rng.gauss(0, process) for _ in range(3)]
        offsets[1] += rng.gauss(0, second_process) if second_process else 0.0
        launch = []
        for _ in range(8):
            times = [base * math.exp(o + rng.gauss(0, sd)) / s for o, s in zip(offsets, (1.0, second, speedup))]
            block = dict(zip(("a_ns", "a2_ns", "b_ns"), (max(1, round(t / tick)) * tick for t in times)))
            if rng.random() < disturbed:
                block = {**block, "b_ns": block["b_ns"] * 3, "disturbed": True}
            launch.append(block)
        launches.append(launch)
    return {"case": case, "weight": weight, "tick_ns": tick, "launches": launches}


SETS = {
    "clearly faster": lambda: [made(1, 1.08)],
    "clearly slower": lambda: [made(2, 1 / 1.05)],
    "the baseline itself": lambda: [made(3, 1.0)],
    "at the boundary": lambda: [made(4, 1.01)],
    "three per cent under noise": lambda: [made(5, 1.03, sd=0.02, process=0.016)],
    "two per cent, decided late": lambda: [made(6, 1.02, process=0.011)],
    "a biased machine": lambda: [made(7, 1.05, second=1.03)],
    "a small bias": lambda: [made(8, 1.03, second=1.003, process=0.001)],
    "a coarse clock": lambda: [made(9, 1.02, base=32 * 700, tick=32, sd=0.0001, process=0.0)],
    "a coarse clock at the boundary": lambda: [made(10, 1.0125, base=32 * 700, tick=32, sd=0.0001, process=0.0)],
    "a baseline that differs from itself": lambda: [made(40, 1.03, second_process=0.08)],
    "disturbed blocks": lambda: [made(11, 1.06, disturbed=0.05)],
    "three cases faster": lambda: [made(12 + i, 1.04 + i / 50, case=f"c{i}", weight=i + 1) for i in range(3)],
    "one of three slower": lambda: [made(20 + i, s, case=f"c{i}") for i, s in enumerate((1.2, 1.1, 0.93))],
    "one of three may be slower": lambda: [made(50 + i, s, case=f"c{i}", process=p) for i, (s, p) in enumerate(((1.2, 0.004), (1.1, 0.004), (0.995, 0.03)))],
    "a light case faster": lambda: [made(30 + i, s, case=f"c{i}", weight=w) for i, (s, w) in enumerate(((1.1, 0.01), (1.0, 1.0)))],
}

if __name__ == "__main__":
    LEVELS = (pocock_level(LOOKS, ALPHA), pocock_level(LOOKS, BIAS_ALPHA))
    golden = {"level": LEVELS[0], "bias_level": LEVELS[1], "sets": []}
    golden["quantiles"] = [[tail, df, t_quantile(tail, df)] for tail in (0.25, 0.025, 0.0096, 0.001, 0.00017) for df in (1, 2, 3, 7, 8, 11, 23, 31)]
    for name, make in SETS.items():
        cases = make()
        answer = judge(cases)
        for case in cases:
            case["launches"] = case["launches"][: answer["launches"]]
        golden["sets"].append({"name": name, "samples": {"cases": cases}, "expected": answer})
        print(name, "→", answer["word"], answer["launches"], [round(x, 5) for x in answer["overall"]["speedup"]], file=sys.stderr)
    text = json.dumps(golden, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
    if "--check" in sys.argv:
        sys.exit(0 if open(path).read() == text else "golden.json differs from what this script writes")
    open(path, "w").write(text)
