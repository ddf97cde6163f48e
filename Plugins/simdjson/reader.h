/// @file reader.h
/// Pushes JSON into a sink while it is read: no tree and no tape are made.
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
        /// The sink wants nothing more.
        stopped,
        malformed,
        /// There is no value.
        empty,
        too_deep
    };

    reader(tokens &tokens, const restway_plugin_sink &sink, std::size_t depth_max)
        : tokens_(tokens), sink_(sink), context_(sink.context), depth_max_(depth_max) {}

    /// Reads the one value that the text holds.
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
    /// Finds what comes next in the open containers above `outside`: `at` becomes the first token
    /// of a value, or nullptr when all have ended.
    template <bool tells> outcome advance(const char *&at, std::size_t outside, bool is_first);
    /// Reads on, with the sink being told, as long as nothing about it is rare: members of objects
    /// whose names and texts have no escapes, containers in lists, and what closes them. What stops
    /// it is left for the general way.
    outcome plain(bool &is_first);
    /// Pushes the member whose key, colon and value are the tokens from `token` on; false when it
    /// is none of the plain ones, and nothing has been pushed.
    bool member(const uint32_t *token, bool &is_first, outcome &ended);
    /// The same of the element of a list that begins at `token`.
    bool element(const uint32_t *token, bool &is_first, outcome &ended);
    /// Tells the sink of the container whose bracket is `at`, and opens or skips it.
    outcome open(const char *at, bool &is_first);
    /// Reads a value that nobody wants.
    outcome skip(const char *at, bool &is_first);
    template <bool tells> outcome key(const char *at, bool &is_wanted);
    template <bool tells> outcome scalar(const char *at);
    /// The text of the string whose token is `at`; false when it is broken.
    bool read(const char *at, text &text);
    int32_t push(const number &number, const char *first, const char *end);

    tokens &tokens_;
    const restway_plugin_sink sink_;
    void *const context_;
    const std::size_t depth_max_;
    /// The open containers: whether each is an object.
    std::vector<char> open_;
    unescaped unescaped_;
};

#endif
