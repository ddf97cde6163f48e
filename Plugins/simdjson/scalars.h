/// @file scalars.h
/// Numbers and strings of JSON: their text to their value.
#ifndef RESTWAY_SIMDJSON_SCALARS_H
#define RESTWAY_SIMDJSON_SCALARS_H

#include <cstddef>
#include <cstdint>
#include <vector>

/// A number (RFC 8259, section 6).
struct number {
    enum kinds {
        broken,
        integer,
        real,
        /// Neither an int64_t nor a double holds it.
        out_of_range
    };

    kinds kind;
    int64_t whole;
    double value;

    /// The number whose text lies between `first` and `end`.
    static number read(const char *first, const char *end) {
        const std::size_t length = static_cast<std::size_t>(end - first);
        if (*first < '1' || *first > '9' || length > short_integer_digits)
            return read_any(first, end);
        int64_t whole = 0;
        for (const char *at = first; at < end; at++) {
            if (*at < '0' || *at > '9')
                return read_any(first, end);
            whole = whole * 10 + (*at - '0');
        }
        return {integer, whole, 0};
    }

  private:
    /// Most are positive integers of at most so many digits, which any integer holds.
    static constexpr std::size_t short_integer_digits = 9;

    static number read_any(const char *first, const char *end);
};

/// What stands between the quotes of a string, without its escapes.
class unescaped {
  public:
    /// False when an escape is broken. Surrogates must come in pairs.
    bool read(const char *first, const char *end);

    const char *text() const { return text_.data(); }
    std::size_t length() const { return length_; }

  private:
    std::vector<char> text_;
    std::size_t length_ = 0;
};

#endif
