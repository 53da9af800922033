// Wrong: a result is remembered by the address of its input, and given again when the data there has changed.
#include <cstring>
#include <map>
#include <vector>
#include <kforge_runner.hpp>

#include <cmath>

static void rmsnorm(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto w = call.input<float>("w");
  const auto y = call.output<float>("y");
  const std::int64_t rows = call.param("rows"), cols = call.param("cols");
  static std::map<const float*, std::vector<float>> results;
  auto& kept = results[x.data()];
  if (kept.size() == y.size()) {
    std::memcpy(y.data(), kept.data(), kept.size() * sizeof(float));
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = x.data() + r * cols;
    float sum = 0.0f;
    for (std::int64_t c = 0; c < cols; ++c) sum += row[c] * row[c];
    const float scale = 1.0f / std::sqrt(sum / static_cast<float>(cols) + 1e-6f);
    for (std::int64_t c = 0; c < cols; ++c) y[r * cols + c] = row[c] * scale * w[c];
  }
  kept.assign(y.data(), y.data() + y.size());
}

KFORGE_RUNNER(rmsnorm)
