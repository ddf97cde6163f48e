#include "sample_texts.h"

#define SAMPLE(name, literal) {name, literal, sizeof(literal) - 1}

const sample_text json_texts[] = {
    SAMPLE(
        "an object",
        "{\"id\": 7, \"name\": \"Acme \\u00e9\\ud83d\\ude00 \xC3\xBC\", \"rate\": 1.25,"
        " \"open\": true, \"closed\": false, \"none\": null, \"tags\": [\"a\", \"b\", []],"
        " \"owner\": {\"id\": 2, \"address\": {\"street\": \"Long \\\"Road\\\"\\n\"}},"
        " \"empty\": {}, \"\": \"\"}"),
    SAMPLE(
        "a list",
        "\n[ {\"id\": 1, \"of\": [{\"id\": 2}, {\"id\": 3}]},\t{\"id\": 4},\r\n"
        "{}, [], [[]], null, \"text\", 0.5 ]\n"),
    SAMPLE(
        "numbers",
        "[0,-0,1,-1,9007199254740993,9223372036854775807,-9223372036854775808,"
        "1e3,1E-3,-2.5e+2,0.1,1.7976931348623157e308,4.9e-324,18446744073709551615]"),
    SAMPLE(
        "texts",
        "[\"\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00DF\\u20AC\",\"\xE2\x82\xAC\","
        "\"\xF0\x9F\x98\x80\",\"0123456789abcdef0123456789abcdef0123456789abcdef\"]"),
    SAMPLE("nested", "{\"a\":{\"b\":{\"c\":[[[{\"d\":[{\"e\":{\"f\":[1,[2,[3]]]}}]}]]]}}}"),
    SAMPLE("an empty object", "{}"),
    SAMPLE("an empty list", "[]"),
};
const size_t json_text_count = sizeof json_texts / sizeof *json_texts;

const sample_text msgpack_texts[] = {
    SAMPLE(
        "an object",
        "\x87\xA2id\x07\xA4name\xA6""Acme\xC3\xA9\xA4rate\xCB\x3F\xF4\x00\x00\x00\x00\x00\x00"
        "\xA4open\xC3\xA6""closed\xC2\xA4none\xC0"
        "\xA5owner\x82\xA2id\xCC\xC8\xA4tags\x93\xA1""a\x90\x80"),
    SAMPLE(
        "a list",
        "\xDC\x00\x04\x81\xA2id\x01\xDE\x00\x01\xA2id\x02\x80\xDF\x00\x00\x00\x01\xD9\x02id\x03"),
    SAMPLE(
        "numbers",
        "\xDC\x00\x0D\x00\x7F\xFF\xE0\xCC\xFF\xCD\xFF\xFF\xCE\xFF\xFF\xFF\xFF"
        "\xCF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xD0\x80\xD1\x80\x00\xD2\x80\x00\x00\x00"
        "\xD3\x80\x00\x00\x00\x00\x00\x00\x00\xCA\x3F\xC0\x00\x00"),
    SAMPLE(
        "texts",
        "\x97\xA0\xD9\x05short\xDA\x00\x03two\xDB\x00\x00\x00\x04""four\xC4\x03\x00\xFF\x01"
        "\xC5\x00\x01\x80\xC6\x00\x00\x00\x02\x00\x00"),
    SAMPLE(
        "dates",
        "\x93\xD6\xFF\x65\x53\xF1\x00\xD7\xFF\x1D\x6F\x34\x54\x65\x53\xF1\x00"
        "\xC7\x0C\xFF\x00\x00\x00\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
    SAMPLE("nested", "\x81\xA1""a\x91\x91\x81\xA1""b\x91\x92\x01\x91\x02"),
    SAMPLE("an empty object", "\x80"),
    SAMPLE("an empty list", "\x90"),
};
const size_t msgpack_text_count = sizeof msgpack_texts / sizeof *msgpack_texts;

const sample_text hostile_texts[] = {
    SAMPLE("[1,]", "[1,]"),
    SAMPLE("{\"a\"}", "{\"a\"}"),
    SAMPLE("{\"a\":1,}", "{\"a\":1,}"),
    SAMPLE("[1]]", "[1]]"),
    SAMPLE("half of a surrogate pair", "[\"\\ud83d\"]"),
    SAMPLE("a bad escape", "[\"\\u12\"]"),
    SAMPLE("overlong UTF-8", "[\"\xC0\x80\"]"),
    SAMPLE("a number too large for a double", "[1e999999999]"),
    SAMPLE("a number of many digits", "[1234567890123456789012345678901234567890]"),
    SAMPLE("an array of 4294967295", "\xDD\xFF\xFF\xFF\xFF"),
    SAMPLE("an object of 4294967295", "\xDF\xFF\xFF\xFF\xFF"),
    SAMPLE("a text of 4294967295 bytes", "\xDB\xFF\xFF\xFF\xFF"),
    SAMPLE("4294967295 bytes", "\xC6\xFF\xFF\xFF\xFF"),
    SAMPLE("a reserved byte", "\xC1"),
    SAMPLE("a key that is an object", "\x81\x81\x01\x02\x03"),
    SAMPLE("a text that is not UTF-8", "\x91\xA2\xFF\xFE"),
    SAMPLE("an integer beyond 64 bits", "\xCF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
    SAMPLE("a date of the wrong length", "\xC7\x05\xFF\x01\x02\x03\x04\x05"),
    SAMPLE("two values", "\x01\x02"),
    SAMPLE("zeros", "\0\0\0\0\0\0\0\0"),
};
const size_t hostile_text_count = sizeof hostile_texts / sizeof *hostile_texts;
