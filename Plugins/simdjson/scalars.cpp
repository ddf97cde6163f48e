#include "scalars.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Powers of ten that a double holds exactly.
constexpr int exact_power_max = 22;
constexpr double exact_powers[exact_power_max + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr uint64_t exact_whole_max = uint64_t(1) << 53;
/// How many digits always fit into a uint64_t, and into an int64_t.
constexpr std::size_t digits_max = 19;
constexpr std::size_t int64_digits_max = 18;
/// Beyond this exponent the result is 0 or too large, whatever the digits are.
constexpr int64_t exponent_max = int64_t(1) << 40;

number out_of_range() { return {number::out_of_range, 0, 0}; }
number broken() { return {number::broken, 0, 0}; }

number long_integer(const char *first, const char *end) {
    int64_t value;
    const std::from_chars_result result = std::from_chars(first, end, value);
    return result.ec == std::errc() ? number{number::integer, value, 0} : out_of_range();
}

/// @param magnitude How many digits stand in front of the decimal point, the leading zeros aside
///        and the exponent counted in.
number long_real(const char *first, const char *end, int64_t magnitude) {
    double value = 0;
    const std::from_chars_result result = std::from_chars(first, end, value);
    if (result.ec == std::errc() && !std::isinf(value))
        return {number::real, 0, value};
    if (magnitude > 0)
        return out_of_range();
    return {number::real, 0, *first == '-' ? -0.0 : 0.0};
}

int hexadecimal(char byte) {
    if (is_digit(byte))
        return byte - '0';
    const char lower = static_cast<char>(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Returns the four digits of an escape at `at`; -1 when they are invalid.
int32_t code_unit(const char *at, const char *end) {
    if (end - at < 4)
        return -1;
    int32_t unit = 0;
    for (int index = 0; index < 4; index++) {
        const int digit = hexadecimal(at[index]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

char *write_utf8(char *to, uint32_t scalar) {
    const auto last = [&](int shift) { return char(0x80 | ((scalar >> shift) & 0x3F)); };
    if (scalar < 0x80) {
        *to++ = char(scalar);
    } else if (scalar < 0x800) {
        *to++ = char(0xC0 | (scalar >> 6));
        *to++ = last(0);
    } else if (scalar < 0x10000) {
        *to++ = char(0xE0 | (scalar >> 12));
        *to++ = last(6);
        *to++ = last(0);
    } else {
        *to++ = char(0xF0 | (scalar >> 18));
        *to++ = last(12);
        *to++ = last(6);
        *to++ = last(0);
    }
    return to;
}

/// Reads one `\u` escape, or two that are a surrogate pair, from after the first `u`; returns
/// nullptr when they are invalid.
const char *read_unicode(const char *at, const char *end, char *&to) {
    const int32_t unit = code_unit(at, end);
    if (unit < 0 || (unit >= 0xDC00 && unit < 0xE000))
        return nullptr;
    at += 4;
    uint32_t scalar = static_cast<uint32_t>(unit);
    if (unit >= 0xD800 && unit < 0xDC00) {
        if (end - at < 2 || at[0] != '\\' || at[1] != 'u')
            return nullptr;
        const int32_t low = code_unit(at + 2, end);
        if (low < 0xDC00 || low >= 0xE000)
            return nullptr;
        at += 6;
        scalar = 0x10000 + ((scalar - 0xD800) << 10) + (static_cast<uint32_t>(low) - 0xDC00);
    }
    to = write_utf8(to, scalar);
    return at;
}

/// Returns the character for a letter after a backslash; 0 if JSON has no escape with this letter.
char escaped(char letter) {
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        return letter;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

} // namespace

number number::read_any(const char *const first, const char *const end) {
    const char *at = first + (*first == '-');
    const char *const digits = at;
    uint64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value * 10 + static_cast<uint64_t>(*at - '0');
    const std::size_t whole_count = static_cast<std::size_t>(at - digits);
    if (whole_count == 0 || (whole_count > 1 && *digits == '0'))
        return ::broken();
    if (at == end) {
        if (whole_count > int64_digits_max)
            return long_integer(first, end);
        const int64_t whole = static_cast<int64_t>(value);
        return {integer, *first == '-' ? -whole : whole, 0};
    }

    std::size_t fraction_count = 0;
    std::size_t leading_zeros = value == 0 ? whole_count : 0;
    if (*at == '.') {
        const char *const fraction = ++at;
        for (; at < end && is_digit(*at); at++) {
            value = value * 10 + static_cast<uint64_t>(*at - '0');
            leading_zeros += value == 0;
        }
        fraction_count = static_cast<std::size_t>(at - fraction);
        if (fraction_count == 0)
            return ::broken();
    }
    int64_t exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        const bool is_negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        const char *const start = at;
        for (; at < end && is_digit(*at); at++)
            exponent = exponent < exponent_max ? exponent * 10 + (*at - '0') : exponent;
        if (at == start)
            return ::broken();
        exponent = is_negative ? -exponent : exponent;
    }
    if (at != end)
        return ::broken();

    const int64_t power = exponent - static_cast<int64_t>(fraction_count);
    if (whole_count + fraction_count <= digits_max && value <= exact_whole_max &&
        power >= -exact_power_max && power <= exact_power_max) {
        const double exact = static_cast<double>(value);
        const double result =
            power < 0 ? exact / exact_powers[-power] : exact * exact_powers[power];
        return {real, 0, *first == '-' ? -result : result};
    }
    const int64_t magnitude = static_cast<int64_t>(whole_count) -
                              static_cast<int64_t>(leading_zeros) + exponent;
    return long_real(first, end, magnitude);
}

bool unescaped::read(const char *first, const char *end) {
    // Each escape is longer than its character.
    const std::size_t most = static_cast<std::size_t>(end - first);
    if (text_.size() < most)
        text_.resize(most);
    char *to = text_.data();
    while (first < end) {
        const void *found = std::memchr(first, '\\', static_cast<std::size_t>(end - first));
        const char *const escape = found == nullptr ? end : static_cast<const char *>(found);
        const std::size_t plain = static_cast<std::size_t>(escape - first);
        std::memcpy(to, first, plain);
        to += plain;
        first = escape;
        if (first == end)
            break;
        if (end - first < 2)
            return false;
        const char letter = first[1];
        first += 2;
        if (letter == 'u') {
            first = read_unicode(first, end, to);
            if (first == nullptr)
                return false;
        } else {
            const char character = escaped(letter);
            if (character == 0)
                return false;
            *to++ = character;
        }
    }
    length_ = static_cast<std::size_t>(to - text_.data());
    return true;
}
