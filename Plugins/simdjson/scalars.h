/// @file scalars.h
/// Converts the text of numbers and strings of JSON to their values.
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
        /// Neither an int64_t nor a double can hold the number.
        out_of_range
    };

    kinds kind;
    int64_t whole;
    double value;

    /// Returns the number whose text is between `first` and `end`.
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
    /// Most numbers are positive integers of at most this many digits, which fit into any integer.
    static constexpr std::size_t short_integer_digits = 9;

    static number read_any(const char *first, const char *end);
};

/// The text between the quotes of a string, without escapes.
class unescaped {
  public:
    /// Returns false when an escape is invalid. Surrogates must come in pairs.
    bool read(const char *first, const char *end);

    const char *text() const { return text_.data(); }
    std::size_t length() const { return length_; }

  private:
    std::vector<char> text_;
    std::size_t length_ = 0;
};

#endif
