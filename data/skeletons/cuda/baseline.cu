// The baseline: what is in use today. One block a row, three passes over the row in global memory.
#include <kforge_runner_gpu.hpp>

#include <cfloat>

constexpr int THREADS = 256;

__device__ float across(float value, float (*join)(float, float), float* shared) {
  const int lane = static_cast<int>(threadIdx.x);
  shared[lane] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (lane < half) shared[lane] = join(shared[lane], shared[lane + half]);
    __syncthreads();
  }
  const float all = shared[0];
  __syncthreads();
  return all;
}

__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ float sum(float a, float b) { return a + b; }

__global__ void softmax_rows(const float* x, float* y, int cols) {
  __shared__ float shared[THREADS];
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float most = -FLT_MAX, total = 0.0f;
  for (int c = threadIdx.x; c < cols; c += THREADS) most = larger(most, row[c]);
  most = across(most, larger, shared);
  for (int c = threadIdx.x; c < cols; c += THREADS) total += out[c] = expf(row[c] - most);
  total = across(total, sum, shared);
  for (int c = threadIdx.x; c < cols; c += THREADS) out[c] /= total;
}

static void softmax(const kforge::Call& call) {
  const int rows = static_cast<int>(call.param("rows")), cols = static_cast<int>(call.param("cols"));
  softmax_rows<<<rows, THREADS, 0, call.stream()>>>(call.input<float>("x").data(), call.output<float>("y").data(), cols);
}

KFORGE_RUNNER(softmax)
