"""kforge runner harness for PyTorch, and for whatever launches on its streams, Triton too.

Import it before anything else: it takes its clock and its events before other code can replace them.

    import kforge_runner_torch as kforge_runner
    import torch

    def norm(call):
        return torch.nn.functional.rms_norm(call.input("x"), (call.param("n"),), call.input("w"))

    kforge_runner.main(norm)

A function either writes into `call.output(name)` or returns its outputs, in their declared order. What it returns is taken as it is,
without a copy: a plain tensor of the declared type, shape and device, or the batch is refused. On a machine without a GPU the same
program runs on the CPU.

Invariant: work that the calls leave running anywhere on the device once their batch is said to be done is reported beside the sample.
"""

import ctypes
import math

import kforge_runner
import torch

from kforge_runner import Call, generate, poison  # noqa: F401  (Call is what functions get)

_CUDA = torch.cuda.is_available()
_DEVICE = torch.device("cuda", 0) if _CUDA else torch.device("cpu")
_NOW = kforge_runner._NOW
# Kept from before the user's code runs.
_ELAPSED, _RECORD, _WAIT = torch.cuda.Event.elapsed_time, torch.cuda.Event.record, torch.cuda.Event.synchronize
_SYNCHRONIZE = torch.cuda.synchronize

_TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool, "f4_e2m1": torch.uint8}
for _name, _attribute in {"f8_e4m3fn": "float8_e4m3fn", "f8_e5m2": "float8_e5m2", "f8_e4m3fnuz": "float8_e4m3fnuz",
                          "f8_e8m0": "float8_e8m0fnu"}.items():
    _TYPES[_name] = getattr(torch, _attribute, torch.uint8)

_MASK = 0xFFFFFFFF


def _philox_words(count, stream, slot, key):
    """The first `count` words of a stream on the device, as int64 of 32 bits; the same as kforge_runner.philox."""
    groups = (count + 3) // 4
    index = torch.arange(groups, dtype=torch.int64, device=_DEVICE)
    c0, c1 = index & _MASK, index >> 32
    c2, c3 = torch.full_like(index, stream), torch.full_like(index, slot)
    k0, k1 = key
    for _ in range(10):
        # A product of two 32-bit numbers wraps into the sign; its bits are right.
        p0, p1 = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = ((p1 >> 32) & _MASK) ^ c1 ^ k0, p1 & _MASK, ((p0 >> 32) & _MASK) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + 0x9E3779B9) & _MASK, (k1 + 0xBB67AE85) & _MASK
    return torch.stack([c0, c1, c2, c3], dim=1).reshape(-1)[:count]


def _values(count, recipe, slot):
    """The values of a philox recipe: int64 for integers, else float64."""
    seed = int(recipe["seed"], 16)
    words = _philox_words(count, recipe["stream"], slot, (seed & _MASK, seed >> 32))
    if recipe["distribution"] == "integer":
        low, span = kforge_runner._signed(int(recipe["low"], 16)), int(recipe["span"], 16)
        # A span of 2^32 is the word itself; a smaller one leaves 64 bits enough.
        return low + (words if span == 1 << 32 else ((words * span) >> 32) & _MASK)
    if recipe["distribution"] == "uniform":
        grid = recipe["grid"]
        steps = 2 * (words >> (32 - grid)) + 1 - (1 << grid)
    else:
        steps = 2 * sum((words >> at) & 255 for at in (0, 8, 16, 24)) - 1020
    centre, scale = kforge_runner._from_bits(recipe["centre_bits"]), kforge_runner._from_bits(recipe["scale_bits"])
    product = steps.to(torch.float64) * scale
    return product if centre == 0.0 else product + centre


def _steps(magnitude, fraction, bias):
    """The exponent field and fraction of small floats as one number, rounded to nearest, ties to even."""
    exponent = (torch.frexp(magnitude).exponent - 1).clamp(min=1 - bias)
    exponent = torch.where(magnitude == 0, torch.full_like(exponent, 1 - bias), exponent)
    scaled = torch.round(torch.ldexp(magnitude, fraction - exponent))
    return ((exponent + bias - 1) << fraction).to(torch.int64) + scaled.to(torch.int64)


def _bytes(dtype, values):
    """Values as the bytes of a dtype, on the device, flat; the same as kforge_runner._pack."""
    if not values.is_floating_point() and not dtype.startswith(("f", "b")) or dtype == "bool":
        return values.to(torch.uint8 if dtype == "bool" else _TYPES[dtype]).view(torch.uint8)
    values = values.to(torch.float64)
    if dtype == "f64":
        return values.view(torch.uint8)
    if dtype in ("f32", "bf16"):
        single = values.to(torch.float32)
        return single.view(torch.uint8) if dtype == "f32" else single.to(torch.bfloat16).view(torch.uint8)
    magnitude, negative = values.abs(), torch.signbit(values)
    if dtype == "f16":
        bits = torch.where(magnitude >= 65520.0, 0x7C00, _steps(magnitude.clamp(max=65520.0), 10, 15))
        bits = torch.where(negative, bits | 0x8000, bits)
        return torch.where(bits >= 0x8000, bits - 0x10000, bits).to(torch.int16).view(torch.uint8)
    if dtype == "f8_e8m0":
        parts = torch.frexp(magnitude)
        exponent = torch.where(magnitude == 0, -1023, parts.exponent - 1 + (2 * parts.mantissa >= 1.5))
        return (exponent.clamp(-127, 127) + 127).to(torch.uint8)
    fraction, bias, largest = kforge_runner._SMALL[dtype]
    bits = torch.where(magnitude > 1e9, largest, _steps(magnitude.clamp(max=1e9), fraction, bias).clamp(max=largest))
    sign = torch.where(negative, 8 if dtype == "f4_e2m1" else 0x80, 0)
    if dtype == "f8_e4m3fnuz":
        sign = torch.where(bits == 0, 0, sign)
    bits = (bits | sign).to(torch.uint8)
    return bits[::2] | bits[1::2] << 4 if dtype == "f4_e2m1" else bits


class TorchTensor:
    """One tensor of one slot on the device; `view` has the declared shape (of bytes, where two elements share one)."""

    def __init__(self, spec):
        self.name, self.dtype, self.role, self.shape = spec["name"], spec["dtype"], spec["role"], spec["shape"]
        if self.dtype not in _TYPES:
            raise ValueError(f"this harness cannot hold dtype {self.dtype}")
        self.count = math.prod(self.shape)
        self.bytes = kforge_runner.bytes_of(self.dtype, self.count)
        shape = list(self.shape)
        if self.dtype == "f4_e2m1":
            if not shape or shape[-1] % 2:
                raise ValueError(f"tensor {self.name} holds two elements a byte and needs an even last extent, not {list(shape)}")
            shape[-1] //= 2
        self._raw = torch.zeros(self.bytes, dtype=torch.uint8, device=_DEVICE)
        self.view = self.own = self._raw.view(_TYPES[self.dtype]).view(shape)
        self._pristine = None

    def fill(self, recipe, slot):
        """Holds what the recipe says; an in-place operand remembers it."""
        if recipe["kind"] == "philox":
            self._raw.copy_(_bytes(self.dtype, _values(self.count, recipe, slot)))
        else:
            self.load(generate(self.dtype, self.count, recipe, slot))
        if self.role == "inout":
            self._pristine = self._raw.clone()

    def load(self, data):
        """Holds these bytes; where a call returned another tensor, that one does too."""
        data = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(_DEVICE) if self.bytes else self._raw
        self._raw.copy_(data)
        if self.view is not self.own:
            # Of any strides: a call may return what it transposed.
            self.view.copy_(self.own)

    def content(self):
        """Its bytes."""
        here = self.view.detach().contiguous().view(-1).view(torch.uint8).cpu()
        return ctypes.string_at(here.data_ptr(), self.bytes) if self.bytes else b""

    def restore(self):
        """Puts an in-place operand back to what it was filled with."""
        if self._pristine is not None:
            self._raw.copy_(self._pristine)

    def take(self, returned):
        """A call returned this for the output: exactly what was declared, or it is no answer."""
        if type(returned) is not torch.Tensor:
            raise TypeError(f"output {self.name} is a {type(returned).__name__}, not a plain tensor")
        if returned.dtype != self.own.dtype or returned.shape != self.own.shape:
            raise TypeError(f"output {self.name} is {returned.dtype} {tuple(returned.shape)}, declared was {self.own.dtype} {tuple(self.own.shape)}")
        if returned.device != self.own.device or returned.layout != torch.strided:
            raise TypeError(f"output {self.name} is on {returned.device}, the tensors are on {self.own.device}")
        self.view = returned


class Torch:
    """Tensors of PyTorch and, on a GPU, samples of its events."""

    device = ("hip" if torch.version.hip else "cuda") if _CUDA else "cpu"
    clock = f"{device} events" if _CUDA else "perf_counter"

    def __init__(self):
        self._graphs = {}
        self._sweep = None
        if _CUDA:
            self._stream = torch.cuda.Stream()
            self._swept, self._start, self._end = (torch.cuda.Event(enable_timing=True) for _ in range(3))

    def facts(self):
        if not _CUDA:
            return {"torch": torch.__version__}
        facts = torch.cuda.get_device_properties(0)
        pci = "%04x:%02x:%02x.0" % (getattr(facts, "pci_domain_id", 0), getattr(facts, "pci_bus_id", 0), getattr(facts, "pci_device_id", 0))
        return {"name": facts.name, "arch": getattr(facts, "gcnArchName", None) or "sm_%d%d" % (facts.major, facts.minor), "pci": pci,
                "memory_bytes": facts.total_memory, "l2_bytes": getattr(facts, "L2_cache_size", None), "units": facts.multi_processor_count,
                "runtime": torch.version.hip or torch.version.cuda, "torch": torch.__version__}

    def tick(self):
        if not _CUDA:
            return kforge_runner.Host().tick()
        seen = []
        for _ in range(256):
            _RECORD(self._start)
            _RECORD(self._end)
            _WAIT(self._end)
            seen.append(round(_ELAPSED(self._start, self._end) * 1e6))
        seen.sort()
        steps = [after - before for before, after in zip(seen, seen[1:]) if after > before]
        return max(min(steps, default=1000), 1)

    def tensor(self, spec):
        return TorchTensor(spec)

    def forget(self):
        """Tensors are about to change: nothing recorded before may be replayed."""
        self._graphs.clear()

    def time(self, calls, passes, function, launch, flush, behind=False):
        """One batch: the time of all calls, how long work went on afterwards, host time beside the calls; all in ns."""
        if not _CUDA:
            if launch != "stream":
                raise ValueError("calls on a cpu are made one by one")
            begin, _, start = _NOW(), b"\1" * flush, _NOW()
            _all(calls, passes, function)
            return _NOW() - start, 0, start - begin
        begin = _NOW()
        with torch.cuda.stream(self._stream):
            self._stream.wait_stream(torch.cuda.default_stream())
            graph = self._recorded(calls, passes, function) if launch == "graph" else None
            if launch == "held":
                raise ValueError("calls from Python cannot be held back: launching them takes longer than they run; use a graph")
            if behind:
                _RECORD(self._swept, self._stream)
            self._flush(flush, not behind)
            aside = _NOW() - begin
            _RECORD(self._start, self._stream)
            if graph is not None:
                graph.replay()
            else:
                _all(calls, passes, function)
            _RECORD(self._end, self._stream)
            _WAIT(self._end)
            done = _NOW()
            _SYNCHRONIZE()
            late = _NOW() - done
            if behind:
                aside = round(_ELAPSED(self._swept, self._start) * 1e6)
            return round(_ELAPSED(self._start, self._end) * 1e6), late, aside

    def _flush(self, size, wait):
        if not size:
            return
        if self._sweep is None or self._sweep.numel() < size:
            self._sweep = torch.empty(size, dtype=torch.uint8, device=_DEVICE)
        if not wait:
            # As triton.testing.do_bench clears its buffer.
            self._sweep.zero_()
            return
        self._sweep.add_(1)
        self._stream.synchronize()

    def _recorded(self, calls, passes, function):
        """The calls of a batch as a graph, recorded once and replayed once before it is timed."""
        key = (tuple(map(id, calls)), len(passes))
        if key not in self._graphs:
            if len(self._graphs) >= 16:
                self._graphs.clear()
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="relaxed"):
                    _all(calls, passes, function)
            except Exception as error:
                raise RuntimeError(f"the calls cannot be recorded into a graph: {error}") from error
            graph.replay()
            self._stream.synchronize()
            # The outputs that calls returned while they were recorded are what every replay writes.
            self._graphs[key] = (graph, [(tensor, tensor.view) for call in calls for tensor in call._outputs.values()])
        graph, views = self._graphs[key]
        for tensor, view in views:
            tensor.view = view
        return graph


def _all(calls, passes, function):
    for _ in passes:
        for call in calls:
            returned = function(call)
            if returned is not None:
                _bind(call, returned)


def _bind(call, returned):
    outputs = [tensor for tensor in call._outputs.values() if tensor.role == "out"]
    returned = returned if isinstance(returned, (tuple, list)) else (returned,)
    if len(returned) != len(outputs):
        raise TypeError(f"a call returned {len(returned)} outputs, {len(outputs)} are declared")
    for tensor, value in zip(outputs, returned):
        tensor.take(value)


def main(function):
    """Serves one operation until kforge says quit."""
    kforge_runner.main(function, Torch())
