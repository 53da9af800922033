// What tensors hold: the generators of the runner protocol, poison, and digests. Part of kforge_runner.hpp.
//
// Invariant: the arithmetic is that of docs/runner-protocol.md, word for word, so that kforge can say what an input must be.
#ifndef KFORGE_RUNNER_FILL_HPP
#define KFORGE_RUNNER_FILL_HPP

#include "kforge_runner_json.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kforge {

// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).

struct Philox {
  static void block(const std::uint32_t counter[4], const std::uint32_t key[2], std::uint32_t out[4]) {
    std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    std::uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
      const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
      const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
      c0 = n0;
      c2 = n2;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    out[0] = c0; out[1] = c1; out[2] = c2; out[3] = c3;
  }
};

// BLAKE2b with a 32-byte digest (RFC 7693).
class Blake2b {
 public:
  static std::string hex(const unsigned char* data, std::size_t size) {
    std::uint64_t h[8];
    for (int i = 0; i < 8; ++i) h[i] = iv(i);
    h[0] ^= 0x01010020u;
    std::size_t done = 0;
    unsigned char last[128] = {0};
    while (size - done > 128) {
      compress(h, data + done, done + 128, false);
      done += 128;
    }
    if (size > done) std::memcpy(last, data + done, size - done);
    compress(h, last, size, true);
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (int i = 0; i < 32; ++i) {
      const unsigned byte = static_cast<unsigned>(h[i / 8] >> (8 * (i % 8))) & 0xFF;
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
    return out;
  }

 private:
  static std::uint64_t iv(int i) {
    static const std::uint64_t words[8] = {0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu,
                                           0xA54FF53A5F1D36F1u, 0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu,
                                           0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u};
    return words[i];
  }
  static std::uint64_t turn(std::uint64_t x, int n) { return (x >> n) | (x << (64 - n)); }
  static void compress(std::uint64_t h[8], const unsigned char* block, std::uint64_t bytes, bool final) {
    static const unsigned char order[12][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};
    std::uint64_t v[16], m[16];
    for (int i = 0; i < 16; ++i) {
      m[i] = 0;
      for (int b = 7; b >= 0; --b) m[i] = (m[i] << 8) | block[8 * i + b];
    }
    for (int i = 0; i < 8; ++i) { v[i] = h[i]; v[i + 8] = iv(i); }
    v[12] ^= bytes;
    if (final) v[14] = ~v[14];
    static const unsigned char lanes[8][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
                                              {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}};
    for (int round = 0; round < 12; ++round) {
      for (int g = 0; g < 8; ++g) {
        std::uint64_t &a = v[lanes[g][0]], &b = v[lanes[g][1]], &c = v[lanes[g][2]], &d = v[lanes[g][3]];
        a += b + m[order[round][2 * g]];
        d = turn(d ^ a, 32);
        c += d;
        b = turn(b ^ c, 24);
        a += b + m[order[round][2 * g + 1]];
        d = turn(d ^ a, 16);
        c += d;
        b = turn(b ^ c, 63);
      }
    }
    for (int i = 0; i < 8; ++i) h[i] ^= v[i] ^ v[i + 8];
  }
};

inline std::size_t width_of(const std::string& dtype) {
  if (dtype == "f64" || dtype == "i64") return 8;
  if (dtype == "f32" || dtype == "i32") return 4;
  if (dtype == "f16" || dtype == "bf16" || dtype == "i16") return 2;
  if (dtype == "i8" || dtype == "u8" || dtype == "bool") return 1;
  throw std::runtime_error("this harness cannot hold dtype " + dtype);
}

// One tensor of one slot. `pristine` keeps what an in-place operand held before the first run.
struct Tensor {
  std::string name, dtype, role;
  std::vector<std::int64_t> shape;
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::shared_ptr<unsigned char> data;
  std::vector<unsigned char> pristine;
  bool in() const { return role != "out"; }
  bool out() const { return role != "in"; }
};

namespace detail {

inline double from_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint16_t to_bf16(double value) {
  const float f = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  bits += 0x7FFFu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>(bits >> 16);
}

// Rounds a double to binary16, ties to even; the generators make no NaN.
inline std::uint16_t to_f16(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000u);
  const double magnitude = from_bits(bits & 0x7FFFFFFFFFFFFFFFu);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00u);
  int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  if (exponent < -14) exponent = -14;
  const double unit = from_bits(static_cast<std::uint64_t>(exponent - 10 + 1023) << 52);
  const double scaled = magnitude / unit;
  std::uint32_t steps = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - static_cast<double>(steps);
  if (rest > 0.5 || (rest == 0.5 && (steps & 1u))) ++steps;
  return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(exponent + 14) * 1024u + steps));
}

template <class T>
inline void put(unsigned char* data, std::size_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

inline void store(Tensor& tensor, std::size_t index, double value) {
  unsigned char* data = tensor.data.get();
  if (tensor.dtype == "f64") put<double>(data, index, value);
  else if (tensor.dtype == "f32") put<float>(data, index, static_cast<float>(value));
  else if (tensor.dtype == "f16") put<std::uint16_t>(data, index, to_f16(value));
  else if (tensor.dtype == "bf16") put<std::uint16_t>(data, index, to_bf16(value));
  else if (tensor.dtype == "i64") put<std::int64_t>(data, index, static_cast<std::int64_t>(value));
  else if (tensor.dtype == "i32") put<std::int32_t>(data, index, static_cast<std::int32_t>(value));
  else if (tensor.dtype == "i16") put<std::int16_t>(data, index, static_cast<std::int16_t>(value));
  else if (tensor.dtype == "i8") put<std::int8_t>(data, index, static_cast<std::int8_t>(value));
  else put<std::uint8_t>(data, index, static_cast<std::uint8_t>(value));
}

// The value of one 32-bit word under a distribution; docs/runner-protocol.md states the arithmetic exactly.
inline double draw(std::uint32_t word, int distribution, double centre, double scale, std::int64_t low, std::uint64_t span, int grid) {
  if (distribution == 2) return static_cast<double>(low + static_cast<std::int64_t>((std::uint64_t{word} * span) >> 32));
  std::int64_t steps;
  if (distribution == 0) {
    steps = 2 * static_cast<std::int64_t>(word >> (32 - grid)) + 1 - (std::int64_t{1} << grid);
  } else {
    steps = 2 * static_cast<std::int64_t>((word & 255u) + ((word >> 8) & 255u) + ((word >> 16) & 255u) + (word >> 24)) - 1020;
  }
  // A volatile product keeps the compiler from fusing it with the addition: every language then rounds alike.
  volatile double product = static_cast<double>(steps) * scale;
  return centre == 0.0 ? product : centre + product;
}

inline void fill(Tensor& tensor, const Json& fill, std::size_t slot) {
  const std::string& kind = fill.at("kind").string();
  if (kind == "none") return;
  if (kind == "constant") {
    const double value = from_bits(fill.at("value_bits").bits());
    for (std::size_t i = 0; i < tensor.count; ++i) store(tensor, i, value);
  } else if (kind == "file") {
    const auto& paths = fill.at("paths").items;
    std::FILE* file = paths.empty() ? nullptr : std::fopen(paths[slot % paths.size()].string().c_str(), "rb");
    const std::size_t got = file == nullptr ? 0 : std::fread(tensor.data.get(), 1, tensor.bytes, file);
    if (file != nullptr) std::fclose(file);
    if (got != tensor.bytes) throw std::runtime_error("the input file of '" + tensor.name + "' is short");
  } else if (kind == "philox") {
    const std::uint64_t seed = fill.at("seed").bits();
    const std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    const std::uint32_t stream = static_cast<std::uint32_t>(fill.at("stream").integer());
    const std::string& name = fill.at("distribution").string();
    const int distribution = name == "uniform" ? 0 : name == "normal" ? 1 : 2;
    const double centre = from_bits(fill.at("centre_bits").bits());
    const double scale = from_bits(fill.at("scale_bits").bits());
    const std::int64_t low = static_cast<std::int64_t>(fill.at("low").bits());
    const std::uint64_t span = fill.at("span").bits();
    const int grid = static_cast<int>(fill.at("grid").integer());
    for (std::size_t i = 0; i < tensor.count; i += 4) {
      const std::uint64_t group = i / 4;
      const std::uint32_t counter[4] = {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32), stream,
                                        static_cast<std::uint32_t>(slot)};
      std::uint32_t words[4];
      Philox::block(counter, key, words);
      for (std::size_t lane = 0; lane < 4 && i + lane < tensor.count; ++lane)
        store(tensor, i + lane, draw(words[lane], distribution, centre, scale, low, span, grid));
    }
  } else {
    throw std::runtime_error("unknown fill '" + kind + "'");
  }
}

// NaN with a payload for floats, the low bits for integers: what survives a run was never written.
inline void poison(Tensor& tensor, std::uint64_t nonce) {
  std::uint64_t bits = nonce;
  if (tensor.dtype == "f64") bits = 0x7FF8000000000000u | (nonce & 0x7FFFFFFFFFFFFu);
  else if (tensor.dtype == "f32") bits = 0x7FC00000u | (nonce & 0x3FFFFFu);
  else if (tensor.dtype == "f16") bits = 0x7E00u | (nonce & 0x1FFu);
  else if (tensor.dtype == "bf16") bits = 0x7FC0u | (nonce & 0x3Fu);
  const std::size_t width = width_of(tensor.dtype);
  for (std::size_t i = 0; i < tensor.count; ++i) std::memcpy(tensor.data.get() + i * width, &bits, width);
}

}  // namespace detail

}  // namespace kforge

#endif  // KFORGE_RUNNER_FILL_HPP
