/// @file out_of_range.h
/// Numbers that neither an int64_t nor a double holds, carried through a parser as marked strings.
#ifndef RESTWAY_SIMDJSON_OUT_OF_RANGE_H
#define RESTWAY_SIMDJSON_OUT_OF_RANGE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

class marked_numbers {
  public:
    /// What stands in front of the digits: no text can know it. Empty until something is marked.
    const std::string &mark() const { return mark_; }

    /// Whether this string of the parsed text is a marked number.
    bool hold(const char *text, std::size_t length) const {
        return !mark_.empty() && length > mark_.size() &&
               std::memcmp(text, mark_.data(), mark_.size()) == 0;
    }

    /// The text with each number that is out of range turned into a marked string.
    std::string mark(const char *text, std::size_t length);

  private:
    std::string mark_;
};

#endif
