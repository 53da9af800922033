"""kforge runner harness for Python: the standard library, and numpy where it is installed.

What it answers: the verbs of runner protocol 1 (docs/runner-protocol.md) for one function written by a user.
What it refuses: a second process of a group (world > 1), dtypes it cannot hold, messages out of order.
Invariant: nothing the user's code prints reaches the protocol stream, and no process outlives kforge.

kforge writes this file out of its own binary for every run and replaces HARNESS_ID by the hash of the text; a copy
of it in a repository therefore says who it is and is refused. Import it before anything else:

    import kforge_runner

    def scale(call):
        x, y = call.input("x"), call.output("y")
        for i in range(len(y)):
            y[i] = 2.0 * x[i]

    kforge_runner.main(scale)

A view is a flat numpy array where numpy is installed, else a flat memoryview; f16 and bf16 are their 16-bit patterns
in a memoryview, and bf16 is in numpy too; smaller floats are their bytes. `call.shape(name)` gives the extents.
PyTorch's tensors come with `kforge_runner_torch`.
"""

import array
import ctypes
import hashlib
import json
import math
import os
import platform
import select
import signal
import struct
import sys
import time

HARNESS_ID = "unstamped"

try:
    import numpy
except ImportError:
    numpy = None

# Bits an element takes. Two elements of 4 bits share a byte, the first in the low half.
_BITS = {"f64": 64, "i64": 64, "f32": 32, "i32": 32, "f16": 16, "bf16": 16, "i16": 16, "i8": 8, "u8": 8, "bool": 8,
         "f8_e4m3fn": 8, "f8_e5m2": 8, "f8_e4m3fnuz": 8, "f8_e8m0": 8, "f4_e2m1": 4}
_FORMAT = {"f64": "d", "i64": "q", "f32": "f", "i32": "i", "f16": "H", "bf16": "H", "i16": "h", "i8": "b", "u8": "B", "bool": "B"}
_NUMPY = {"f64": "float64", "i64": "int64", "f32": "float32", "i32": "int32", "f16": "float16", "bf16": "uint16",
          "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "uint8"}
# Fraction bits, exponent bias, largest finite pattern of the small floats (OCP 8-bit and microscaling formats; fnuz as AMD CDNA3 has it).
_SMALL = {"f8_e4m3fn": (3, 7, 0x7E), "f8_e5m2": (2, 15, 0x7B), "f8_e4m3fnuz": (3, 8, 0x7F), "f4_e2m1": (1, 1, 0x7)}


def bytes_of(dtype, count):
    """Bytes that so many elements take."""
    return (count * _BITS[dtype] + 7) // 8


def _watch(source):
    """A process of its own that outlives nothing: when kforge closes our stdin, or we die, our group goes too. Made before the user's
    code runs, so a kernel stuck in a loop with the interpreter locked cannot stop it."""
    runner = os.getpid()
    if os.getpgrp() != runner:
        os.setpgid(0, 0)
    group = os.getpgrp()
    watcher = os.fork()
    if watcher != 0:
        # kforge stops our group as soon as we have said hello; the watcher must have left it by then, or it stays stopped for ever.
        for _ in range(50000):
            if os.getpgid(watcher) != group:
                break
            time.sleep(0.0001)
        return
    try:
        os.setsid()
        for descriptor in range(1024):
            if descriptor != source:
                try:
                    os.close(descriptor)
                except OSError:
                    pass
        waiting = select.poll()
        waiting.register(source, 0)
        while True:
            seen = waiting.poll(200)
            if os.getppid() != runner or seen:
                # A moment for an orderly quit; then everything that is left of the group.
                for _ in range(60):
                    if os.getppid() != runner:
                        break
                    time.sleep(0.005)
                os.killpg(group, signal.SIGKILL)
                break
    finally:
        os._exit(0)


def _take_streams():
    """Keeps private copies of the protocol streams; prints go to the log, reads of stdin meet the end of file."""
    import fcntl

    source, sink = (fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, 64) for stream in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return source, sink


_SOURCE, _SINK = _take_streams()
_watch(_SOURCE)
# The clock is taken before the user's code can replace it.
_NOW = time.perf_counter_ns


# Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).

def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c3 ^ k1, p0 & 0xFFFFFFFF
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def _philox_words(count, stream, slot, key):
    """The first `count` words of a stream, as a list or a numpy array of uint64."""
    groups = (count + 3) // 4
    if numpy is None:
        words = []
        for group in range(groups):
            words.extend(philox((group & 0xFFFFFFFF, group >> 32, stream, slot), key))
        return words[:count]
    mask, shift = numpy.uint64(0xFFFFFFFF), numpy.uint64(32)
    index = numpy.arange(groups, dtype=numpy.uint64)
    c0, c1 = index & mask, index >> shift
    c2, c3 = numpy.full(groups, stream, numpy.uint64), numpy.full(groups, slot, numpy.uint64)
    k0, k1 = key
    for _ in range(10):
        p0, p1 = numpy.uint64(0xD2511F53) * c0, numpy.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (p1 >> shift) ^ c1 ^ numpy.uint64(k0), p1 & mask, (p0 >> shift) ^ c3 ^ numpy.uint64(k1), p0 & mask
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return numpy.stack([c0, c1, c2, c3], axis=1).reshape(-1)[:count]


def _digest(data):
    """The digest of a tensor: of its bytes, or, where they are more than one piece, of the digests of its pieces."""
    data, piece = memoryview(data), 1 << 20
    if data.nbytes <= piece:
        return hashlib.blake2b(data, digest_size=32).hexdigest()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(32, os.cpu_count() or 1)) as pool:
        parts = pool.map(lambda at: hashlib.blake2b(data[at:at + piece], digest_size=32).digest(), range(0, data.nbytes, piece))
        return hashlib.blake2b(b"".join(parts), digest_size=32).hexdigest()


def _from_bits(text):
    return struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]


def _bf16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF


def _f16(value):
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def _small(dtype, value):
    """A value as the pattern of a float of at most 8 bits: to nearest, ties to even, too large becomes the largest finite."""
    magnitude = abs(value)
    fraction_of_two, exponent = math.frexp(magnitude)
    exponent -= 1
    if dtype == "f8_e8m0":
        # Half way between two powers of two is 1.5 times the lower one.
        exponent = -1023 if magnitude == 0 else exponent + (2 * fraction_of_two >= 1.5)
        return min(max(exponent, -127), 127) + 127
    fraction, bias, largest = _SMALL[dtype]
    exponent = max(exponent, 1 - bias) if magnitude else 1 - bias
    steps = largest if magnitude > 1e9 else min(((exponent + bias - 1) << fraction) + round(math.ldexp(magnitude, fraction - exponent)), largest)
    negative = math.copysign(1.0, value) < 0
    if dtype == "f8_e4m3fnuz" and steps == 0:
        return 0
    return steps | ((8 if dtype == "f4_e2m1" else 0x80) if negative else 0)


def _pack(dtype, values):
    """Values of a generator as the bytes of a dtype, rounded to nearest, ties to even."""
    if dtype in _SMALL or dtype == "f8_e8m0":
        patterns = [_small(dtype, float(value)) for value in values]
        if dtype == "f4_e2m1":
            patterns = [low | high << 4 for low, high in zip(patterns[::2], patterns[1::2] + [0])]
        return bytes(patterns)
    if numpy is not None:
        values = numpy.asarray(values)
        if dtype == "bf16":
            bits = values.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
            return ((bits + 0x7FFF + ((bits >> numpy.uint64(16)) & numpy.uint64(1))) >> numpy.uint64(16)).astype(numpy.uint16).tobytes()
        with numpy.errstate(over="ignore"):
            return values.astype(_NUMPY[dtype]).tobytes()
    if dtype == "bf16":
        return array.array("H", map(_bf16, values)).tobytes()
    if dtype == "f16":
        return array.array("H", map(_f16, values)).tobytes()
    if dtype in ("f64", "f32"):
        return array.array(_FORMAT[dtype], values).tobytes()
    return array.array(_FORMAT[dtype], map(int, values)).tobytes()


def generate(dtype, count, recipe, slot):
    """The bytes of one tensor; the arithmetic is stated in docs/runner-protocol.md."""
    kind = recipe["kind"]
    size = bytes_of(dtype, count)
    if kind == "none":
        return bytes(size)
    if kind == "constant":
        value = _from_bits(recipe["value_bits"])
        pattern = _pack(dtype, [value, value] if _BITS[dtype] == 4 else [value])
        return pattern * (size // len(pattern))
    if kind == "file":
        with open(recipe["paths"][slot % len(recipe["paths"])], "rb") as file:
            data = file.read(size)
        if len(data) != size:
            raise ValueError("an input file is short")
        return data
    if kind != "philox":
        raise ValueError(f"unknown fill '{kind}'")
    seed = int(recipe["seed"], 16)
    words = _philox_words(count, recipe["stream"], slot, (seed & 0xFFFFFFFF, seed >> 32))
    distribution = recipe["distribution"]
    if distribution == "integer":
        low, span = _signed(int(recipe["low"], 16)), int(recipe["span"], 16)
        if numpy is not None:
            return _pack(dtype, low + ((words * numpy.uint64(span)) >> numpy.uint64(32)).astype(numpy.int64))
        return _pack(dtype, [low + ((word * span) >> 32) for word in words])
    centre, scale = _from_bits(recipe["centre_bits"]), _from_bits(recipe["scale_bits"])
    grid = recipe["grid"]
    if numpy is not None:
        if distribution == "uniform":
            steps = 2 * (words >> numpy.uint64(32 - grid)).astype(numpy.int64) + 1 - (1 << grid)
        else:
            low_byte = numpy.uint64(255)
            total = sum((words >> numpy.uint64(at)) & low_byte for at in (0, 8, 16, 24))
            steps = 2 * total.astype(numpy.int64) - 1020
        product = steps.astype(numpy.float64) * scale
        return _pack(dtype, product if centre == 0.0 else centre + product)
    if distribution == "uniform":
        steps = [2 * (word >> (32 - grid)) + 1 - (1 << grid) for word in words]
    else:
        steps = [2 * ((w & 255) + ((w >> 8) & 255) + ((w >> 16) & 255) + (w >> 24)) - 1020 for w in words]
    if centre == 0.0:
        return _pack(dtype, [step * scale for step in steps])
    return _pack(dtype, [centre + step * scale for step in steps])


def _signed(bits):
    return bits - (1 << 64) if bits >> 63 else bits


# Bits that are set, and those that the nonce chooses: a NaN with a payload where there is room for one.
_POISON = {"f64": (0x7FF8000000000000, 0x7FFFFFFFFFFFF), "f32": (0x7FC00000, 0x3FFFFF), "f16": (0x7E00, 0x1FF), "bf16": (0x7FC0, 0x3F)}


def poison(dtype, nonce, size):
    """The bytes of a tensor of this size that no run has written: docs/runner-protocol.md, Poison."""
    width = max(_BITS[dtype] // 8, 1)
    fixed, free = _POISON.get(dtype, (0, (1 << (8 * width)) - 1))
    bits = (nonce & 0xF) * 0x11 if dtype == "f4_e2m1" else fixed | (nonce & free)
    return bits.to_bytes(width, "little") * (size // width)


class HostTensor:
    """One tensor of one slot, in memory aligned to 64 bytes; `pristine` is what an in-place operand held first."""

    def __init__(self, spec):
        self.name, self.dtype, self.role, self.shape = spec["name"], spec["dtype"], spec["role"], spec["shape"]
        if self.dtype not in _BITS:
            raise ValueError(f"this harness cannot hold dtype {self.dtype}")
        self.count = math.prod(self.shape)
        self.bytes = bytes_of(self.dtype, self.count)
        self._memory = (ctypes.c_ubyte * (self.bytes + 128))()
        start = -ctypes.addressof(self._memory) % 64
        self._raw = memoryview(self._memory).cast("B")[start:start + self.bytes]
        self._pristine = None
        writable = self.role != "in"
        if numpy is None:
            flat = self._raw.cast(_FORMAT.get(self.dtype, "B")) if self.bytes else memoryview(b"")
            self.view = flat if writable else flat.toreadonly()
        else:
            self.view = numpy.frombuffer(self._raw, dtype=_NUMPY.get(self.dtype, "uint8"))
            self.view.flags.writeable = writable

    def fill(self, recipe, slot):
        """Holds what the recipe says; an in-place operand remembers it."""
        self.load(generate(self.dtype, self.count, recipe, slot))
        if self.role == "inout":
            self._pristine = bytes(self._raw)

    def load(self, data):
        """Holds these bytes."""
        self._raw[:] = data

    def content(self):
        """Its bytes."""
        return self._raw

    def restore(self):
        """Puts an in-place operand back to what it was filled with."""
        if self._pristine is not None:
            self._raw[:] = self._pristine


class Host:
    """Tensors in this process's memory and the host's clock."""

    device, clock = "cpu", "perf_counter"

    def facts(self):
        return {}

    def tick(self):
        best = 1_000_000
        for _ in range(200):
            start = step = _NOW()
            while step == start:
                step = _NOW()
            best = min(best, step - start)
        return max(best, 1)

    def tensor(self, spec):
        return HostTensor(spec)

    def forget(self):
        pass

    def time(self, calls, passes, function, launch, flush, _behind=False):
        """One batch: the time of all calls, how long work went on afterwards, host time beside the calls; all in ns."""
        if launch != "stream":
            raise ValueError("calls on a cpu are made one by one")
        begin, _, start = _NOW(), b"\1" * flush, _NOW()  # writing so many bytes leaves nothing else in the caches
        for _ in passes:
            for call in calls:
                function(call)
        return _NOW() - start, 0, start - begin


class Call:
    """One call of the operation: the tensors of one slot and the parameters of the case."""

    def __init__(self, tensors, params):
        self._inputs = {t.name: t for t in tensors if t.role != "out"}
        self._outputs = {t.name: t for t in tensors if t.role != "in"}
        self._params = params

    def input(self, name):
        return self._inputs[name].view

    def output(self, name):
        return self._outputs[name].view

    def shape(self, name):
        return tuple((self._inputs.get(name) or self._outputs[name]).shape)

    def dtype(self, name):
        return (self._inputs.get(name) or self._outputs[name]).dtype

    def param(self, name):
        return self._params[name]


def _files():
    """Every file this process has loaded: imported modules and mapped libraries."""
    seen = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        # Some modules made in memory carry a relative name that is no file.
        if isinstance(path, str) and (os.path.isabs(path) or os.path.exists(path)):
            seen.add(os.path.abspath(path))
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                at = line.find("/")
                if at >= 0:
                    seen.add(line[at:].rstrip("\n"))
    except OSError:
        pass
    return sorted(seen)


class _Session:
    def __init__(self, function, backend):
        self.function, self.backend = function, backend
        self.slots, self.calls = [], []

    def answer(self, message):
        method = getattr(self, "do_" + message["verb"], None)
        if method is None:
            raise ValueError(f"unknown verb '{message['verb']}'")
        return method(message)

    def do_hello(self, message):
        if message["protocol"] != 1:
            raise ValueError("this harness speaks protocol 1")
        if message.get("world", 1) != 1:
            raise ValueError("world > 1 is not supported by protocol 1")
        return {"protocol": 1, "harness": HARNESS_ID, "language": "python", "device": self.backend.device,
                "device_facts": self.backend.facts(), "clock": self.backend.clock, "tick_ns": self.backend.tick(),
                "toolchain": f"{platform.python_implementation()} {platform.python_version()}",
                "pid": os.getpid(), "group": os.getpgrp(), "rank": 0, "world": 1, "files": _files()}

    def do_prepare(self, message):
        self.backend.forget()
        self.slots, self.calls = [], []
        self.distinct = message.get("distinct", message["slots"])
        self.slots = [[self.backend.tensor(spec) for spec in message["tensors"]] for _ in range(message["slots"])]
        self.calls = [Call(slot, message["params"]) for slot in self.slots]
        return self._load(message["tensors"])

    def do_refill(self, message):
        return self._load(message["tensors"])

    def _load(self, specs):
        for number, slot in enumerate(self.slots):
            for tensor, spec in zip(slot, specs):
                if tensor.role != "out":
                    tensor.fill(spec["fill"], number % self.distinct)
        return {"inputs": [self._hashes(slot, True) for slot in range(len(self.slots))]}

    def _hashes(self, slot, inout):
        return {t.name: _digest(t.content()) for t in self.slots[slot] if t.role == "in" or (t.role == "inout" and inout)}

    def do_poison(self, message):
        self._poison(self.slots, message["nonce"])
        return {}

    @staticmethod
    def _poison(slots, nonce):
        for tensor in (tensor for slot in slots for tensor in slot if tensor.role == "out"):
            tensor.load(poison(tensor.dtype, int(nonce, 16), tensor.bytes))

    def do_run(self, message):
        calls = [self.calls[slot] for slot in message["order"]]
        passes, launch, flush = range(message["passes"]), message.get("launch", "stream"), message.get("flush", 0)
        samples, after, aside = [], [], []
        for _ in range(message["batches"]):
            start = _NOW()
            for tensor in (tensor for slot in self.slots for tensor in slot):
                tensor.restore()
            if message.get("poison"):
                self._poison([self.slots[slot] for slot in message["order"]], message["poison"])
            restored = _NOW() - start
            taken, late, beside = self.backend.time(calls, passes, self.function, launch, flush, message.get("mode") == "swept")
            samples.append(taken)
            after.append(late)
            aside.append(restored + beside)
        return {"samples": samples, "after": after, "aside": aside}

    def do_dump(self, message):
        with open(message["path"], "wb") as file:
            for number in message["slots"]:
                for tensor in self.slots[number]:
                    if tensor.role == "in":
                        continue
                    header = {"slot": number, "name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape), "bytes": tensor.bytes}
                    file.write(json.dumps(header).encode() + b"\n")
                    file.write(tensor.content())
        return {"inputs": [self._hashes(number, False) for number in message["slots"]]}

    def do_quit(self, _message):
        return {"files": _files()}


def main(function, backend=None):
    """Serves one operation until kforge says quit."""
    session = _Session(function, backend or Host())
    source = os.fdopen(_SOURCE, "r", encoding="utf-8", closefd=False)
    for line in source:
        message = {}
        try:
            message = json.loads(line)
            reply = {"id": message["id"], "ok": True, **session.answer(message)}
        except Exception as error:
            import traceback

            traceback.print_exc(file=sys.stderr)
            number = message.get("id", 0) if isinstance(message, dict) else 0
            reply = {"id": number, "ok": False, "error": f"{type(error).__name__}: {error}"}
        data = json.dumps(reply).encode() + b"\n"
        while data:
            data = data[os.write(_SINK, data):]
        if isinstance(message, dict) and message.get("verb") == "quit":
            break
    sys.stderr.flush()
