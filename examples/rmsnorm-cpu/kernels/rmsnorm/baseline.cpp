// The baseline: one sum a row, one addition after the other.
#include <kforge_runner.hpp>

#include <cmath>

static void rmsnorm(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto w = call.input<float>("w");
  const auto y = call.output<float>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = x.data() + r * cols;
    float sum = 0.0f;
    for (std::int64_t c = 0; c < cols; ++c) sum += row[c] * row[c];
    const float scale = 1.0f / std::sqrt(sum / static_cast<float>(cols) + 1e-6f);
    for (std::int64_t c = 0; c < cols; ++c) y[r * cols + c] = row[c] * scale * w[c];
  }
}

KFORGE_RUNNER(rmsnorm)
