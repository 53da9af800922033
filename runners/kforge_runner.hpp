// kforge runner harness for C++17: header only, no dependency beyond the standard library and POSIX.
//
// What it answers: the verbs of runner protocol 1 (docs/runner-protocol.md) for one function written by a user.
// What it refuses: a second process of a group (world > 1), dtypes it cannot hold, messages out of order.
// Invariant: nothing the user's code prints reaches the protocol stream, and no process outlives kforge.
//
// kforge writes this file out of its own binary for every run and replaces the word below by the hash of the text;
// a copy of it in a repository therefore says who it is and is refused.
//
//     #include <kforge_runner.hpp>
//     static void scale(const kforge::Call& call) {
//       auto x = call.input<float>("x");
//       auto y = call.output<float>("y");
//       for (std::size_t i = 0; i < y.size(); ++i) y[i] = 2.0f * x[i];
//     }
//     KFORGE_RUNNER(scale)
#ifndef KFORGE_RUNNER_HPP
#define KFORGE_RUNNER_HPP

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define KFORGE_HARNESS_ID "unstamped"

#include "kforge_runner_backend.hpp"
#include "kforge_runner_fill.hpp"
#include "kforge_runner_json.hpp"

namespace kforge {

// What the user's function sees of a tensor: contiguous, row-major, aligned to 64 bytes. On a device `data()` is device memory.
template <class T>
class View {
 public:
  View(T* data, const Tensor* tensor) : data_(data), tensor_(tensor) {}
  T* data() const { return data_; }
  std::size_t size() const { return tensor_->count; }
  std::int64_t dim(std::size_t axis) const { return tensor_->shape.at(axis); }
  std::size_t rank() const { return tensor_->shape.size(); }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
  const Tensor* tensor_;
};

// One call of the operation: the tensors of one slot and the parameters of the case.
class Call {
 public:
  Call(const std::vector<Tensor>& tensors, const std::vector<std::pair<std::string, std::int64_t>>& params)
      : tensors_(tensors), params_(params) {}

#ifdef KFORGE_STREAM
  // The stream that every launch of the operation must be put into.
  KFORGE_STREAM stream() const { return detail::stream(); }
#endif

  template <class T>
  View<const T> input(const char* name) const {
    const Tensor& tensor = find<T>(name, true);
    return View<const T>(reinterpret_cast<const T*>(tensor.data.get()), &tensor);
  }
  template <class T>
  View<T> output(const char* name) const {
    const Tensor& tensor = find<T>(name, false);
    return View<T>(reinterpret_cast<T*>(tensor.data.get()), &tensor);
  }
  std::int64_t param(const char* name) const {
    for (const auto& param : params_)
      if (param.first == name) return param.second;
    throw std::runtime_error(std::string("the case has no parameter '") + name + "'");
  }

 private:
  template <class T>
  const Tensor& find(const char* name, bool input) const {
    for (const auto& tensor : tensors_) {
      if (tensor.name != name || (input ? !tensor.in() : !tensor.out())) continue;
      const bool packed = bits_of(tensor.dtype) < 8 && sizeof(T) == 1;
      if (bits_of(tensor.dtype) != 8 * sizeof(T) && !packed)
        throw std::runtime_error("tensor '" + tensor.name + "' is " + name_of(tensor.dtype) + ", asked for with another width");
      return tensor;
    }
    throw std::runtime_error(std::string("the case has no ") + (input ? "input" : "output") + " '" + name + "'");
  }
  const std::vector<Tensor>& tensors_;
  const std::vector<std::pair<std::string, std::int64_t>>& params_;
};

using Function = void (*)(const Call&);

namespace detail {

// A process of its own that outlives nothing: when kforge closes our stdin, or we die, our group goes too.
// It is made before the user's code runs, so that code stuck in a loop cannot keep it from working.
inline void watch(int input) {
  const pid_t runner = getpid();
  if (getpgrp() != runner) setpgid(0, 0);
  const pid_t group = getpgrp();
  const pid_t child = fork();
  if (child != 0) {
    // kforge stops our group as soon as we have said hello; the watcher must have left it by then, or it stays stopped for ever.
    for (int tries = 0; child > 0 && tries < 50000 && getpgid(child) == group; ++tries) usleep(100);
    return;
  }
  setsid();
  for (int fd = 0; fd < 1024; ++fd)
    if (fd != input) close(fd);
  for (;;) {
    struct pollfd waiting = {input, 0, 0};
    poll(&waiting, 1, 200);
    const bool gone = getppid() != runner;
    if (gone || (waiting.revents & (POLLHUP | POLLERR | POLLNVAL))) {
      // A moment for an orderly quit; then everything that is left of the group.
      for (int tries = 0; tries < 60 && getppid() == runner; ++tries) usleep(5000);
      kill(-group, SIGKILL);
      _exit(0);
    }
  }
}

class Session {
 public:
  Session(Function function, Backend& backend, int input, int output)
      : function_(function), backend_(backend), input_(input), output_(output) {}

  int serve() {
    std::string line;
    while (read_line(line)) {
      std::string reply;
      bool leave = false;
      try {
        const Json message = Json::parse(line);
        const std::string id = std::to_string(message.at("id").integer());
        try {
          const std::string body = answer(message, leave);
          reply = "{\"id\":" + id + ",\"ok\":true" + body + "}";
        } catch (const std::exception& error) {
          reply = "{\"id\":" + id + ",\"ok\":false,\"error\":" + Json::quote(error.what()) + "}";
        }
      } catch (const std::exception& error) {
        reply = std::string("{\"id\":0,\"ok\":false,\"error\":") + Json::quote(error.what()) + "}";
      }
      reply += '\n';
      send(reply);
      if (leave) return 0;
    }
    return 0;
  }

 private:
  Function function_;
  Backend& backend_;
  int input_, output_;
  std::string pending_;
  std::vector<unsigned char> stage_;
  std::size_t distinct_ = 1;
  std::vector<std::vector<Tensor>> slots_;
  std::vector<std::pair<std::string, std::int64_t>> params_;

  bool read_line(std::string& line) {
    for (;;) {
      const std::size_t end = pending_.find('\n');
      if (end != std::string::npos) {
        line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return true;
      }
      char buffer[65536];
      const ssize_t got = read(input_, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
  }
  void send(const std::string& reply) {
    std::size_t done = 0;
    while (done < reply.size()) {
      const ssize_t put = write(output_, reply.data() + done, reply.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) _exit(1);
      done += static_cast<std::size_t>(put);
    }
  }

  std::string answer(const Json& message, bool& leave) {
    const std::string& verb = message.at("verb").string();
    if (verb == "hello") return hello(message);
    if (verb == "prepare") return prepare(message);
    if (verb == "poison") return poison_slots(message);
    if (verb == "run") return run(message);
    if (verb == "dump") return dump(message);
    if (verb == "refill") return refill(message);
    if (verb == "quit") { leave = true; return ",\"files\":" + files(); }
    throw std::runtime_error("unknown verb '" + verb + "'");
  }

  std::string hello(const Json& message) {
    if (message.at("protocol").integer() != 1) throw std::runtime_error("this harness speaks protocol 1");
    if (message.has("world") && message.at("world").integer() != 1) throw std::runtime_error("world > 1 is not supported by protocol 1");
#if defined(__clang__)
    const std::string compiler = std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
    const std::string compiler = std::string("gcc ") + __VERSION__;
#else
    const std::string compiler = "unknown";
#endif
    return std::string(",\"protocol\":1,\"harness\":") + Json::quote(KFORGE_HARNESS_ID) + ",\"language\":\"c++\",\"toolchain\":" +
           Json::quote(compiler) + ",\"device\":" + Json::quote(backend_.device()) + ",\"device_facts\":" + backend_.facts() +
           ",\"clock\":" + Json::quote(backend_.clock()) + ",\"tick_ns\":" + std::to_string(backend_.tick()) +
           ",\"pid\":" + std::to_string(getpid()) + ",\"group\":" + std::to_string(getpgrp()) + ",\"rank\":0,\"world\":1,\"files\":" + files();
  }

  static std::string files() {
    std::string out = "[", previous;
    char line[8192];
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
      line[std::strcspn(line, "\n")] = '\0';
      const char* path = std::strchr(line, '/');
      if (path == nullptr || previous == path) continue;
      previous = path;
      if (out.size() > 1) out += ',';
      out += Json::quote(previous);
    }
    if (maps != nullptr) std::fclose(maps);
    return out + "]";
  }

  std::string prepare(const Json& message) {
    backend_.forget();
    slots_.clear();
    params_.clear();
    for (const auto& param : message.at("params").members) params_.emplace_back(param.first, param.second.integer());
    const std::int64_t slots = message.at("slots").integer();
    const std::int64_t distinct = message.has("distinct") ? message.at("distinct").integer() : slots;
    distinct_ = static_cast<std::size_t>(distinct > 0 ? distinct : 1);
    const auto& tensors = message.at("tensors").items;
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      std::vector<Tensor> made;
      for (const auto& spec : tensors) made.push_back(allocate(spec));
      slots_.push_back(std::move(made));
    }
    return load(tensors);
  }

  Tensor allocate(const Json& spec) {
    Tensor tensor;
    tensor.name = spec.at("name").string();
    tensor.dtype = dtype_named(spec.at("dtype").string());
    tensor.role = spec.at("role").string();
    tensor.count = 1;
    for (const auto& extent : spec.at("shape").items) {
      tensor.shape.push_back(extent.integer());
      tensor.count *= static_cast<std::size_t>(extent.integer());
    }
    tensor.bytes = (tensor.count * bits_of(tensor.dtype) + 7) / 8;
    tensor.data = backend_.allocate(tensor.bytes, tensor.name);
    if (tensor.role == "inout") tensor.pristine = backend_.allocate(tensor.bytes, tensor.name);
    return tensor;
  }

  // Memory of a tensor's size on the host: the tensor itself, or a place from which `commit` puts it there.
  unsigned char* staged(const Tensor& tensor) {
    if (unsigned char* direct = backend_.host(tensor.data.get())) return direct;
    if (stage_.size() < tensor.bytes) stage_.resize(tensor.bytes);
    return stage_.data();
  }
  void commit(const Tensor& tensor) {
    if (backend_.host(tensor.data.get()) == nullptr) backend_.write(tensor.data.get(), stage_.data(), tensor.bytes);
  }
  const unsigned char* content(const Tensor& tensor) {
    unsigned char* here = staged(tensor);
    if (here != tensor.data.get()) backend_.read(here, tensor.data.get(), tensor.bytes);
    return here;
  }

  // Fills every slot from the recipes and says what it now holds.
  std::string load(const std::vector<Json>& specs) {
    std::string out = ",\"inputs\":[";
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      for (std::size_t t = 0; t < specs.size(); ++t) {
        Tensor& tensor = slots_[slot].at(t);
        if (!tensor.in()) continue;
        fill(staged(tensor), tensor, specs[t].at("fill"), slot % distinct_);
        commit(tensor);
        if (tensor.pristine) backend_.copy(tensor.pristine.get(), tensor.data.get(), tensor.bytes);
      }
      out += (slot ? "," : "") + hashes(slot, true);
    }
    return out + "]";
  }

  // Digests of a slot's inputs; in-place operands only when they are known to hold their first content.
  std::string hashes(std::size_t slot, bool inout) {
    std::string out = "{";
    for (const auto& tensor : slots_[slot]) {
      if (!tensor.in() || (tensor.role == "inout" && !inout)) continue;
      if (out.size() > 1) out += ',';
      out += Json::quote(tensor.name) + ":\"" + Blake2b::tensor(content(tensor), tensor.bytes) + "\"";
    }
    return out + "}";
  }

  std::string refill(const Json& message) { return load(message.at("tensors").items); }

  std::string poison_slots(const Json& message) {
    const std::uint64_t nonce = message.at("nonce").bits();
    for (auto& slot : slots_) poison_slot(slot, nonce);
    return "";
  }

  void poison_slot(const std::vector<Tensor>& slot, std::uint64_t nonce) {
    for (const auto& tensor : slot)
      if (tensor.role == "out") {
        poison(staged(tensor), tensor, nonce);
        commit(tensor);
      }
  }

  static Launching launching(const Json& message) {
    if (!message.has("launch")) return Launching::stream;
    const std::string& word = message.at("launch").string();
    if (word == "stream") return Launching::stream;
    if (word == "graph") return Launching::graph;
    if (word == "held") return Launching::held;
    throw std::runtime_error("unknown way of launching '" + word + "'");
  }

  std::string run(const Json& message) {
    std::vector<std::size_t> order;
    for (const auto& item : message.at("order").items) order.push_back(static_cast<std::size_t>(item.integer()));
    for (const std::size_t slot : order)
      if (slot >= slots_.size()) throw std::runtime_error("run names a slot that was not prepared");
    const std::int64_t passes = message.at("passes").integer();
    const std::int64_t batches = message.at("batches").integer();
    std::vector<Call> calls;
    calls.reserve(slots_.size());
    for (const auto& slot : slots_) calls.emplace_back(slot, params_);
    Plan plan;
    plan.launching = launching(message);
    plan.flush_bytes = message.has("flush") ? static_cast<std::size_t>(message.at("flush").integer()) : 0;
    plan.behind_sweep = message.has("mode") && message.at("mode").string() == "swept";
    plan.sequence = std::to_string(passes);
    for (const std::size_t slot : order) plan.sequence += "," + std::to_string(slot);
    plan.calls = static_cast<std::uint64_t>(passes) * order.size();
    plan.enqueue = [&] {
      for (std::int64_t pass = 0; pass < passes; ++pass)
        for (const std::size_t slot : order) function_(calls[slot]);
    };
    const bool destroys = message.has("poison") && message.at("poison").kind == Json::Kind::String;
    const std::uint64_t nonce = destroys ? message.at("poison").bits() : 0;
    std::string samples = ",\"samples\":[", after = ",\"after\":[", aside = ",\"aside\":[";
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      const auto begin = std::chrono::steady_clock::now();
      restore();
      if (destroys)
        for (const std::size_t slot : order) poison_slot(slots_[slot], nonce);
      const std::int64_t restored = elapsed(begin, std::chrono::steady_clock::now());
      const Sample sample = backend_.time(plan);
      const char* comma = batch ? "," : "";
      samples += comma + std::to_string(sample.ns);
      after += comma + std::to_string(sample.after_ns);
      aside += comma + std::to_string(restored + sample.aside_ns);
    }
    return samples + "]" + after + "]" + aside + "]";
  }

  void restore() {
    for (auto& slot : slots_)
      for (auto& tensor : slot)
        if (tensor.pristine) backend_.copy(tensor.data.get(), tensor.pristine.get(), tensor.bytes);
  }

  std::string dump(const Json& message) {
    const std::string& path = message.at("path").string();
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("the dump cannot be opened at " + path);
    bool whole = true;
    std::string inputs = ",\"inputs\":[";
    bool first = true;
    for (const auto& item : message.at("slots").items) {
      const std::size_t slot = static_cast<std::size_t>(item.integer());
      if (slot >= slots_.size()) {
        std::fclose(file);
        throw std::runtime_error("dump names a slot that was not prepared");
      }
      for (const auto& tensor : slots_[slot]) {
        if (!tensor.out()) continue;
        std::string header = "{\"slot\":" + std::to_string(slot) + ",\"name\":" + Json::quote(tensor.name) + ",\"dtype\":\"" + name_of(tensor.dtype) + "\",\"shape\":[";
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) header += (i ? "," : "") + std::to_string(tensor.shape[i]);
        header += "],\"bytes\":" + std::to_string(tensor.bytes) + "}\n";
        whole = whole && std::fwrite(header.data(), 1, header.size(), file) == header.size();
        whole = whole && std::fwrite(content(tensor), 1, tensor.bytes, file) == tensor.bytes;
      }
      inputs += (first ? "" : ",") + hashes(slot, false);
      first = false;
    }
    whole = std::fclose(file) == 0 && whole;
    if (!whole) throw std::runtime_error("the dump could not be written to " + path);
    return inputs + "]";
  }
};

}  // namespace detail

// Serves one operation until kforge says quit. Called by KFORGE_RUNNER before anything else of the program.
inline int serve(Function function, Backend& backend) {
  // The protocol keeps private copies; the user's prints go to the log, and reads of stdin meet the end of file.
  const int input = fcntl(0, F_DUPFD_CLOEXEC, 64);
  const int output = fcntl(1, F_DUPFD_CLOEXEC, 64);
  const int nothing = open("/dev/null", O_RDONLY);
  if (input < 0 || output < 0 || nothing < 0) return 3;
  dup2(nothing, 0);
  dup2(2, 1);
  close(nothing);
  signal(SIGPIPE, SIG_IGN);
  detail::watch(input);
  return detail::Session(function, backend, input, output).serve();
}

}  // namespace kforge

#define KFORGE_RUNNER(function)                \
  int main() {                                 \
    ::kforge::detail::Host backend;            \
    return ::kforge::serve(function, backend); \
  }

#endif  // KFORGE_RUNNER_HPP
