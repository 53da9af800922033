// The reference: the product and the sum in binary64; the output tensor is binary64 too. It runs on the processor.
#include <kforge_runner.hpp>

static void scaled_add(const kforge::Call& call) {
  const auto x = call.input<float>("x");
  const auto y = call.input<float>("y");
  const auto z = call.output<double>("z");
  for (std::int64_t i = 0; i < call.param("n"); ++i) z[i] = 2.5 * x[i] + y[i];
}

KFORGE_RUNNER(scaled_add)
