// The candidate: your idea. This one reads the row once for maximum and sum together, correcting the sum when a larger value is met, and
// once more to write.
#include <kforge_runner_gpu.hpp>

#include <cfloat>

constexpr int THREADS = 256;

struct Part {
  float most, total;
};

__device__ Part join(Part a, Part b) {
  const float most = a.most > b.most ? a.most : b.most;
  return {most, a.total * expf(a.most - most) + b.total * expf(b.most - most)};
}

__global__ void softmax_rows(const float* x, float* y, int cols) {
  __shared__ Part shared[THREADS];
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  const int lane = static_cast<int>(threadIdx.x);
  Part mine = {-FLT_MAX, 0.0f};
  for (int c = lane; c < cols; c += THREADS) mine = join(mine, {row[c], 1.0f});
  shared[lane] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (lane < half) shared[lane] = join(shared[lane], shared[lane + half]);
    __syncthreads();
  }
  const float most = shared[0].most, scale = 1.0f / shared[0].total;
  for (int c = lane; c < cols; c += THREADS) out[c] = expf(row[c] - most) * scale;
}

static void softmax(const kforge::Call& call) {
  const int rows = static_cast<int>(call.param("rows")), cols = static_cast<int>(call.param("cols"));
  softmax_rows<<<rows, THREADS, 0, call.stream()>>>(call.input<float>("x").data(), call.output<float>("y").data(), cols);
}

KFORGE_RUNNER(softmax)
