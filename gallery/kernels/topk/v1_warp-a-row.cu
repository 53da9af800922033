// v3: as few barriers as possible. Short rows get a warp each, which needs none: a round is a maximum and a minimum over the warp, one instruction
// each. Long rows get a block and four barriers in all: the k-th largest of what each thread has as its largest bounds the result from below, few
// logits are left above it, and each of these counts how many are larger than itself, which is its place.
#include <kforge_runner_gpu.hpp>

#include <cfloat>

constexpr int LANES = 32;
constexpr unsigned ALL = 0xffffffffu;
constexpr int ROWS_A_BLOCK = 4;      // warps of a block of short rows
constexpr int SHORT_COLS = 512, SHORT_KEPT = 32;
constexpr int THREADS = 256;         // of a block with one long row
constexpr int LONG_COLS = 4096, LONG_KEPT = 64;

// Unsigned integers in the order of the floats; 0 is below them all.
__device__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(unsigned order) { return __uint_as_float(order >> 31 != 0 ? order & 0x7fffffffu : ~order); }

__device__ float over_warp(float value) {
  for (int step = LANES / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL, value, step);
  return value;
}

template <int EACH>
__global__ void __launch_bounds__(ROWS_A_BLOCK * LANES) short_rows(const float* logits, int* indices, float* values, int rows, int cols, int k) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS_A_BLOCK + threadIdx.x / LANES;
  if (row >= rows) return;
  unsigned order[EACH];
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int column = i * LANES + lane;
    order[i] = column < cols ? ordered(logits[row * cols + column]) : 0;
  }
  // What the lane's own turn found.
  unsigned kept = 0, column = 0;
  for (int turn = 0; turn < k; ++turn) {
    unsigned best = 0, at = 0;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      if (order[i] > best) best = order[i], at = i * LANES + lane;
    }
    const unsigned most = __reduce_max_sync(ALL, best);
    const unsigned where = __reduce_min_sync(ALL, best == most ? at : ALL);
    if (lane == turn) kept = most, column = where;
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      if (i * LANES + lane == where) order[i] = 0;
    }
  }
  const float first = value_of(__shfl_sync(ALL, kept, 0));
  const float part = lane < k ? expf(value_of(kept) - first) : 0.0f;
  const float total = over_warp(part);
  if (lane < k) {
    indices[row * k + lane] = static_cast<int>(column);
    values[row * k + lane] = part / total;
  }
}

// Larger values first, then lower columns.
__device__ unsigned long long key_of(float value, int column) { return static_cast<unsigned long long>(ordered(value)) << 32 | (ALL - static_cast<unsigned>(column)); }

__global__ void __launch_bounds__(THREADS) long_rows(const float* logits, int* indices, float* values, int cols, int k) {
  __shared__ unsigned long long largest[THREADS];
  __shared__ unsigned long long left[LONG_COLS];
  __shared__ unsigned long long bound;
  __shared__ int count;
  __shared__ float kept[LONG_KEPT];
  const int thread = static_cast<int>(threadIdx.x);
  const long long row = blockIdx.x;
  unsigned long long key[LONG_COLS / THREADS], best = 0;
#pragma unroll
  for (int i = 0; i < LONG_COLS / THREADS; ++i) {
    const int column = i * THREADS + thread;
    key[i] = column < cols ? key_of(logits[row * cols + column], column) : 0;
    best = key[i] > best ? key[i] : best;
  }
  largest[thread] = best;
  if (thread == 0) count = 0;
  __syncthreads();
  int above = 0;
#pragma unroll 16
  for (int i = 0; i < THREADS; ++i) above += largest[i] > best;
  // Keys differ, so that this is one thread; threads without a logit have at least k above them.
  if (above == k - 1) bound = best;
  __syncthreads();
  const unsigned long long least = bound;
#pragma unroll
  for (int i = 0; i < LONG_COLS / THREADS; ++i) {
    if (key[i] >= least) left[atomicAdd(&count, 1)] = key[i];
  }
  __syncthreads();
  const int many = count;
  for (int mine = thread; mine < many; mine += THREADS) {
    const unsigned long long own = left[mine];
    int place = 0;
    for (int i = 0; i < many; ++i) place += left[i] > own;
    if (place < k) {
      indices[row * k + place] = static_cast<int>(ALL - static_cast<unsigned>(own));
      kept[place] = value_of(static_cast<unsigned>(own >> 32));
    }
  }
  __syncthreads();
  if (thread >= LANES) return;
  float total = 0.0f;
  for (int place = thread; place < k; place += LANES) total += expf(kept[place] - kept[0]);
  total = over_warp(total);
  for (int place = thread; place < k; place += LANES) values[row * k + place] = expf(kept[place] - kept[0]) / total;
}

static void topk(const kforge::Call& call) {
  const int rows = static_cast<int>(call.param("rows")), cols = static_cast<int>(call.param("cols")), k = static_cast<int>(call.param("k"));
  const auto logits = call.input<float>("logits").data();
  const auto indices = call.output<int>("indices").data();
  const auto values = call.output<float>("values").data();
  if (k > LONG_KEPT || cols > LONG_COLS) throw std::runtime_error("rows of more than 4096 logits, or more than 64 of them, are not what this kernel is for");
  const int blocks = (rows + ROWS_A_BLOCK - 1) / ROWS_A_BLOCK, threads = ROWS_A_BLOCK * LANES;
  if (k > SHORT_KEPT || cols > SHORT_COLS)
    long_rows<<<rows, THREADS, 0, call.stream()>>>(logits, indices, values, cols, k);
  else if (cols <= 8 * LANES)
    short_rows<8><<<blocks, threads, 0, call.stream()>>>(logits, indices, values, rows, cols, k);
  else
    short_rows<16><<<blocks, threads, 0, call.stream()>>>(logits, indices, values, rows, cols, k);
}

KFORGE_RUNNER(topk)
