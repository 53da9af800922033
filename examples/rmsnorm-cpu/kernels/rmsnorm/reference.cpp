// The reference: sums, root and product in binary64; the output tensor is binary64 too.
#include <kforge_runner.hpp>

#include <cmath>

static void rmsnorm(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto w = call.input<float>("w");
  const auto y = call.output<double>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < cols; ++c) sum += static_cast<double>(x[r * cols + c]) * x[r * cols + c];
    const double scale = 1.0 / std::sqrt(sum / static_cast<double>(cols) + 1e-6);
    for (std::int64_t c = 0; c < cols; ++c) y[r * cols + c] = x[r * cols + c] * scale * w[c];
  }
}

KFORGE_RUNNER(rmsnorm)
