// The baseline: what is in use today. The same work as the compiler makes it.
#include <kforge_runner_gpu.hpp>

__global__ void __launch_bounds__(256) scaled_add_kernel(const float4* x, const float4* y, float4* z, float scale, unsigned quads) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= quads) return;
  const float4 a = x[i], b = y[i];
  z[i] = make_float4(a.x * scale + b.x, a.y * scale + b.y, a.z * scale + b.z, a.w * scale + b.w);
}

static void scaled_add(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto y = call.input<float>("y");
  const auto z = call.output<float>("z");
  const auto quads = static_cast<unsigned>(call.param("n") / 4);
  scaled_add_kernel<<<(quads + 255) / 256, 256, 0, call.stream()>>>(reinterpret_cast<const float4*>(x.data()), reinterpret_cast<const float4*>(y.data()),
                                                                    reinterpret_cast<float4*>(z.data()), 2.5f, quads);
}

KFORGE_RUNNER(scaled_add)
