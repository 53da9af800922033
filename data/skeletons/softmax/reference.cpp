// The reference: sums and exponentials in binary64; the output tensor is binary64 too. It runs on the processor.
#include <kforge_runner.hpp>

#include <cmath>

static void softmax(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto y = call.output<double>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  // Rows side by side on the machine's processors; a reference is not timed.
  kforge::in_pieces(rows, 1 + (1 << 16) / cols, [&](std::size_t first, std::size_t last) {
    for (std::int64_t r = first; r < static_cast<std::int64_t>(last); ++r) {
      double most = x[r * cols], sum = 0.0;
      for (std::int64_t c = 0; c < cols; ++c) most = std::fmax(most, x[r * cols + c]);
      for (std::int64_t c = 0; c < cols; ++c) sum += y[r * cols + c] = std::exp(x[r * cols + c] - most);
      for (std::int64_t c = 0; c < cols; ++c) y[r * cols + c] /= sum;
    }
  });
}

KFORGE_RUNNER(softmax)
