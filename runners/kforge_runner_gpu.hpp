// kforge runner harness for GPUs, for CUDA (nvcc, clang) and HIP (hipcc, clang): the same verbs, with tensors in device memory and samples
// taken by device events.
//
// What it refuses: graphs of calls that cannot be captured, more held calls than the device's queue takes.
// Invariant: work that the calls leave running anywhere on the device once their batch is said to be done is reported beside the sample.
//
//     #include <kforge_runner_gpu.hpp>
//     __global__ void scale(const float* x, float* y, int n) { … }
//     static void run(const kforge::Call& call) {
//       const auto x = call.input<float>("x");
//       const auto y = call.output<float>("y");
//       scale<<<(y.size() + 255) / 256, 256, 0, call.stream()>>>(x.data(), y.data(), static_cast<int>(y.size()));
//     }
//     KFORGE_RUNNER(run)
#ifndef KFORGE_RUNNER_GPU_HPP
#define KFORGE_RUNNER_GPU_HPP

#if defined(__HIPCC__) || defined(__HIP__)
#include <hip/hip_runtime.h>
#define KFORGE_GPU(name) hip##name
#define KFORGE_GPU_NAME "hip"
#define KFORGE_GPU_PROPERTIES hipDeviceProp_t
#define KFORGE_COMPUTE_MODE hipDeviceAttributeComputeMode
#define KFORGE_ECC hipDeviceAttributeEccEnabled
#define KFORGE_HOST_ALLOC hipHostMalloc
#define KFORGE_HOST_MAPPED hipHostMallocMapped
#else
#include <cuda_runtime.h>
#define KFORGE_GPU(name) cuda##name
#define KFORGE_GPU_NAME "cuda"
#define KFORGE_GPU_PROPERTIES cudaDeviceProp
#define KFORGE_COMPUTE_MODE cudaDevAttrComputeMode
#define KFORGE_ECC cudaDevAttrEccEnabled
#define KFORGE_HOST_ALLOC cudaHostAlloc
#define KFORGE_HOST_MAPPED cudaHostAllocMapped
#endif

namespace kforge {
namespace detail {

// The stream that calls are put into. Work in the default stream is ordered with it, so that such work is inside the sample too.
inline KFORGE_GPU(Stream_t)& stream_slot() {
  static KFORGE_GPU(Stream_t) stream = nullptr;
  return stream;
}
inline KFORGE_GPU(Stream_t) stream() { return stream_slot(); }

}  // namespace detail
}  // namespace kforge

#define KFORGE_STREAM KFORGE_GPU(Stream_t)
#include "kforge_runner.hpp"

#include <cmath>
#include <map>

namespace kforge {
namespace detail {

inline void succeed(KFORGE_GPU(Error_t) status, const char* what) {
  if (status != KFORGE_GPU(Success)) throw std::runtime_error(std::string(what) + ": " + KFORGE_GPU(GetErrorString)(status));
}

// For a status that changes nothing: what was asked for is optional, or the object is gone anyway.
inline void regardless(KFORGE_GPU(Error_t)) {}

// Occupies its stream until the host raises the flag, or `most` cycles have passed.
static __global__ void hold(const volatile int* flag, long long most) {
  const long long start = clock64();
  while (*flag == 0 && clock64() - start < most) {
  }
}

class Gpu final : public Backend {
 public:
  const char* device() const override { return KFORGE_GPU_NAME; }
  const char* clock() const override { return KFORGE_GPU_NAME " events"; }

  std::int64_t tick() override {
    ready();
    // Two events next to each other are a few steps apart; the smallest difference between such distances is one step.
    std::vector<std::int64_t> seen;
    for (int i = 0; i < 256; ++i) {
      record(start_);
      record(end_);
      succeed(KFORGE_GPU(EventSynchronize)(end_), "waiting for an event");
      seen.push_back(between(start_, end_));
    }
    std::sort(seen.begin(), seen.end());
    std::int64_t best = 1000;
    for (std::size_t i = 1; i < seen.size(); ++i)
      if (seen[i] > seen[i - 1]) best = std::min(best, seen[i] - seen[i - 1]);
    return std::max<std::int64_t>(best, 1);
  }

  std::string facts() override {
    ready();
    KFORGE_GPU_PROPERTIES properties{};
    succeed(KFORGE_GPU(GetDeviceProperties)(&properties, 0), "asking for the device's properties");
    char bus[32] = "";
    succeed(KFORGE_GPU(DeviceGetPCIBusId)(bus, sizeof bus, 0), "asking for the device's PCI id");
    int driver = 0, runtime = 0, mode = 0, ecc = 0;
    regardless(KFORGE_GPU(DriverGetVersion)(&driver));
    regardless(KFORGE_GPU(RuntimeGetVersion)(&runtime));
    regardless(KFORGE_GPU(DeviceGetAttribute)(&mode, KFORGE_COMPUTE_MODE, 0));
    regardless(KFORGE_GPU(DeviceGetAttribute)(&ecc, KFORGE_ECC, 0));
#if defined(__HIPCC__) || defined(__HIP__)
    const std::string arch = properties.gcnArchName;
#else
    const std::string arch = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
#endif
    std::string out = "{\"name\":" + Json::quote(properties.name) + ",\"arch\":" + Json::quote(arch) + ",\"pci\":" + Json::quote(bus);
    const std::pair<const char*, std::string> numbers[] = {
        {"memory_bytes", std::to_string(properties.totalGlobalMem)}, {"l2_bytes", std::to_string(properties.l2CacheSize)},
        {"units", std::to_string(properties.multiProcessorCount)},   {"driver_version", std::to_string(driver)},
        {"runtime_version", std::to_string(runtime)},                {"compute_mode", std::to_string(mode)},
        {"ecc", std::to_string(ecc)}};
    for (const auto& number : numbers) out += std::string(",\"") + number.first + "\":" + number.second;
    return out + "}";
  }

  std::shared_ptr<unsigned char> allocate(std::size_t bytes, const std::string& name) override {
    ready();
    void* raw = nullptr;
    if (KFORGE_GPU(Malloc)(&raw, bytes + 64) != KFORGE_GPU(Success)) {
      regardless(KFORGE_GPU(GetLastError)());
      throw std::runtime_error("no device memory for tensor '" + name + "' of " + std::to_string(bytes) + " bytes");
    }
    succeed(KFORGE_GPU(Memset)(raw, 0, bytes + 64), "clearing a tensor");
    return std::shared_ptr<unsigned char>(static_cast<unsigned char*>(raw), [](unsigned char* memory) {
      regardless(KFORGE_GPU(Free)(memory));
    });
  }
  void write(unsigned char* to, const unsigned char* from, std::size_t bytes) override { move(to, from, bytes, KFORGE_GPU(MemcpyHostToDevice)); }
  void read(unsigned char* to, const unsigned char* from, std::size_t bytes) override { move(to, from, bytes, KFORGE_GPU(MemcpyDeviceToHost)); }
  void copy(unsigned char* to, const unsigned char* from, std::size_t bytes) override {
    move(to, from, bytes, KFORGE_GPU(MemcpyDeviceToDevice));
    // Copies inside the device do not wait by themselves.
    succeed(KFORGE_GPU(StreamSynchronize)(nullptr), "copying a tensor");
  }
  unsigned char* host(unsigned char*) override { return nullptr; }
  void forget() override {
    for (auto& graph : graphs_) {
      regardless(KFORGE_GPU(GraphExecDestroy)(graph.second));
    }
    graphs_.clear();
  }

  Sample time(const Plan& plan) override {
    using clock = std::chrono::steady_clock;
    ready();
    const auto begin = clock::now();
    KFORGE_GPU(GraphExec_t) graph = plan.launching == Launching::graph ? recorded(plan) : nullptr;
    if (plan.behind_sweep) record(swept_);
    flush(plan.flush_bytes, !plan.behind_sweep);
    std::int64_t aside = elapsed(begin, clock::now());
    if (plan.launching == Launching::held) {
      *flag_ = 0;
      hold<<<1, 1, 0, stream()>>>(flag_device_, 6000000000LL);
    }
    const auto queued = clock::now();
    try {
      record(start_);
      if (graph != nullptr) {
        succeed(KFORGE_GPU(GraphLaunch)(graph, stream()), "replaying the calls");
      } else {
        plan.enqueue();
        succeed(KFORGE_GPU(GetLastError)(), "a launch of the calls");
      }
      record(end_);
    } catch (...) {
      // What waits for the flag would wait for seconds.
      if (flag_ != nullptr) *flag_ = 1;
      throw;
    }
    if (plan.launching == Launching::held) {
      const std::int64_t held = elapsed(queued, clock::now());
      *flag_ = 1;
      aside += held;
      if (held > 1000000000) throw std::runtime_error("the device's queue does not take " + std::to_string(plan.calls) + " held calls");
    }
    succeed(KFORGE_GPU(EventSynchronize)(end_), "waiting for the calls");
    const auto done = clock::now();
    succeed(KFORGE_GPU(DeviceSynchronize)(), "waiting for the device");
    const std::int64_t late = elapsed(done, clock::now());
    if (plan.behind_sweep) aside = between(swept_, start_);
    return {between(start_, end_), late, aside};
  }

 private:
  bool made_ = false;
  KFORGE_GPU(Event_t) swept_ = nullptr, start_ = nullptr, end_ = nullptr;
  volatile int* flag_ = nullptr;
  int* flag_device_ = nullptr;
  std::shared_ptr<unsigned char> sweep_;
  std::size_t sweep_bytes_ = 0;
  int sweep_value_ = 0;
  std::map<std::string, KFORGE_GPU(GraphExec_t)> graphs_;

  // On first use, since the process that watches over this one must be made before any device is opened.
  void ready() {
    if (made_) return;
    succeed(KFORGE_GPU(SetDevice)(0), "opening the first visible device");
    succeed(KFORGE_GPU(StreamCreate)(&stream_slot()), "making a stream");
    succeed(KFORGE_GPU(EventCreate)(&swept_), "making an event");
    succeed(KFORGE_GPU(EventCreate)(&start_), "making an event");
    succeed(KFORGE_GPU(EventCreate)(&end_), "making an event");
    void* flag = nullptr;
    succeed(KFORGE_HOST_ALLOC(&flag, sizeof(int), KFORGE_HOST_MAPPED), "making a flag");
    flag_ = static_cast<volatile int*>(flag);
    succeed(KFORGE_GPU(HostGetDevicePointer)(reinterpret_cast<void**>(&flag_device_), flag, 0), "mapping a flag");
    made_ = true;
  }

  void record(KFORGE_GPU(Event_t) event) { succeed(KFORGE_GPU(EventRecord)(event, stream()), "recording an event"); }

  std::int64_t between(KFORGE_GPU(Event_t) from, KFORGE_GPU(Event_t) to) {
    float milliseconds = 0;
    succeed(KFORGE_GPU(EventElapsedTime)(&milliseconds, from, to), "reading the events");
    return std::llround(static_cast<double>(milliseconds) * 1e6);
  }

  void move(unsigned char* to, const unsigned char* from, std::size_t bytes, KFORGE_GPU(MemcpyKind) kind) {
    succeed(KFORGE_GPU(Memcpy)(to, from, bytes, kind), "copying a tensor");
  }

  // Writes a buffer of this size, with another value each time, and may wait for it; what calls asked the cache to keep is let go first.
  void flush(std::size_t bytes, bool wait) {
#if !defined(__HIPCC__) && !defined(__HIP__)
    regardless(cudaCtxResetPersistingL2Cache());
    regardless(cudaGetLastError());
#endif
    if (bytes == 0) return;
    if (sweep_bytes_ < bytes) {
      sweep_ = allocate(bytes, "cache sweep");
      sweep_bytes_ = bytes;
    }
    succeed(KFORGE_GPU(MemsetAsync)(sweep_.get(), ++sweep_value_ & 0xFF, bytes, stream()), "sweeping the cache");
    if (wait) succeed(KFORGE_GPU(StreamSynchronize)(stream()), "sweeping the cache");
  }

  // The calls of a batch as a graph, recorded once and replayed once before it is timed.
  KFORGE_GPU(GraphExec_t) recorded(const Plan& plan) {
    const auto known = graphs_.find(plan.sequence);
    if (known != graphs_.end()) return known->second;
    if (graphs_.size() >= 64) forget();
    KFORGE_GPU(Graph_t) graph = nullptr;
    succeed(KFORGE_GPU(StreamBeginCapture)(stream(), KFORGE_GPU(StreamCaptureModeRelaxed)), "beginning to record the calls");
    std::string trouble;
    try {
      plan.enqueue();
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    const auto ended = KFORGE_GPU(StreamEndCapture)(stream(), &graph);
    if (trouble.empty() && ended != KFORGE_GPU(Success)) trouble = KFORGE_GPU(GetErrorString)(ended);
    regardless(KFORGE_GPU(GetLastError)());
    if (!trouble.empty()) throw std::runtime_error("the calls cannot be recorded into a graph: " + trouble);
    KFORGE_GPU(GraphExec_t) ready = nullptr;
    succeed(KFORGE_GPU(GraphInstantiateWithFlags)(&ready, graph, 0), "making the graph ready");
    regardless(KFORGE_GPU(GraphDestroy)(graph));
    succeed(KFORGE_GPU(GraphLaunch)(ready, stream()), "replaying the calls for the first time");
    succeed(KFORGE_GPU(StreamSynchronize)(stream()), "replaying the calls for the first time");
    graphs_[plan.sequence] = ready;
    return ready;
  }
};

}  // namespace detail
}  // namespace kforge

#undef KFORGE_RUNNER
#define KFORGE_RUNNER(function)                \
  int main() {                                 \
    ::kforge::detail::Gpu backend;             \
    return ::kforge::serve(function, backend); \
  }

#endif  // KFORGE_RUNNER_GPU_HPP
