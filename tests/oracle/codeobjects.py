#!/usr/bin/env python3
"""Code objects that compilers make here, and what their own tools print of them, beside what `kforge inspect` says.

    codeobjects.py KFORGE [--ptxas PATH ...] [--llvm SUFFIX]

AMD: clang compiles OpenCL kernels for every processor and code object version that it knows, `llvm-readelf --notes` prints the metadata, and
clang-offload-bundler packs them, plainly and compressed. NVIDIA: each ptxas compiles PTX for every processor that it knows and prints with `-v`
what a kernel takes. Every figure is compared; nothing of kforge is used but its answer. Prints Markdown; exit status 1 where a figure differs.
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

PROCESSORS = ["gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"]
VERSIONS = [4, 5, 6]
SOURCE = """
#define LOCAL __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GLOBAL (GROUP * 256 + LOCAL)

kernel void copy(global const float* a, global float* b) { b[GLOBAL] = a[GLOBAL]; }

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global const float* a, global float* b) {
  local float s[1024];
  int i = LOCAL;
  s[i] = a[GLOBAL];
  __builtin_amdgcn_s_barrier();
  for (int k = 128; k > 0; k >>= 1) { if (i < k) s[i] += s[i + k]; __builtin_amdgcn_s_barrier(); }
  if (i == 0) b[GROUP] = s[0];
}

kernel __attribute__((amdgpu_num_vgpr(24))) void crowded(global const float* a, global float* b, int n) {
  float r[96];
  for (int k = 0; k < 96; ++k) r[k] = a[GLOBAL * 96 + k];
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < 96; ++k) r[k] = r[k] * r[(k + 17) % 96] + r[(k + 5) % 96];
  for (int k = 0; k < 96; ++k) b[GLOBAL * 96 + k] = r[k];
}

kernel void indexed(global const int* a, global int* b, int n) {
  int r[64];
  for (int k = 0; k < 64; ++k) r[k] = a[k];
  for (int k = 0; k < n; ++k) r[a[k] & 63] += k;
  b[GLOBAL] = r[a[0] & 63];
}
"""
# The metadata's key and the name that kforge has for it.
METADATA = {".vgpr_count": "vgpr", ".agpr_count": "agpr", ".sgpr_count": "sgpr", ".group_segment_fixed_size": "lds_bytes",
            ".private_segment_fixed_size": "scratch_bytes", ".vgpr_spill_count": "vgpr_spills", ".sgpr_spill_count": "sgpr_spills",
            ".wavefront_size": "wave_size", ".max_flat_workgroup_size": "max_block", ".kernarg_segment_size": "kernarg_bytes"}

CHIPS = [52, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121]


def ptx(chip):
    """Kernels that need registers, shared memory, barriers, a stack, and a limit on threads."""
    many = 60
    loads = "".join(f"  ld.global.f32 %f{i}, [%rd1+{4 * i}];\n" for i in range(many))
    sums = "".join(f"  fma.rn.f32 %f{i}, %f{i}, %f{(i + 7) % many}, %f{(i + 13) % many};\n" for i in range(many)) * 2
    stores = "".join(f"  st.global.f32 [%rd1+{4 * i}], %f{i};\n" for i in range(many))
    head = f".version {'7.8' if chip <= 90 else '8.8'}\n.target sm_{chip}\n.address_size 64\n"
    param = "(.param .u64 p, .param .u32 n)"
    begin = "{\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<8>;\n  .reg .f32 %f<64>;\n  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [n];\n"
    return head + f"""
.visible .entry nothing() {{ ret; }}
.visible .entry shares{param} {begin}
  .shared .align 4 .b8 buffer[4096];
  mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, buffer; add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r6, [%r4]; st.global.u32 [%rd1], %r6; ret; }}
.visible .entry crowded{param} .maxntid 256, 1, 1 {begin}{loads}{sums}{stores}  ret; }}
.visible .entry squeezed{param} .maxnreg 32 {begin}{loads}{sums}{stores}  ret; }}
.visible .entry stacked{param} .reqntid 64, 2, 1 {begin}
  .local .align 8 .b8 frame[800];
  mov.u64 %rd2, frame; cvta.local.u64 %rd2, %rd2; and.b32 %r2, %r1, 127; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3;
  st.u32 [%rd4], %r1; ld.u32 %r3, [%rd2+64]; st.global.u32 [%rd1], %r3; ret; }}
"""


class Count:
    def __init__(self):
        self.equal, self.wrong, self.skipped = collections.Counter(), [], []

    def compare(self, what, where, expected, got):
        if expected == got:
            self.equal[what] += 1
        else:
            self.wrong.append(f"{what}: {where}: {expected} by the tool, {got} by kforge")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def inspect(kforge, path):
    done = run(kforge, "inspect", path, "--format", "json")
    answer = json.loads(done.stdout)
    return answer["data"]["kernels"] if answer["ok"] else answer["error"]


def notes(tool, path):
    """What llvm-readelf prints of each kernel: of its own keys, two columns into the list, not of its arguments'."""
    kernels, current = {}, None
    for line in run(tool, "--notes", path).stdout.splitlines():
        opened = re.match(r"( +)- \.(agpr_count|args|group_segment_fixed_size|kernarg_segment_align|device_enqueue_symbol):", line)
        if opened and len(opened[1]) == 2 or re.match(r"  - \.", line):
            current = {}
        found = re.match(r"  (?:  |- )(\.\w+): +(\S+)", line)
        if found and current is not None:
            current[found[1]] = found[2]
            if found[1] == ".name":
                kernels[found[2]] = current
    return kernels


def amd(kforge, suffix, folder, count):
    clang, readelf, bundler = (f"{tool}{suffix}" for tool in ("clang", "llvm-readelf", "clang-offload-bundler"))
    if not shutil.which(clang) or not shutil.which(readelf):
        return count.skipped.append(f"AMD: no {clang} or {readelf} here")
    source = folder / "kernels.cl"
    source.write_text(SOURCE)
    for processor in PROCESSORS:
        for version in VERSIONS:
            out = folder / f"{processor}.v{version}.co"
            done = run(clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}",
                       f"-mcode-object-version={version}", "-nogpulib", "-O2", "-o", out, source)
            if done.returncode:
                count.skipped.append(f"{processor}, version {version}: {next((line for line in done.stderr.splitlines() if 'error' in line), '?')[:100]}")
                continue
            figures(kforge, out, processor, version, notes(readelf, out), f"{processor}, version {version}", count)
        packed(kforge, bundler, folder, processor, count)


def figures(kforge, path, processor, version, expected, what, count):
    kernels = {kernel["name"]: kernel for kernel in inspect(kforge, path)}
    count.compare(what, "kernels", sorted(expected), sorted(kernels))
    for name, metadata in expected.items():
        mine = kernels.get(name, {})
        count.compare(what, name, processor, mine.get("arch"))
        count.compare(what, name, version, mine.get("code_object_version"))
        for key, figure in METADATA.items():
            count.compare(what, f"{name}{key}", int(metadata[key]) if key in metadata else None, mine.get(figure))


def packed(kforge, bundler, folder, processor, count):
    plain = folder / f"{processor}.v5.co"
    if not plain.exists():
        return
    if not shutil.which(bundler):
        return count.skipped.append(f"{processor}, bundles: no {bundler} here")
    empty = folder / "host.o"
    empty.write_bytes(b"")
    for name, more in (("bundle", []), ("compressed bundle", ["--compress"])):
        out = folder / f"{processor}.{name.replace(' ', '_')}"
        targets = f"-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--{processor}"
        done = run(bundler, "-type=o", "-bundle-align=4096", targets, f"-input={empty}", f"-input={plain}", f"-output={out}", *more)
        if done.returncode:
            count.skipped.append(f"{name}: {done.stderr[:100]}")
            continue
        count.compare(name, processor, without_place(inspect(kforge, plain)), without_place(inspect(kforge, out)))


def without_place(kernels):
    return [{key: value for key, value in kernel.items() if key != "member"} for kernel in kernels]


def printed(text):
    """What `ptxas -v` says of each entry function."""
    kernels, name = {}, None
    for line in text.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            name = found[1]
            kernels[name] = {"shared_bytes": 0, "barriers": 0, "stack_bytes": 0}
        if found := re.search(r"(\d+) bytes stack frame", line):
            kernels[name]["stack_bytes"] = int(found[1])
        if found := re.search(r"Used (\d+) registers", line):
            kernels[name]["registers"] = int(found[1])
            for pattern, figure in ((r"used (\d+) barriers", "barriers"), (r"(\d+) bytes smem", "shared_bytes")):
                if more := re.search(pattern, line):
                    kernels[name][figure] = int(more[1])
    return kernels


def nvidia(kforge, ptxas, folder, count):
    version = re.search(r"V([\d.]+)", run(ptxas, "--version").stdout)[1]
    for chip in CHIPS:
        source, out = folder / f"{chip}.ptx", folder / f"{version}.{chip}.cubin"
        source.write_text(ptx(chip))
        done = run(ptxas, "-v", f"-arch=sm_{chip}", "-o", out, source)
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if line.strip()), "?")
            count.skipped.append(f"ptxas {version}, sm_{chip}: {reason[:100]}")
            continue
        what = f"ptxas {version}"
        kernels = {kernel["name"]: kernel for kernel in inspect(kforge, out)}
        expected = printed(done.stdout + done.stderr)
        count.compare(what, f"sm_{chip} kernels", sorted(expected), sorted(kernels))
        for name, figures_of in expected.items():
            mine = kernels.get(name, {})
            count.compare(what, f"sm_{chip} {name}", f"sm_{chip}", mine.get("arch"))
            for figure, value in figures_of.items():
                got = mine.get(figure)
                # Older versions print no barriers, and a cubin without the attribute has none.
                if figure == "barriers" and (got is None or "barriers" not in done.stdout + done.stderr):
                    got = value if got is None and value == 0 else got
                    if "barriers" not in done.stdout + done.stderr:
                        continue
                count.compare(what, f"sm_{chip} {name} {figure}", value, got)
            limit = {"crowded": 256, "stacked": 128}.get(name)
            if limit:
                count.compare(what, f"sm_{chip} {name} max_block", limit, mine.get("max_block"))


def fat(kforge, ptxas, folder, count):
    """The cubins of a ptxas as the entries of a fat binary, plain and compressed."""
    fatbinary = pathlib.Path(ptxas).with_name("fatbinary")
    if not fatbinary.exists():
        return count.skipped.append(f"{ptxas.rsplit('/', 1)[-1]}: no fatbinary beside it")
    version = re.search(r"V([\d.]+)", run(ptxas, "--version").stdout)[1]
    cubins = [(chip, folder / f"{version}.{chip}.cubin") for chip in CHIPS]
    cubins = [(chip, cubin) for chip, cubin in cubins if cubin.exists()]
    single = [kernel for _, cubin in cubins for kernel in without_place(inspect(kforge, cubin))]
    for mode in ("none", "size", "speed"):
        out = folder / f"{version}.{mode}.fatbin"
        images = [f"--image3=kind=elf,sm={chip},file={cubin}" for chip, cubin in cubins]
        more = [] if mode == "none" else ["--compress-all"]
        done = run(fatbinary, f"--create={out}", "--64", f"--compress-mode={mode}", *more, *images)
        if done.returncode:
            count.skipped.append(f"fat binary of {version}, {mode}: {done.stderr[:100]}")
            continue
        both = sorted(map(json.dumps, without_place(inspect(kforge, out)))), sorted(map(json.dumps, single))
        for got, expected in zip(*both):
            count.compare(f"fat binary of {version}, {mode}", "kernel", expected, got)
        count.compare(f"fat binary of {version}, {mode}", "kernels", len(both[1]), len(both[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kforge", type=pathlib.Path)
    parser.add_argument("--ptxas", nargs="*", default=[])
    parser.add_argument("--llvm", default="-19", help="the ending of the names of LLVM's tools")
    arguments = parser.parse_args()
    kforge, count = arguments.kforge.resolve(), Count()
    with tempfile.TemporaryDirectory(prefix="kforge-codeobjects-") as name:
        amd(kforge, arguments.llvm, pathlib.Path(name), count)
        for ptxas in arguments.ptxas or filter(None, [shutil.which("ptxas")]):
            nvidia(kforge, ptxas, pathlib.Path(name), count)
            fat(kforge, ptxas, pathlib.Path(name), count)
    print("| compiled with or for | equal figures |\n|---|---:|")
    for what, equal in sorted(count.equal.items()):
        print(f"| {what} | {equal} |")
    print(f"\n{sum(count.equal.values())} figures are equal, {len(count.wrong)} differ.")
    for line in [*count.wrong, *("not made: " + line for line in count.skipped)]:
        print(f"\n- {line}")
    return 1 if count.wrong or not count.equal else 0


if __name__ == "__main__":
    sys.exit(main())
