#include "out_of_range.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <random>

namespace {

bool is_number_byte(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' ||
           byte == 'e' || byte == 'E';
}

/// Whether this is a JSON number (RFC 8259, section 6).
bool is_number(const std::string &text) {
    std::size_t at = 0;
    auto digits = [&] {
        const std::size_t first = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9')
            at++;
        return at - first;
    };
    if (at < text.size() && text[at] == '-')
        at++;
    const std::size_t first = at;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text[first] == '0'))
        return false;
    if (at < text.size() && text[at] == '.') {
        at++;
        if (digits() == 0)
            return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < text.size() && (text[at] == '+' || text[at] == '-'))
            at++;
        if (digits() == 0)
            return false;
    }
    return at == text.size();
}

bool is_out_of_range(const std::string &text) {
    if (!is_number(text))
        return false;
    errno = 0;
    if (text.find_first_of(".eE") == std::string::npos) {
        (void)std::strtoll(text.c_str(), nullptr, 10);
        return errno == ERANGE;
    }
    // Only the exponent and the digits matter; a comma would only cut fractions off.
    return std::isinf(std::strtod(text.c_str(), nullptr));
}

std::size_t end_of_string(const char *text, std::size_t length, std::size_t start) {
    std::size_t at = start + 1;
    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < length ? at + 1 : length;
}

} // namespace

std::string marked_numbers::mark(const char *text, std::size_t length) {
    std::random_device random;
    mark_ = std::string("\x01number") + std::to_string(random()) + std::to_string(random()) + ":";
    const std::string escaped = "\\u0001" + mark_.substr(1);
    std::string result;
    result.reserve(length + 256);
    std::size_t at = 0;
    while (at < length) {
        if (text[at] == '"') {
            const std::size_t end = end_of_string(text, length, at);
            result.append(text + at, end - at);
            at = end;
        } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
            std::size_t end = at;
            while (end < length && is_number_byte(text[end]))
                end++;
            const std::string number(text + at, end - at);
            if (is_out_of_range(number))
                result += "\"" + escaped + number + "\"";
            else
                result += number;
            at = end;
        } else {
            result += text[at++];
        }
    }
    return result;
}
