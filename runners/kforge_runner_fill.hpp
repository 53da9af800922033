// What tensors hold: the generators of the runner protocol, poison, and digests. Part of kforge_runner.hpp.
//
// Invariant: the arithmetic is that of docs/runner-protocol.md, word for word, so that kforge can say what an input must be.
#ifndef KFORGE_RUNNER_FILL_HPP
#define KFORGE_RUNNER_FILL_HPP

#include "kforge_runner_json.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
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

// Calls `part(first, last)` for pieces of 0..count side by side on the machine's processors, at least `worth` of them in a piece. Pieces
// begin at multiples of four. A reference may use it too; what is timed on a processor may not know how many are free.
template <class Part>
inline void in_pieces(std::size_t count, std::size_t worth, const Part& part) {
  const std::size_t most = std::min<std::size_t>(std::thread::hardware_concurrency(), 32);
  const std::size_t hands = std::min(count / std::max<std::size_t>(worth, 1), most);
  if (hands < 2) return part(std::size_t{0}, count);
  const std::size_t each = (count / hands + 3) / 4 * 4;
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < count; first += each) {
    const std::size_t last = std::min(first + each, count);
    try {
      threads.emplace_back([&part, first, last] { part(first, last); });
    } catch (const std::system_error&) {
      // Linked without threads on an old libc, or out of them: the work is done here then.
      part(first, last);
    }
  }
  for (auto& thread : threads) thread.join();
}

// BLAKE2b with a 32-byte digest (RFC 7693).
class Blake2b {
 public:
  // The digest of a tensor: of its bytes, or, where they are more than one piece, of the digests of its pieces, which several threads make.
  static std::string tensor(const unsigned char* data, std::size_t size) {
    const std::size_t piece = std::size_t{1} << 20, pieces = (size + piece - 1) / piece;
    unsigned char whole[32];
    if (pieces < 2) {
      digest(data, size, whole);
    } else {
      std::vector<unsigned char> parts(32 * pieces);
      in_pieces(pieces, 4, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) digest(data + i * piece, std::min(piece, size - i * piece), parts.data() + 32 * i);
      });
      digest(parts.data(), parts.size(), whole);
    }
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (int i = 0; i < 32; ++i) {
      out += digits[whole[i] >> 4];
      out += digits[whole[i] & 15];
    }
    return out;
  }

  static void digest(const unsigned char* data, std::size_t size, unsigned char out[32]) {
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
    for (int i = 0; i < 32; ++i) out[i] = static_cast<unsigned char>(h[i / 8] >> (8 * (i % 8)));
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

// An element type of the protocol: its name there and its width. Two elements of 4 bits share a byte, the first in the low half.
enum class Dtype { f64, f32, f16, bf16, f8_e4m3fn, f8_e5m2, f8_e4m3fnuz, f8_e8m0, f4_e2m1, i64, i32, i16, i8, u8, boolean };

struct DtypeName {
  Dtype dtype;
  const char* name;
  unsigned bits;
};

inline const DtypeName& dtype_row(std::size_t row) {
  static const DtypeName rows[] = {
      {Dtype::f64, "f64", 64},       {Dtype::f32, "f32", 32},     {Dtype::f16, "f16", 16},     {Dtype::bf16, "bf16", 16},
      {Dtype::f8_e4m3fn, "f8_e4m3fn", 8}, {Dtype::f8_e5m2, "f8_e5m2", 8}, {Dtype::f8_e4m3fnuz, "f8_e4m3fnuz", 8},
      {Dtype::f8_e8m0, "f8_e8m0", 8},     {Dtype::f4_e2m1, "f4_e2m1", 4}, {Dtype::i64, "i64", 64},     {Dtype::i32, "i32", 32},
      {Dtype::i16, "i16", 16},       {Dtype::i8, "i8", 8},        {Dtype::u8, "u8", 8},        {Dtype::boolean, "bool", 8}};
  return rows[row];
}

inline Dtype dtype_named(const std::string& name) {
  for (std::size_t row = 0; row < 15; ++row)
    if (name == dtype_row(row).name) return dtype_row(row).dtype;
  throw std::runtime_error("this harness cannot hold dtype " + name);
}
inline unsigned bits_of(Dtype dtype) { return dtype_row(static_cast<std::size_t>(dtype)).bits; }
inline const char* name_of(Dtype dtype) { return dtype_row(static_cast<std::size_t>(dtype)).name; }

// One tensor of one slot. Its memory is the backend's; `pristine` keeps what an in-place operand held before the first run.
struct Tensor {
  std::string name, role;
  Dtype dtype = Dtype::u8;
  std::vector<std::int64_t> shape;
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::shared_ptr<unsigned char> data;
  std::shared_ptr<unsigned char> pristine;
  bool in() const { return role != "out"; }
  bool out() const { return role != "in"; }
};

namespace detail {

inline double from_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint64_t to_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline std::uint16_t to_bf16(double value) {
  const float f = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  bits += 0x7FFFu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>(bits >> 16);
}

// The exponent field and the fraction of a small float, as one number of steps above zero: rounded to nearest, ties to even. The steps
// of a normal number begin at 2^fraction for each exponent, so a carry out of the fraction is right by itself.
inline std::uint32_t small_steps(double magnitude, int fraction, int bias) {
  int exponent = static_cast<int>((to_bits(magnitude) >> 52) & 0x7FF) - 1023;
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double unit = from_bits(static_cast<std::uint64_t>(exponent - fraction + 1023) << 52);
  const double scaled = magnitude / unit;
  std::uint32_t steps = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - static_cast<double>(steps);
  if (rest > 0.5 || (rest == 0.5 && (steps & 1u))) ++steps;
  return (static_cast<std::uint32_t>(exponent + bias - 1) << fraction) + steps;
}

// Rounds a double to binary16; the generators make no NaN.
inline std::uint16_t to_f16(double value) {
  const std::uint16_t sign = static_cast<std::uint16_t>((to_bits(value) >> 48) & 0x8000u);
  const double magnitude = value < 0 ? -value : value;
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00u);
  return static_cast<std::uint16_t>(sign | small_steps(magnitude, 10, 15));
}

// Rounds a double to a float of at most 8 bits (OCP 8-bit and microscaling formats; fnuz as AMD CDNA3 has it). What is too large becomes
// the largest finite value: these formats have no infinity to spare, and a generator should make none.
inline std::uint8_t to_small(Dtype dtype, double value) {
  if (dtype == Dtype::f8_e8m0) {
    const double magnitude = value < 0 ? -value : value;
    int exponent = static_cast<int>((to_bits(magnitude) >> 52) & 0x7FF) - 1023;
    // Half way between two powers of two is 1.5 times the lower one.
    if ((to_bits(magnitude) & 0xFFFFFFFFFFFFFu) >= 0x8000000000000u) ++exponent;
    return static_cast<std::uint8_t>(std::min(std::max(exponent, -127), 127) + 127);
  }
  const int fraction = dtype == Dtype::f8_e5m2 ? 2 : dtype == Dtype::f4_e2m1 ? 1 : 3;
  const int bias = dtype == Dtype::f8_e5m2 ? 15 : dtype == Dtype::f8_e4m3fnuz ? 8 : dtype == Dtype::f4_e2m1 ? 1 : 7;
  const std::uint32_t largest = dtype == Dtype::f8_e5m2 ? 0x7B : dtype == Dtype::f8_e4m3fn ? 0x7E : dtype == Dtype::f4_e2m1 ? 0x7 : 0x7F;
  const double magnitude = value < 0 ? -value : value;
  const std::uint32_t steps = magnitude > 1e9 ? largest : std::min(small_steps(magnitude, fraction, bias), largest);
  const std::uint32_t sign = dtype == Dtype::f4_e2m1 ? 8u : 0x80u;
  const bool negative = (to_bits(value) >> 63) != 0;
  // The pattern of a negative zero is the NaN of fnuz.
  if (negative && !(dtype == Dtype::f8_e4m3fnuz && steps == 0)) return static_cast<std::uint8_t>(steps | sign);
  return static_cast<std::uint8_t>(steps);
}

template <class T>
inline void put(unsigned char* data, std::size_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

inline void store(unsigned char* data, Dtype dtype, std::size_t index, double value) {
  switch (dtype) {
    case Dtype::f64: put<double>(data, index, value); break;
    case Dtype::f32: put<float>(data, index, static_cast<float>(value)); break;
    case Dtype::f16: put<std::uint16_t>(data, index, to_f16(value)); break;
    case Dtype::bf16: put<std::uint16_t>(data, index, to_bf16(value)); break;
    case Dtype::i64: put<std::int64_t>(data, index, static_cast<std::int64_t>(value)); break;
    case Dtype::i32: put<std::int32_t>(data, index, static_cast<std::int32_t>(value)); break;
    case Dtype::i16: put<std::int16_t>(data, index, static_cast<std::int16_t>(value)); break;
    case Dtype::i8: put<std::int8_t>(data, index, static_cast<std::int8_t>(value)); break;
    case Dtype::u8:
    case Dtype::boolean: put<std::uint8_t>(data, index, static_cast<std::uint8_t>(value)); break;
    case Dtype::f4_e2m1: {
      const std::uint8_t half = to_small(dtype, value);
      unsigned char& pair = data[index / 2];
      pair = static_cast<unsigned char>(index % 2 ? (pair & 0x0F) | (half << 4) : (pair & 0xF0) | half);
      break;
    }
    default: put<std::uint8_t>(data, index, to_small(dtype, value));
  }
}

// The value of one 32-bit word under a distribution; docs/runner-protocol.md states the arithmetic exactly.
struct Draw {
  int distribution = 0;
  double centre = 0, scale = 0;
  std::int64_t low = 0;
  std::uint64_t span = 0;
  int grid = 1;

  double value(std::uint32_t word) const {
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
};

// Fills host memory of a tensor's size by a recipe.
inline void fill(unsigned char* to, const Tensor& tensor, const Json& fill, std::size_t slot) {
  const std::string& kind = fill.at("kind").string();
  if (kind == "none") {
    std::memset(to, 0, tensor.bytes);
  } else if (kind == "constant") {
    const double value = from_bits(fill.at("value_bits").bits());
    for (std::size_t i = 0; i < tensor.count; ++i) store(to, tensor.dtype, i, value);
  } else if (kind == "file") {
    const auto& paths = fill.at("paths").items;
    std::FILE* file = paths.empty() ? nullptr : std::fopen(paths[slot % paths.size()].string().c_str(), "rb");
    const std::size_t got = file == nullptr ? 0 : std::fread(to, 1, tensor.bytes, file);
    if (file != nullptr) std::fclose(file);
    if (got != tensor.bytes) throw std::runtime_error("the input file of '" + tensor.name + "' is short");
  } else if (kind == "philox") {
    const std::uint64_t seed = fill.at("seed").bits();
    const std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    const std::uint32_t stream = static_cast<std::uint32_t>(fill.at("stream").integer());
    const std::string& name = fill.at("distribution").string();
    Draw draw;
    draw.distribution = name == "uniform" ? 0 : name == "normal" ? 1 : 2;
    draw.centre = from_bits(fill.at("centre_bits").bits());
    draw.scale = from_bits(fill.at("scale_bits").bits());
    draw.low = static_cast<std::int64_t>(fill.at("low").bits());
    draw.span = fill.at("span").bits();
    draw.grid = static_cast<int>(fill.at("grid").integer());
    in_pieces(tensor.count, std::size_t{1} << 20, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; i += 4) {
        const std::uint64_t group = i / 4;
        const std::uint32_t counter[4] = {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(group >> 32), stream,
                                          static_cast<std::uint32_t>(slot)};
        std::uint32_t words[4];
        Philox::block(counter, key, words);
        for (std::size_t lane = 0; lane < 4 && i + lane < last; ++lane) store(to, tensor.dtype, i + lane, draw.value(words[lane]));
      }
    });
  } else {
    throw std::runtime_error("unknown fill '" + kind + "'");
  }
}

// NaN with a payload for floats that have room for one, else the low bits of the nonce: what survives a run was never written.
inline void poison(unsigned char* to, const Tensor& tensor, std::uint64_t nonce) {
  std::uint64_t bits = nonce;
  switch (tensor.dtype) {
    case Dtype::f64: bits = 0x7FF8000000000000u | (nonce & 0x7FFFFFFFFFFFFu); break;
    case Dtype::f32: bits = 0x7FC00000u | (nonce & 0x3FFFFFu); break;
    case Dtype::f16: bits = 0x7E00u | (nonce & 0x1FFu); break;
    case Dtype::bf16: bits = 0x7FC0u | (nonce & 0x3Fu); break;
    case Dtype::f4_e2m1: bits = (nonce & 0xFu) * 0x11u; break;
    default: break;
  }
  const std::size_t width = std::max<std::size_t>(bits_of(tensor.dtype) / 8, 1);
  if (tensor.bytes < width) return;
  std::memcpy(to, &bits, width);
  // What is there is copied behind itself, twice as much each time: as fast as memory takes it.
  for (std::size_t done = width; done < tensor.bytes; done += std::min(done, tensor.bytes - done))
    std::memcpy(to + done, to, std::min(done, tensor.bytes - done));
}

}  // namespace detail

}  // namespace kforge

#endif  // KFORGE_RUNNER_FILL_HPP
