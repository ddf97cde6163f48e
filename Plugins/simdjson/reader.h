/// @file reader.h
/// Pushes JSON into a sink while it is read, without a tree or another intermediate form.
#ifndef RESTWAY_SIMDJSON_READER_H
#define RESTWAY_SIMDJSON_READER_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include <restway/plugin.h>

#include "scalars.h"
#include "tokens.h"

class reader {
  public:
    enum class outcome {
        done,
        /// The sink answered that it wants nothing more.
        stopped,
        malformed,
        /// The text contains no value.
        empty,
        too_deep
    };

    /// @param keeps_digits Whether numbers with a fraction or an exponent are pushed as their text.
    reader(tokens &tokens, const restway_plugin_sink &sink, std::size_t depth_max,
           bool keeps_digits)
        : tokens_(tokens), sink_(sink), context_(sink.context), depth_max_(depth_max),
          keeps_digits_(keeps_digits) {}

    /// Reads the only value in the text.
    outcome read();

  private:
    struct text {
        const char *first;
        std::size_t length;
    };

    /// Reads the value whose first token is `at`.
    ///
    /// @tparam tells Whether the sink is told; else only syntax and depth are checked.
    template <bool tells> outcome value(const char *at);
    /// Finds the next token in the open containers above `outside`: `at` becomes the first token of
    /// a value, or nullptr when all containers have ended.
    template <bool tells> outcome advance(const char *&at, std::size_t outside, bool is_first);
    /// The fast loop for the usual case: members whose names and texts have no escapes, containers
    /// in lists, and closing brackets. Anything else stops it, and the general code continues.
    outcome plain(bool &is_first);
    /// Pushes the member whose key, colon and value are the tokens from `token` on; returns false,
    /// without pushing anything, if the member is not simple.
    bool member(const uint32_t *token, bool &is_first, outcome &ended);
    /// Pushes the element of a list that begins at `token`; returns false, without pushing
    /// anything, if the element is not simple.
    bool element(const uint32_t *token, bool &is_first, outcome &ended);
    /// Pushes the begin of the container whose bracket is `at`, and opens or skips it.
    outcome open(const char *at, bool &is_first);
    /// Reads a value that is skipped.
    outcome skip(const char *at, bool &is_first);
    template <bool tells> outcome key(const char *at, bool &is_wanted);
    template <bool tells> outcome scalar(const char *at);
    /// Returns the text of the string whose token is `at`; false when it is invalid.
    bool read(const char *at, text &text);
    int32_t push(const number &number, const char *first, const char *end);

    tokens &tokens_;
    const restway_plugin_sink sink_;
    void *const context_;
    const std::size_t depth_max_;
    const bool keeps_digits_;
    /// For each open container, whether it is an object.
    std::vector<char> open_;
    unescaped unescaped_;
};

#endif
