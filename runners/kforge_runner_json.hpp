// JSON, as much of it as the runner protocol uses. Part of kforge_runner.hpp; integers that need 64 bits travel as strings.
//
// What it refuses: anything that is not one JSON value, and nesting deeper than any message needs.
#ifndef KFORGE_RUNNER_JSON_HPP
#define KFORGE_RUNNER_JSON_HPP

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kforge {

class Json {
 public:
  enum class Kind { Null, Bool, Number, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0.0;
  // The same number where it was written as an integer of 64 bits; a double holds 53 of them.
  std::int64_t whole = 0;
  bool is_whole = false;
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  const Json& at(const char* name) const {
    for (const auto& member : members)
      if (member.first == name) return member.second;
    throw std::runtime_error(std::string("the message has no member '") + name + "'");
  }
  bool has(const char* name) const {
    for (const auto& member : members)
      if (member.first == name) return true;
    return false;
  }
  const std::string& string() const {
    if (kind != Kind::String) throw std::runtime_error("a string was expected");
    return text;
  }
  std::int64_t integer() const {
    if (kind != Kind::Number) throw std::runtime_error("a number was expected");
    if (is_whole) return whole;
    if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) throw std::runtime_error("an integer of 64 bits was expected");
    return static_cast<std::int64_t>(number);
  }
  std::uint64_t bits() const { return std::strtoull(string().c_str(), nullptr, 16); }

  static Json parse(const std::string& line) {
    const char* cursor = line.c_str();
    return value(cursor, cursor + line.size(), 0);
  }

  static std::string quote(const std::string& raw) {
    std::string out = "\"";
    for (unsigned char c : raw) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += static_cast<char>(c);
      } else if (c < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
        out += buffer;
      } else {
        out += static_cast<char>(c);
      }
    }
    return out + "\"";
  }

 private:
  static void blank(const char*& p, const char* end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) ++p;
  }
  static Json value(const char*& p, const char* end, int depth) {
    if (depth > 32) throw std::runtime_error("the message is nested too deeply");
    blank(p, end);
    if (p >= end) throw std::runtime_error("the message ends early");
    Json json;
    if (*p == '{') {
      json.kind = Kind::Object;
      ++p;
      blank(p, end);
      if (p < end && *p == '}') { ++p; return json; }
      for (;;) {
        blank(p, end);
        std::string name = quoted(p, end);
        blank(p, end);
        if (p >= end || *p != ':') throw std::runtime_error("':' expected in the message");
        ++p;
        json.members.emplace_back(std::move(name), value(p, end, depth + 1));
        blank(p, end);
        if (p < end && *p == ',') { ++p; continue; }
        if (p < end && *p == '}') { ++p; return json; }
        throw std::runtime_error("',' or '}' expected in the message");
      }
    }
    if (*p == '[') {
      json.kind = Kind::Array;
      ++p;
      blank(p, end);
      if (p < end && *p == ']') { ++p; return json; }
      for (;;) {
        json.items.push_back(value(p, end, depth + 1));
        blank(p, end);
        if (p < end && *p == ',') { ++p; continue; }
        if (p < end && *p == ']') { ++p; return json; }
        throw std::runtime_error("',' or ']' expected in the message");
      }
    }
    if (*p == '"') {
      json.kind = Kind::String;
      json.text = quoted(p, end);
      return json;
    }
    const std::size_t left = static_cast<std::size_t>(end - p);
    if (left >= 4 && std::strncmp(p, "true", 4) == 0) { p += 4; json.kind = Kind::Bool; json.boolean = true; return json; }
    if (left >= 5 && std::strncmp(p, "false", 5) == 0) { p += 5; json.kind = Kind::Bool; return json; }
    if (left >= 4 && std::strncmp(p, "null", 4) == 0) { p += 4; return json; }
    char* after = nullptr;
    json.kind = Kind::Number;
    json.number = std::strtod(p, &after);
    if (after == p) throw std::runtime_error("the message is not JSON");
    char* digits = nullptr;
    errno = 0;
    json.whole = std::strtoll(p, &digits, 10);
    json.is_whole = digits == after && errno == 0;
    p = after;
    return json;
  }
  static std::string quoted(const char*& p, const char* end) {
    if (p >= end || *p != '"') throw std::runtime_error("'\"' expected in the message");
    ++p;
    std::string out;
    while (p < end && *p != '"') {
      if (*p != '\\') { out += *p++; continue; }
      if (++p >= end) break;
      const char c = *p++;
      switch (c) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'u': {
          if (end - p < 4) throw std::runtime_error("a \\u escape ends early");
          const unsigned long code = std::strtoul(std::string(p, 4).c_str(), nullptr, 16);
          p += 4;
          if (code < 0x80) {
            out += static_cast<char>(code);
          } else if (code < 0x800) {
            out += static_cast<char>(0xC0 | (code >> 6));
            out += static_cast<char>(0x80 | (code & 0x3F));
          } else {
            out += static_cast<char>(0xE0 | (code >> 12));
            out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
            out += static_cast<char>(0x80 | (code & 0x3F));
          }
          break;
        }
        default: out += c;
      }
    }
    if (p >= end) throw std::runtime_error("a string in the message ends early");
    ++p;
    return out;
  }
};

}  // namespace kforge

#endif  // KFORGE_RUNNER_JSON_HPP
