/// @file tokens.h
/// Where the tokens of a JSON text begin, found by simdjson a window at a time.
#ifndef RESTWAY_SIMDJSON_TOKENS_H
#define RESTWAY_SIMDJSON_TOKENS_H

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>

/// The first stage of simdjson: it checks encoding and control characters, and writes down where
/// brackets, commas, colons and scalars begin. Windows are small enough to stay in the cache; they
/// end behind a bracket or comma outside of strings, so no token lies in two.
class tokens {
  public:
    using scanner = std::unique_ptr<simdjson::internal::dom_parser_implementation>;

    /// How much text is scanned at once, where nothing needs more.
    static constexpr std::size_t window_bytes = std::size_t(1) << 16;

    /// @param scanner Kept by the caller for the next text; empty at first.
    tokens(scanner &scanner, const char *text, std::size_t length)
        : scanner_(scanner), window_end_(text), end_(text + length) {}

    /// The next token; at the end of the text, or where it is broken, one that begins nothing.
    const char *next() {
        if (at_ == last_ && !scan()) {
            is_missing_ = true;
            return "";
        }
        return window_ + *at_++;
    }

    /// Where the next token begins: behind the text when there is none.
    const char *peek() {
        if (at_ == last_ && !scan())
            return end_;
        return window_ + *at_;
    }

    /// Tokens that lie in this window: `count` of them at least, or nullptr. They stay to be read.
    const uint32_t *ahead(std::ptrdiff_t count) const {
        return last_ - at_ < count ? nullptr : at_;
    }

    /// Where a token of `ahead` begins.
    const char *text(uint32_t token) const { return window_ + token; }

    /// Goes on at `token`, one of those of `ahead`.
    void go_on(const uint32_t *token) { at_ = token; }

    bool has_ended() { return at_ == last_ && !scan(); }

    /// The first backslash at or behind `from`, as far as this window reaches.
    const char *backslash(const char *from) {
        return backslash_ < from ? find_backslash(from) : backslash_;
    }

    /// What simdjson found wrong with the text so far.
    simdjson::error_code error() const { return error_; }

    /// Whether `next` found none.
    bool is_missing() const { return is_missing_; }

    /// The token that `next` gave last, or the end of the text when there was none. Without a place
    /// is what simdjson itself found wrong.
    const char *place() const {
        if (is_missing_)
            return end_;
        return at_ == first_ ? window_ : window_ + at_[-1];
    }

  private:
    /// Finds the tokens of the next window that has some; false when there are no more.
    bool scan();
    simdjson::error_code scan(std::size_t length);
    const char *find_backslash(const char *from);

    scanner &scanner_;
    const char *window_ = nullptr;
    const char *window_end_;
    const char *const end_;
    const uint32_t *first_ = nullptr;
    const uint32_t *at_ = nullptr;
    const uint32_t *last_ = nullptr;
    const char *backslash_ = nullptr;
    simdjson::error_code error_ = simdjson::SUCCESS;
    bool is_missing_ = false;
};

#endif
