// The mapper `simdjson`: JSON straight from text to values, by simdjson's DOM.
//
// simdjson writes what it reads on a flat tape (its doc/tape.md), which is walked here without
// building anything else: a container that nobody wants is passed over in one step.
#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <restway/plugin.h>

#include "out_of_range.h"

namespace {

using simdjson::dom::parser;

/// Parsers above this size are given back after use; a thread keeps smaller ones.
constexpr std::size_t kept_capacity_max = std::size_t(1) << 20;

int32_t fail(restway_plugin_reason *reason, int32_t result, const char *text) {
    std::snprintf(reason->text, sizeof reason->text, "%s", text);
    return result;
}

/// Walks a tape and pushes it into a sink.
class walker {
  public:
    walker(const simdjson::dom::document &document, const restway_plugin_sink &sink,
           std::size_t depth_max, const marked_numbers &numbers)
        : tape_(document.tape.get()), strings_(document.string_buf.get()), sink_(sink),
          context_(sink.context), numbers_(numbers), depth_max_(depth_max),
          is_object_(new bool[depth_max + 2]) {}

    /// False when something nests too deeply.
    bool walk() {
        std::size_t depth = 0;
        std::size_t index = 1;
        const std::size_t end = payload(tape_[0]) - 1;
        while (index < end) {
            uint64_t word = tape_[index];
            int32_t answer;
            switch (static_cast<unsigned char>(word >> 56)) {
            case '"':
                answer = text(word);
                index++;
                break;
            case 'l':
                answer = sink_.integer(context_, static_cast<int64_t>(tape_[index + 1]));
                index += 2;
                break;
            case 'd': {
                double value;
                std::memcpy(&value, &tape_[index + 1], sizeof value);
                answer = sink_.real(context_, value);
                index += 2;
                break;
            }
            case 'u':
                answer = beyond_int64(tape_[index + 1]);
                index += 2;
                break;
            case 't':
            case 'f':
                answer = sink_.boolean(context_, (word >> 56) == 't');
                index++;
                break;
            case 'n':
                answer = sink_.null_value(context_);
                index++;
                break;
            case '{':
            case '[': {
                const bool is_object = (word >> 56) == '{';
                answer = is_object ? sink_.begin_object(context_)
                                   : sink_.begin_array(context_, count(word));
                if (depth == depth_max_)
                    return false;
                if (answer == RESTWAY_PLUGIN_SKIP) {
                    if (nests_too_deeply(index, depth))
                        return false;
                    index = behind(index);
                    answer = RESTWAY_PLUGIN_WANT;
                } else {
                    is_object_[++depth] = is_object;
                    index++;
                }
                break;
            }
            default: // The end of a container.
                answer = is_object_[depth] ? sink_.end_object(context_) : sink_.end_array(context_);
                depth--;
                index++;
                break;
            }
            if (answer == RESTWAY_PLUGIN_STOP)
                return true;
            // Inside an object keys come next, each in front of its value.
            while (depth > 0 && is_object_[depth] && (tape_[index] >> 56) == '"') {
                answer = key(tape_[index++]);
                if (answer == RESTWAY_PLUGIN_STOP)
                    return true;
                if (answer != RESTWAY_PLUGIN_SKIP)
                    break;
                if (nests_too_deeply(index, depth))
                    return false;
                index = behind(index);
            }
        }
        return true;
    }

  private:
    static std::size_t payload(uint64_t word) { return word & 0x00FFFFFFFFFFFFFF; }

    /// How many elements a container has; -1 when it has too many to be told.
    static int64_t count(uint64_t word) {
        const int64_t count = (word >> 32) & 0xFFFFFF;
        return count == 0xFFFFFF ? -1 : count;
    }

    /// The index behind the value at `index`.
    std::size_t behind(std::size_t index) const {
        switch (static_cast<unsigned char>(tape_[index] >> 56)) {
        case '{':
        case '[':
            return tape_[index] & 0xFFFFFFFF;
        case 'l':
        case 'u':
        case 'd':
            return index + 2;
        default:
            return index + 1;
        }
    }

    /// Whether the value at `index`, below `depth` containers, nests too deeply. simdjson itself
    /// does not count empty containers.
    bool nests_too_deeply(std::size_t index, std::size_t depth) const {
        const std::size_t end = behind(index);
        // So many containers have a begin and an end each.
        if (end - index < 2 * (depth_max_ + 1 - depth))
            return false;
        while (index < end) {
            switch (static_cast<unsigned char>(tape_[index] >> 56)) {
            case '{':
            case '[':
                if (depth++ == depth_max_)
                    return true;
                index++;
                break;
            case '}':
            case ']':
                depth--;
                index++;
                break;
            default:
                index = behind(index);
            }
        }
        return false;
    }

    int32_t key(uint64_t word) const {
        const uint8_t *at = strings_ + payload(word);
        uint32_t length;
        std::memcpy(&length, at, sizeof length);
        return sink_.key(context_, reinterpret_cast<const char *>(at + sizeof length), length);
    }

    int32_t text(uint64_t word) const {
        const uint8_t *at = strings_ + payload(word);
        uint32_t length;
        std::memcpy(&length, at, sizeof length);
        const char *text = reinterpret_cast<const char *>(at + sizeof length);
        if (numbers_.hold(text, length)) {
            const std::size_t mark = numbers_.mark().size();
            return sink_.number_out_of_range(context_, text + mark, length - mark);
        }
        return sink_.string(context_, text, length);
    }

    int32_t beyond_int64(uint64_t value) const {
        char digits[24];
        const int length = std::snprintf(digits, sizeof digits, "%llu",
                                         static_cast<unsigned long long>(value));
        return sink_.number_out_of_range(context_, digits, static_cast<std::size_t>(length));
    }

    const uint64_t *tape_;
    const uint8_t *strings_;
    const restway_plugin_sink &sink_;
    void *const context_;
    const marked_numbers &numbers_;
    const std::size_t depth_max_;
    /// By depth: whether the open container is an object.
    std::unique_ptr<bool[]> is_object_;
};

int32_t explain(simdjson::error_code error, restway_plugin_reason *reason) {
    switch (error) {
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory while reading JSON");
    case simdjson::DEPTH_ERROR:
        return fail(reason, RESTWAY_PLUGIN_TOO_DEEP, "JSON nested too deeply");
    case simdjson::EMPTY:
        return fail(reason, RESTWAY_PLUGIN_MALFORMED, "no JSON: the text is empty");
    default:
        std::snprintf(reason->text, sizeof reason->text, "not valid JSON: %s",
                      simdjson::error_message(error));
        return RESTWAY_PLUGIN_MALFORMED;
    }
}

bool is_number_error(simdjson::error_code error) {
    return error == simdjson::NUMBER_ERROR;
}

int32_t decode(void *, const void *bytes, size_t length, const restway_plugin_sink *sink,
               const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    thread_local std::unique_ptr<parser> kept;
    try {
        if (!kept)
            kept.reset(new parser());
        // A byte order mark is skipped.
        if (length >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
            bytes = static_cast<const char *>(bytes) + 3;
            length -= 3;
        }
        const std::size_t depth_max = static_cast<std::size_t>(limits->nesting_depth_max);
        marked_numbers numbers;
        simdjson::error_code error = simdjson::SUCCESS;
        if (kept->capacity() < length || kept->max_depth() != depth_max + 1)
            error = kept->allocate(length, depth_max + 1);
        if (error == simdjson::SUCCESS)
            error = kept->parse(static_cast<const uint8_t *>(bytes), length, false).error();
        if (is_number_error(error)) {
            // A number that fits nothing makes simdjson refuse the whole: read it with those
            // marked as strings.
            const std::string marked = numbers.mark(static_cast<const char *>(bytes), length);
            error = kept->parse(marked).error();
        }
        int32_t result = RESTWAY_PLUGIN_OK;
        if (error != simdjson::SUCCESS)
            result = explain(error, reason);
        else if (!walker(kept->doc, *sink, depth_max, numbers).walk())
            result = explain(simdjson::DEPTH_ERROR, reason);
        if (kept->capacity() > kept_capacity_max)
            kept.reset();
        return result;
    } catch (const std::bad_alloc &) {
        kept.reset();
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory while reading JSON");
    }
}

const restway_plugin_mapper mapper = {
    sizeof(restway_plugin_mapper),
    "simdjson",
    "application/json *+json text/json",
    nullptr,
    decode,
    nullptr,
};
const restway_plugin_mapper *const mappers[] = {&mapper};

} // namespace

extern "C" __attribute__((visibility("default"))) int32_t restway_plugin_v1(
    const restway_plugin_host *, restway_plugin *plugin, restway_plugin_reason *) {
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP;
    plugin->name = "simdjson";
    plugin->version = "1.0";
    plugin->licence = "MIT";
    plugin->description = "Maps JSON with simdjson.";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
    return RESTWAY_PLUGIN_OK;
}
