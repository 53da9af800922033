// The candidate: your idea. This one multiplies by the reciprocal of the sum instead of dividing every column.
#include <kforge_runner.hpp>

#include <cmath>

static void softmax(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto y = call.output<float>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = x.data() + r * cols;
    float* out = y.data() + r * cols;
    float most = row[0], sum = 0.0f;
    for (std::int64_t c = 0; c < cols; ++c) most = row[c] > most ? row[c] : most;
    for (std::int64_t c = 0; c < cols; ++c) sum += out[c] = std::exp(row[c] - most);
    const float scale = 1.0f / sum;
    for (std::int64_t c = 0; c < cols; ++c) out[c] *= scale;
  }
}

KFORGE_RUNNER(softmax)
