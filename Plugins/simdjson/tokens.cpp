#include "tokens.h"

#include <algorithm>
#include <cstring>

namespace {

/// Returns how much of `text` a window of `length` bytes may take: up to its last bracket that
/// closes an object, or else its last comma; 0 when there is neither.
std::size_t cut(const char *text, std::size_t length) {
    const void *found = memrchr(text, '}', length);
    if (found == nullptr)
        found = memrchr(text, ',', length);
    return found == nullptr ? 0
                            : static_cast<std::size_t>(static_cast<const char *>(found) + 1 - text);
}

} // namespace

const char *tokens::find_backslash(const char *from) {
    const std::size_t rest = static_cast<std::size_t>(window_end_ - from);
    const void *found = std::memchr(from, '\\', rest);
    backslash_ = found == nullptr ? window_end_ : static_cast<const char *>(found);
    return backslash_;
}

bool tokens::scan() {
    // The scanner may move its tokens, so none of them is used from here on.
    before_ = at_ == first_ ? before_ : window_ + at_[-1];
    at_ = first_ = last_ = nullptr;
    std::size_t wanted = window_bytes;
    while (error_ == simdjson::SUCCESS && window_end_ != end_) {
        const std::size_t rest = static_cast<std::size_t>(end_ - window_end_);
        const bool is_last = wanted >= rest;
        const std::size_t length = is_last ? rest : cut(window_end_, wanted);
        const simdjson::error_code error = length == 0 ? simdjson::UNCLOSED_STRING : scan(length);
        if (error == simdjson::UNCLOSED_STRING && !is_last) {
            // The window would end inside a string, or inside a token that is longer than the
            // window.
            wanted *= 2;
            continue;
        }
        window_ = window_end_;
        window_end_ += length;
        if (error == simdjson::SUCCESS) {
            at_ = first_ = scanner_->structural_indexes.get();
            last_ = at_ + scanner_->n_structural_indexes;
            return true;
        }
        // The text is only white space.
        if (error != simdjson::EMPTY)
            error_ = error;
        wanted = window_bytes;
    }
    return false;
}

simdjson::error_code tokens::scan(std::size_t length) {
    if (!scanner_) {
        const std::size_t capacity = std::max(length, std::size_t(4096));
        const simdjson::error_code error =
            simdjson::get_active_implementation()->create_dom_parser_implementation(
                capacity, simdjson::DEFAULT_MAX_DEPTH, scanner_);
        if (error != simdjson::SUCCESS)
            return error;
    } else if (scanner_->capacity() < length) {
        const simdjson::error_code error = scanner_->set_capacity(length);
        if (error != simdjson::SUCCESS)
            return error;
    }
    return scanner_->stage1(reinterpret_cast<const uint8_t *>(window_end_), length,
                            simdjson::stage1_mode::regular);
}
