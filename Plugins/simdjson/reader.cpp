#include "reader.h"

#include <cstring>

namespace {

using outcome = reader::outcome;

/// Returns the position after the token before the one that begins at `next`.
const char *end_of(const char *next) {
    while (next[-1] == ' ' || next[-1] == '\n' || next[-1] == '\t' || next[-1] == '\r')
        next--;
    return next;
}

bool is_word(const char *first, const char *end, const char *word, std::size_t length) {
    return static_cast<std::size_t>(end - first) == length &&
           std::memcmp(first, word, length) == 0;
}

outcome after(int32_t answer) {
    return answer == RESTWAY_PLUGIN_STOP ? outcome::stopped : outcome::done;
}

} // namespace

outcome reader::read() {
    if (tokens_.has_ended())
        return tokens_.error() == simdjson::SUCCESS ? outcome::empty : outcome::malformed;
    const outcome ended = value<true>(tokens_.next());
    if (ended != outcome::done)
        return ended;
    if (!tokens_.has_ended()) {
        tokens_.next(); // the bytes after the value
        return outcome::malformed;
    }
    return tokens_.error() == simdjson::SUCCESS ? outcome::done : outcome::malformed;
}

template <bool tells> outcome reader::value(const char *at) {
    const std::size_t outside = open_.size();
    while (true) {
        bool has_opened = false;
        outcome ended = outcome::done;
        if (*at != '{' && *at != '[') {
            ended = scalar<tells>(at);
        } else if (tells) {
            ended = open(at, has_opened);
        } else if (open_.size() == depth_max_) {
            ended = outcome::too_deep;
        } else {
            open_.push_back(*at == '{');
            has_opened = true;
        }
        if (ended != outcome::done)
            return ended;
        ended = advance<tells>(at, outside, has_opened);
        if (ended != outcome::done || at == nullptr)
            return ended;
    }
}

template <bool tells>
outcome reader::advance(const char *&at, std::size_t outside, bool is_first) {
    while (open_.size() > outside) {
        if (tells) {
            const outcome ended = plain(is_first);
            if (ended != outcome::done)
                return ended;
            if (open_.empty())
                break;
        }
        const bool is_object = open_.back();
        at = tokens_.next();
        if (*at == (is_object ? '}' : ']')) {
            open_.pop_back();
            is_first = false;
            if (tells && (is_object ? sink_.end_object(context_) : sink_.end_array(context_)) ==
                             RESTWAY_PLUGIN_STOP)
                return outcome::stopped;
            continue;
        }
        if (!is_first) {
            if (*at != ',')
                return outcome::malformed;
            at = tokens_.next();
        }
        if (!is_object)
            return outcome::done;
        bool is_wanted = tells;
        const outcome ended = key<tells>(at, is_wanted);
        if (ended != outcome::done)
            return ended;
        if (*tokens_.next() != ':')
            return outcome::malformed;
        at = tokens_.next();
        if (is_wanted == tells)
            return outcome::done;
        const outcome skipped = value<false>(at);
        if (skipped != outcome::done)
            return skipped;
        is_first = false;
    }
    at = nullptr;
    return outcome::done;
}

outcome reader::plain(bool &is_first) {
    // A comma, a key, a colon, a value, and the next token.
    while (const uint32_t *token = tokens_.ahead(5)) {
        const bool is_object = open_.back();
        const char *at = tokens_.text(*token);
        if (*at == (is_object ? '}' : ']')) {
            tokens_.go_on(token + 1);
            open_.pop_back();
            is_first = false;
            const int32_t answer =
                is_object ? sink_.end_object(context_) : sink_.end_array(context_);
            if (answer == RESTWAY_PLUGIN_STOP)
                return outcome::stopped;
            if (open_.empty())
                return outcome::done;
            continue;
        }
        if (!is_first) {
            if (*at != ',')
                return outcome::done;
            at = tokens_.text(*++token);
        }
        outcome ended = outcome::done;
        if (is_object ? !member(token, is_first, ended) : !element(token, is_first, ended))
            return outcome::done;
        if (ended != outcome::done)
            return ended;
    }
    return outcome::done;
}

inline bool reader::member(const uint32_t *token, bool &is_first, outcome &ended) {
    const char *const key = tokens_.text(token[0]);
    const char *const colon = tokens_.text(token[1]);
    const char *const value = tokens_.text(token[2]);
    const char *const next = tokens_.text(token[3]);
    if (*key != '"' || *colon != ':' || colon[-1] != '"' || colon - key < 2 ||
        tokens_.backslash(key) < next)
        return false;
    const std::size_t length = static_cast<std::size_t>(colon - key - 2);
    if (*value == '"') {
        const char *const end = next[-1] == '"' ? next : end_of(next);
        if (end - value < 2 || end[-1] != '"')
            return false;
        tokens_.go_on(token + 3);
        is_first = false;
        int32_t answer = sink_.key(context_, key + 1, length);
        if (answer == RESTWAY_PLUGIN_WANT)
            answer = sink_.string(context_, value + 1, static_cast<std::size_t>(end - value - 2));
        ended = after(answer);
        return true;
    }
    if (*value == '{' || *value == '[') {
        tokens_.go_on(token + 3);
        const int32_t answer = sink_.key(context_, key + 1, length);
        ended = answer == RESTWAY_PLUGIN_WANT   ? open(value, is_first)
                : answer == RESTWAY_PLUGIN_SKIP ? skip(value, is_first)
                                                : outcome::stopped;
        return true;
    }
    const char *const end = end_of(next);
    if (*value == '-' || (*value >= '0' && *value <= '9')) {
        const number number = number::read(value, end);
        if (number.kind == number::broken)
            return false;
        tokens_.go_on(token + 3);
        is_first = false;
        int32_t answer = sink_.key(context_, key + 1, length);
        if (answer == RESTWAY_PLUGIN_WANT)
            answer = push(number, value, end);
        ended = after(answer);
        return true;
    }
    const bool is_true = is_word(value, end, "true", 4);
    if (!is_true && !is_word(value, end, "false", 5))
        return false;
    tokens_.go_on(token + 3);
    is_first = false;
    int32_t answer = sink_.key(context_, key + 1, length);
    if (answer == RESTWAY_PLUGIN_WANT)
        answer = sink_.boolean(context_, is_true);
    ended = after(answer);
    return true;
}

inline bool reader::element(const uint32_t *token, bool &is_first, outcome &ended) {
    const char *const at = tokens_.text(*token);
    if (*at != '{' && *at != '[')
        return false;
    tokens_.go_on(token + 1);
    ended = open(at, is_first);
    return true;
}

outcome reader::open(const char *at, bool &is_first) {
    const bool is_object = *at == '{';
    const int32_t answer =
        is_object ? sink_.begin_object(context_) : sink_.begin_array(context_, -1);
    if (answer == RESTWAY_PLUGIN_STOP)
        return outcome::stopped;
    if (answer == RESTWAY_PLUGIN_SKIP)
        return skip(at, is_first);
    if (open_.size() == depth_max_)
        return outcome::too_deep;
    open_.push_back(is_object);
    is_first = true;
    return outcome::done;
}

outcome reader::skip(const char *at, bool &is_first) {
    is_first = false;
    return value<false>(at);
}

template <bool tells> outcome reader::key(const char *at, bool &is_wanted) {
    text text;
    if (*at != '"' || !read(at, text))
        return outcome::malformed;
    if (!tells)
        return outcome::done;
    const int32_t answer = sink_.key(context_, text.first, text.length);
    is_wanted = answer != RESTWAY_PLUGIN_SKIP;
    return after(answer);
}

template <bool tells> outcome reader::scalar(const char *at) {
    if (*at == '"') {
        text text;
        if (!read(at, text))
            return outcome::malformed;
        return tells ? after(sink_.string(context_, text.first, text.length)) : outcome::done;
    }
    if (*at == 0)
        return outcome::malformed;
    const char *const end = end_of(tokens_.peek());
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
        const number number = number::read(at, end);
        if (number.kind == number::broken)
            return outcome::malformed;
        return tells ? after(push(number, at, end)) : outcome::done;
    }
    const bool is_true = is_word(at, end, "true", 4);
    if (is_true || is_word(at, end, "false", 5))
        return tells ? after(sink_.boolean(context_, is_true)) : outcome::done;
    if (is_word(at, end, "null", 4))
        return tells ? after(sink_.null_value(context_)) : outcome::done;
    return outcome::malformed;
}

bool reader::read(const char *at, text &text) {
    const char *const escape = tokens_.backslash(at);
    const char *const next = tokens_.peek();
    const char *const end = next[-1] == '"' ? next : end_of(next);
    if (end - at < 2 || end[-1] != '"')
        return false;
    if (escape < end) {
        if (!unescaped_.read(at + 1, end - 1))
            return false;
        text = {unescaped_.text(), unescaped_.length()};
    } else {
        text = {at + 1, static_cast<std::size_t>(end - at - 2)};
    }
    return true;
}

int32_t reader::push(const number &number, const char *first, const char *end) {
    switch (number.kind) {
    case number::integer:
        return sink_.integer(context_, number.whole);
    case number::real:
        if (!keeps_digits_)
            return sink_.real(context_, number.value);
        [[fallthrough]];
    default:
        return sink_.number_out_of_range(context_, first, static_cast<std::size_t>(end - first));
    }
}
