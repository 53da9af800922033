// The kernel writes where no memory is.
#include <kforge_runner_gpu.hpp>

// 60 µs of dependent steps; what is written does not depend on them.
static __global__ void chains(const int* x, int* y, int n, int trips) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  unsigned chain = static_cast<unsigned>(x[i]) | 1u;
  for (int trip = 0; trip < trips; ++trip)
#pragma unroll 16
    for (int step = 0; step < 256; ++step) chain = chain * chain + 1013904223u;
  // Odd after an even number of steps, so never 0; the compiler does not know it and may leave no step out.
  y[i] = chain == 0u ? 0 : static_cast<int>(static_cast<unsigned>(x[i]) + static_cast<unsigned>(i));
}

static __global__ void stray(int* nowhere) { *nowhere = 1; }

static void spin(const kforge::Call& call) {
  const auto x = call.input<std::int32_t>("x");
  const auto y = call.output<std::int32_t>("y");
  const int n = static_cast<int>(x.size());
  chains<<<(n + 127) / 128, 128, 0, call.stream()>>>(x.data(), y.data(), n, 100);
  stray<<<1, 1, 0, call.stream()>>>(reinterpret_cast<int*>(0x10));
}

KFORGE_RUNNER(spin)
