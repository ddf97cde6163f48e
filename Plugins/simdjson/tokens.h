/// @file tokens.h
/// Finds where the tokens of a JSON text begin, with simdjson, one window at a time.
#ifndef RESTWAY_SIMDJSON_TOKENS_H
#define RESTWAY_SIMDJSON_TOKENS_H

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>

/// The first stage of simdjson. It checks encoding and control characters, and stores the positions
/// where brackets, commas, colons and scalars begin. Windows are small enough to stay in the CPU
/// cache. They end after a bracket or comma outside strings, so no token lies in two windows.
class tokens {
  public:
    using scanner = std::unique_ptr<simdjson::internal::dom_parser_implementation>;

    /// How much text is scanned at once, unless a token needs more.
    static constexpr std::size_t window_bytes = std::size_t(1) << 16;

    /// @param scanner Kept by the caller for the next text; empty at first.
    tokens(scanner &scanner, const char *text, std::size_t length)
        : scanner_(scanner), window_end_(text), end_(text + length), before_(text) {}

    /// Returns the next token; at the end of the text, or at an error, a position where no token
    /// begins.
    const char *next() {
        if (at_ == last_ && !scan()) {
            is_missing_ = true;
            return "";
        }
        return window_ + *at_++;
    }

    /// Returns the position of the next token, or the end of the text if no token is left.
    const char *peek() {
        if (at_ == last_ && !scan())
            return end_;
        return window_ + *at_;
    }

    /// Returns at least `count` tokens of this window, or nullptr. They are not consumed.
    const uint32_t *ahead(std::ptrdiff_t count) const {
        return last_ - at_ < count ? nullptr : at_;
    }

    /// Returns where a token of `ahead` begins.
    const char *text(uint32_t token) const { return window_ + token; }

    /// Continues at `token`, one of the tokens that `ahead` returned.
    void go_on(const uint32_t *token) { at_ = token; }

    bool has_ended() { return at_ == last_ && !scan(); }

    /// Returns the first backslash at or after `from` in this window.
    const char *backslash(const char *from) {
        return backslash_ < from ? find_backslash(from) : backslash_;
    }

    /// Returns the error that simdjson has found in the text so far.
    simdjson::error_code error() const { return error_; }

    /// Returns whether `next` found no token.
    bool is_missing() const { return is_missing_; }

    /// Returns the token that `next` gave last, or the end of the text if `next` found no token.
    /// An error without a place was found by simdjson itself.
    const char *place() const {
        if (is_missing_)
            return end_;
        return at_ == first_ ? before_ : window_ + at_[-1];
    }

  private:
    /// Finds the tokens of the next window that has tokens; returns false at the end.
    bool scan();
    simdjson::error_code scan(std::size_t length);
    const char *find_backslash(const char *from);

    scanner &scanner_;
    const char *window_ = nullptr;
    const char *window_end_;
    const char *const end_;
    /// The last token of the windows before this one that `next` gave; at first the text.
    const char *before_;
    const uint32_t *first_ = nullptr;
    const uint32_t *at_ = nullptr;
    const uint32_t *last_ = nullptr;
    const char *backslash_ = nullptr;
    simdjson::error_code error_ = simdjson::SUCCESS;
    bool is_missing_ = false;
};

#endif
