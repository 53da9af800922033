// Where the tensors of a runner live and how a batch of calls is timed: the host's memory and clock here, a device's in
// kforge_runner_gpu.hpp. Part of kforge_runner.hpp.
//
// Invariant: memory that a backend gives out is zeroed and at least 64 bytes aligned; a sample spans all calls of a batch and nothing else.
#ifndef KFORGE_RUNNER_BACKEND_HPP
#define KFORGE_RUNNER_BACKEND_HPP

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kforge {

// How calls reach the device: one by one, recorded into a graph that is replayed, or queued behind a kernel that holds them back until all
// are there. The last two keep the host's launch time out of the samples of short kernels.
enum class Launching { stream, graph, held };

// One batch as the backend sees it.
struct Plan {
  Launching launching = Launching::stream;
  // Bytes to sweep through the caches before every sample; 0 leaves them as they are.
  std::size_t flush_bytes = 0;
  // The calls wait on the device behind the sweep instead of starting after it is done.
  bool behind_sweep = false;
  // Names the sequence of calls, so that a graph of it is recorded once.
  std::string sequence;
  // How many calls `enqueue` makes.
  std::uint64_t calls = 0;
  // Makes all calls of the batch.
  std::function<void()> enqueue;
};

// What one batch took, all in ns.
struct Sample {
  // From the first call's start to the last call's end, by the backend's clock.
  std::int64_t ns = 0;
  // How long the device still worked once the batch was said to be done.
  std::int64_t after_ns = 0;
  // Host time beside the calls: sweeping caches, recording, queueing what is held back.
  std::int64_t aside_ns = 0;
};

namespace detail {
class Host;
class Gpu;
}  // namespace detail

// Only the harness's own two kinds derive from it: what a subject brings is a function, never a clock or a memory.
class Backend {
  friend class detail::Host;
  friend class detail::Gpu;
  Backend() = default;

 public:
  virtual ~Backend() = default;
  virtual const char* device() const = 0;
  virtual const char* clock() const = 0;
  // The shortest step of the clock that takes samples, ns.
  virtual std::int64_t tick() = 0;
  // A JSON object of what the device is, or `{}`.
  virtual std::string facts() { return "{}"; }
  virtual std::shared_ptr<unsigned char> allocate(std::size_t bytes, const std::string& name) = 0;
  // Host to tensor, tensor to host, tensor to tensor; each is done when it returns.
  virtual void write(unsigned char* to, const unsigned char* from, std::size_t bytes) = 0;
  virtual void read(unsigned char* to, const unsigned char* from, std::size_t bytes) = 0;
  virtual void copy(unsigned char* to, const unsigned char* from, std::size_t bytes) = 0;
  // Memory of a tensor that the host can use in place; null where it cannot.
  virtual unsigned char* host(unsigned char* data) = 0;
  virtual Sample time(const Plan& plan) = 0;
  // Tensors are about to change: nothing recorded before may be replayed.
  virtual void forget() {}
};

namespace detail {

// The shortest step the host's clock was seen to take, in ns.
inline std::int64_t clock_tick() {
  using clock = std::chrono::steady_clock;
  std::int64_t best = 1000000;
  for (int i = 0; i < 200; ++i) {
    const auto start = clock::now();
    auto next = clock::now();
    while (next == start) next = clock::now();
    const std::int64_t step = std::chrono::duration_cast<std::chrono::nanoseconds>(next - start).count();
    if (step < best) best = step;
  }
  return best > 0 ? best : 1;
}

inline std::int64_t elapsed(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
}

class Host final : public Backend {
 public:
  const char* device() const override { return "cpu"; }
  const char* clock() const override { return "steady_clock"; }
  std::int64_t tick() override { return clock_tick(); }
  std::shared_ptr<unsigned char> allocate(std::size_t bytes, const std::string& name) override {
    void* raw = nullptr;
    if (posix_memalign(&raw, 64, bytes + 64) != 0)
      throw std::runtime_error("no memory for tensor '" + name + "' of " + std::to_string(bytes) + " bytes");
    std::memset(raw, 0, bytes + 64);
    return std::shared_ptr<unsigned char>(static_cast<unsigned char*>(raw), std::free);
  }
  void write(unsigned char* to, const unsigned char* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void read(unsigned char* to, const unsigned char* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy(unsigned char* to, const unsigned char* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  unsigned char* host(unsigned char* data) override { return data; }
  Sample time(const Plan& plan) override {
    if (plan.launching != Launching::stream) throw std::runtime_error("calls on a cpu are made one by one");
    const auto begin = std::chrono::steady_clock::now();
    if (plan.flush_bytes > 0) {
      sweep_.resize(plan.flush_bytes);
      std::memset(sweep_.data(), ++sweep_value_ & 0xFF, sweep_.size());
    }
    const auto start = std::chrono::steady_clock::now();
    plan.enqueue();
    const auto end = std::chrono::steady_clock::now();
    return {elapsed(start, end), 0, elapsed(begin, start)};
  }

 private:
  std::vector<unsigned char> sweep_;
  int sweep_value_ = 0;
};

}  // namespace detail

}  // namespace kforge

#endif  // KFORGE_RUNNER_BACKEND_HPP
