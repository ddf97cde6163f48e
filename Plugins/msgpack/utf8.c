#include "utf8.h"

#include <string.h>

/** Returns how many bytes the sequence has that begins with `first`, 0 if it is invalid, and the
 *  range of the second byte. */
static size_t sequence(uint8_t first, uint8_t *least, uint8_t *most) {
    *least = 0x80;
    *most = 0xBF;
    if (first < 0xC2)
        return 0;
    if (first < 0xE0)
        return 2;
    if (first < 0xF0) {
        if (first == 0xE0)
            *least = 0xA0;
        if (first == 0xED)
            *most = 0x9F;
        return 3;
    }
    if (first == 0xF0)
        *least = 0x90;
    if (first == 0xF4)
        *most = 0x8F;
    return first < 0xF5 ? 4 : 0;
}

bool utf8_is_valid(const uint8_t *bytes, size_t length) {
    size_t at = 0;
    while (at < length) {
        uint64_t word;
        if (length - at >= sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if ((word & 0x8080808080808080u) == 0) {
                at += sizeof word;
                continue;
            }
        }
        if (bytes[at] < 0x80) {
            at++;
            continue;
        }
        uint8_t least, most;
        const size_t count = sequence(bytes[at], &least, &most);
        if (count == 0 || count > length - at || bytes[at + 1] < least || bytes[at + 1] > most)
            return false;
        for (size_t index = 2; index < count; index++)
            if ((bytes[at + index] & 0xC0) != 0x80)
                return false;
        at += count;
    }
    return true;
}
