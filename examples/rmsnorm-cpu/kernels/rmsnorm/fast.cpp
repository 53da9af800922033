// Four columns at a time in eight vectors of partial sums: additions no longer wait for each other, and the scaling moves
// four columns with one instruction. The vectors are an extension that GCC and Clang have on every processor.
#include <kforge_runner.hpp>

#include <cmath>
#include <cstring>

using Four = float __attribute__((vector_size(16)));

static Four load(const float* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

static float mean_square(const float* row, std::int64_t cols) {
  Four part[8] = {};
  std::int64_t c = 0;
  for (; c + 32 <= cols; c += 32) {
    for (int lane = 0; lane < 8; ++lane) {
      const Four x = load(row + c + 4 * lane);
      part[lane] += x * x;
    }
  }
  float sum = 0.0f;
  for (; c < cols; ++c) sum += row[c] * row[c];
  const Four all = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  return (sum + ((all[0] + all[1]) + (all[2] + all[3]))) / static_cast<float>(cols);
}

static void rmsnorm(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto w = call.input<float>("w");
  const auto y = call.output<float>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = x.data() + r * cols;
    float* out = y.data() + r * cols;
    const float scale = 1.0f / std::sqrt(mean_square(row, cols) + 1e-6f);
    std::int64_t c = 0;
    for (; c + 4 <= cols; c += 4) {
      const Four scaled = load(row + c) * scale * load(w.data() + c);
      std::memcpy(out + c, &scaled, sizeof scaled);
    }
    for (; c < cols; ++c) out[c] = row[c] * scale * w[c];
  }
}

KFORGE_RUNNER(rmsnorm)
