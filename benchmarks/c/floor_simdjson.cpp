/* Measures a large list of companies in a program that was written for it: simdjson's DOM, one
 * block for each object, and an index of their identities. It runs several rounds; the first one
 * warms up.
 *
 *     floor_simdjson URL ROUNDS */
#include <curl/curl.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum column {
    item_id, name, founded, employee_count, revenue, active, about, street, street_number, city,
    country, owner_id, owner_first_name, owner_last_name, owner_email, column_count
};

enum kinds : uint32_t { absent, boolean, integer, real, date, text };

/// A cell of 16 bytes for each value, as in Restway.
struct cell {
    kinds kind = absent;
    uint32_t length = 0;
    union {
        int64_t whole;
        double fraction;
        const char *first;
    } value = {0};
};

/// One block with the cells, followed by their text.
struct object {
    cell cells[column_count];
};

[[noreturn]] void fail(const char *what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

/// The objects by their identity, in a hash table with open addressing.
class identities {
  public:
    explicit identities(std::size_t count) {
        std::size_t slots = 16;
        while (slots < count * 2)
            slots *= 2;
        slots_.resize(slots);
        mask_ = slots - 1;
    }

    void put(int64_t identity, object *object) {
        std::size_t at = (static_cast<uint64_t>(identity) * 0x9E3779B97F4A7C15 >> 32) & mask_;
        while (slots_[at].object != nullptr && slots_[at].identity != identity)
            at = (at + 1) & mask_;
        slots_[at] = {identity, object};
    }

  private:
    struct slot {
        int64_t identity = 0;
        struct object *object = nullptr;
    };
    std::vector<slot> slots_;
    std::size_t mask_;
};

/// Returns the microseconds since 1970 of `yyyy-MM-dd`.
int64_t microseconds(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        fail("not a date");
    const auto number = [&](std::size_t first, std::size_t count) {
        int64_t number = 0;
        for (std::size_t at = first; at < first + count; at++) {
            if (text[at] < '0' || text[at] > '9')
                fail("not a date");
            number = number * 10 + (text[at] - '0');
        }
        return number;
    };
    const int64_t month = number(5, 2), day = number(8, 2);
    const int64_t year = number(0, 4) - (month <= 2);
    const int64_t era = year / 400, year_of_era = year % 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t leap_days = year_of_era / 4 - year_of_era / 100;
    const int64_t day_of_era = year_of_era * 365 + leap_days + day_of_year;
    return (era * 146097 + day_of_era - 719468) * 86'400'000'000;
}

void put_text(cell &cell, simdjson::dom::element element) {
    const std::string_view view = element.get_string();
    cell.kind = text;
    cell.length = static_cast<uint32_t>(view.size());
    cell.value.first = view.data();
}

void put_integer(cell &cell, simdjson::dom::element element) {
    cell.kind = integer;
    cell.value.whole = element.get_int64();
}

void read_address(cell *cells, simdjson::dom::object address) {
    for (const auto [key, value] : address) {
        if (key == "street")
            put_text(cells[street], value);
        else if (key == "street_number")
            put_integer(cells[street_number], value);
        else if (key == "city")
            put_text(cells[city], value);
        else if (key == "country")
            put_text(cells[country], value);
    }
}

void read_owner(cell *cells, simdjson::dom::object owner) {
    for (const auto [key, value] : owner) {
        if (key == "id")
            put_integer(cells[owner_id], value);
        else if (key == "first_name")
            put_text(cells[owner_first_name], value);
        else if (key == "last_name")
            put_text(cells[owner_last_name], value);
        else if (key == "email")
            put_text(cells[owner_email], value);
    }
}

void read_company(cell *cells, simdjson::dom::object company) {
    for (const auto [key, value] : company) {
        if (key == "id") {
            put_integer(cells[item_id], value);
        } else if (key == "name") {
            put_text(cells[name], value);
        } else if (key == "founded") {
            cells[founded].kind = date;
            cells[founded].value.whole = microseconds(value.get_string());
        } else if (key == "employee_count") {
            put_integer(cells[employee_count], value);
        } else if (key == "revenue") {
            cells[revenue].kind = real;
            cells[revenue].value.fraction = value.get_double();
        } else if (key == "active") {
            cells[active].kind = boolean;
            cells[active].value.whole = value.get_bool();
        } else if (key == "about") {
            put_text(cells[about], value);
        } else if (key == "address") {
            read_address(cells, value.get_object());
        } else if (key == "owner") {
            read_owner(cells, value.get_object());
        }
    }
}

/// Makes one block: the cells, and the text that they point to, each with a NUL after it.
object *made(const cell *cells) {
    std::size_t bytes = 0;
    for (int index = 0; index < column_count; index++)
        if (cells[index].kind == text)
            bytes += cells[index].length + 1;
    auto *const made = static_cast<object *>(std::malloc(sizeof(object) + bytes));
    if (made == nullptr)
        fail("no memory");
    char *to = reinterpret_cast<char *>(made + 1);
    for (int index = 0; index < column_count; index++) {
        made->cells[index] = cells[index];
        if (cells[index].kind != text)
            continue;
        std::memcpy(to, cells[index].value.first, cells[index].length);
        to[cells[index].length] = 0;
        made->cells[index].value.first = to;
        to += cells[index].length + 1;
    }
    return made;
}

double round_seconds(simdjson::dom::parser &parser, const simdjson::padded_string &body,
                     std::size_t &count) {
    using clock = std::chrono::steady_clock;
    std::vector<object *> objects;
    const clock::time_point begun = clock::now();
    const simdjson::dom::array companies = parser.parse(body)["companies"].get_array();
    // simdjson does not know the size of a longer list; the number is only used to reserve memory.
    identities index(companies.size());
    objects.reserve(companies.size());
    for (const simdjson::dom::element company : companies) {
        cell cells[column_count];
        read_company(cells, company.get_object());
        object *const object = made(cells);
        if (object->cells[item_id].kind != integer)
            fail("no identity");
        index.put(object->cells[item_id].value.whole, object);
        objects.push_back(object);
    }
    const double seconds = std::chrono::duration<double>(clock::now() - begun).count();
    count = objects.size();
    for (object *const object : objects)
        std::free(object);
    return seconds;
}

std::size_t append(char *bytes, std::size_t size, std::size_t count, void *body) {
    static_cast<std::string *>(body)->append(bytes, size * count);
    return size * count;
}

std::string fetched(const char *url) {
    std::string body;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    const CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK)
        fail(curl_easy_strerror(code));
    curl_easy_cleanup(easy);
    return body;
}

} // namespace

int main(int argc, char **argv) {
    const int rounds = argc == 3 ? std::atoi(argv[2]) : 0;
    if (rounds < 2)
        fail("usage: floor_simdjson URL ROUNDS");
    const simdjson::padded_string body(fetched(argv[1]));
    simdjson::dom::parser parser;
    std::vector<double> seconds;
    std::size_t objects = 0;

    for (int round = 0; round < rounds; round++)
        seconds.push_back(round_seconds(parser, body, objects));
    std::sort(seconds.begin() + 1, seconds.end());
    std::printf("{\"objects\": %zu, \"first_seconds\": %.9f, \"map_seconds\": %.9f}\n", objects,
                seconds[0], seconds[1 + (seconds.size() - 1) / 2]);
    return 0;
}
