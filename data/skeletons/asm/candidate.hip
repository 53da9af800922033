// The candidate's host side: loads the code object that the build assembled from candidate.s, and launches its kernel.
#include <kforge_runner_gpu.hpp>

static hipFunction_t kernel() {
  static const hipFunction_t found = [] {
    hipModule_t module = nullptr;
    hipFunction_t function = nullptr;
    kforge::detail::succeed(hipModuleLoad(&module, "build/@OP@/first.co"), "loading the code object");
    kforge::detail::succeed(hipModuleGetFunction(&function, module, "scaled_add"), "finding the kernel");
    return function;
  }();
  return found;
}

static void scaled_add(const kforge::Call& call) {
  const float* x = call.input<float>("x").data();
  const float* y = call.input<float>("y").data();
  float* z = call.output<float>("z").data();
  float scale = 2.5f;
  unsigned quads = static_cast<unsigned>(call.param("n") / 4);
  void* arguments[] = {&x, &y, &z, &scale, &quads};
  kforge::detail::succeed(
      hipModuleLaunchKernel(kernel(), (quads + 255) / 256, 1, 1, 256, 1, 1, 0, call.stream(), arguments, nullptr), "launching the kernel");
}

KFORGE_RUNNER(scaled_add)
