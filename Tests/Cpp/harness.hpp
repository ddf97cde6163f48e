/** @file harness.hpp
 *  The tests of restway.hpp: checks, clients of the demo API, and the list of the tests.
 *
 *  Every test ends with restway_debug_live_handles() at zero.
 */
#ifndef RESTWAY_CPP_HARNESS_HPP
#define RESTWAY_CPP_HARNESS_HPP

#include <restway.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <string_view>
#include <vector>

/** A test of a file of tests; TEST() puts it into the list. */
struct test {
    const char *name;
    void (*run)();
};

inline std::vector<test> &tests() {
    static std::vector<test> all;
    return all;
}

struct adding {
    adding(const char *name, void (*run)()) {
        tests().push_back({name, run});
    }
};

#define TEST(name)                                                                                 \
    static void name();                                                                            \
    static const adding name##_is_added(#name, name);                                              \
    static void name()

/** Ends the program if a check fails: without exceptions there is no other way out of a test. */
inline void check_at(bool holds, const char *what, const char *file, int line) {
    if (!holds) {
        std::fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
        std::exit(1);
    }
}

#define CHECK(holds) check_at(static_cast<bool>(holds), #holds, __FILE__, __LINE__)

#define NOT_REACHED() check_at(false, "this line is not reached", __FILE__, __LINE__)

/** Whether @p text contains @p part. */
inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/** The URL of the demo API. */
inline const char *demo_url() {
    const char *url = std::getenv("RESTWAY_DEMO_URL");
    check_at(
        url != nullptr, "RESTWAY_DEMO_URL is set (examples/with-demo-api)", __FILE__, __LINE__);
    return url;
}

/** The options of a client of the demo API. */
inline restway::client_options demo_options() {
    restway::client_options options;
    options.base_url = demo_url();
    return options;
}

#ifdef __cpp_exceptions
/** Performs a request that must fail, and returns the error. */
inline restway::error failure_of(const restway::client &client, const restway::request &request) {
    try {
        client.perform(request);
    } catch (const restway::error &failure) {
        return failure;
    }
    NOT_REACHED();
    std::abort();
}
#endif

/** The document of the demo API's tracker, which is that of the example. */
inline restway::returned<restway::api> tracker() {
    return restway::api::load_file(RESTWAY_EXAMPLES "/tracker.restway.json");
}

/** A document of the demo API's companies, with further members. */
inline std::string companies_with(std::string_view members) {
    return R"({"restway": 1,
        "entities": {"Enterprise": {
            "identity": "itemID",
            "attributes": {
                "itemID": {"source": "id", "type": "int"},
                "name": {"source": "name", "type": "string"},
                "website": {"source": "website", "type": "string"},
                "rating": {"source": "rating", "type": "double"},
                "active": {"source": "active", "type": "bool"},
                "founded": {"source": "creation_date", "type": "date", "format": "yyyy-MM-dd"},
                "tags": {"source": "tags", "type": "json"}}}},
        "routes": {
            "enterprises": {"path": "enterprises", "response":
                {"entity": "Enterprise", "keyPath": "array_of_enterprises"}},
            "enterprise": {"method": ["GET", "PUT", "DELETE"], "path": "enterprises/:itemID",
                "entity": "Enterprise", "response": {"entity": "Enterprise"}},
            "added": {"method": "POST", "path": "enterprises", "entity": "Enterprise",
                "response": {"entity": "Enterprise"}}},
        "errors": {"code": "error.error_code", "message": "error.error_description"})" +
           std::string(members) + "}";
}

/** Runs the tests whose names contain @p part; returns the status of the program. */
int run_tests(const char *part);

#endif
