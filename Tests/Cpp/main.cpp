#include "harness.hpp"

#include <poll.h>

namespace {

enum { TURNS_MAX = 500, TURN_MILLISECONDS = 20 };

/** Waits until the program owns no handle. A callback that has just ended may hold one for a moment
 *  longer, because its context is destroyed after it. */
bool owns_nothing() {
    for (int turn = 0; turn < TURNS_MAX && restway_debug_live_handles() != 0; turn++) {
        poll(nullptr, 0, TURN_MILLISECONDS);
    }
    return restway_debug_live_handles() == 0;
}

} // namespace

int run_tests(const char *part) {
    std::size_t passed = 0;
    for (const test &one : tests()) {
        if (!contains(one.name, part)) {
            continue;
        }
        std::printf("%s\n", one.name);
        std::fflush(stdout);
        one.run();
        CHECK(owns_nothing());
        passed++;
    }
    std::printf("%zu tests passed\n", passed);
    return passed == 0 ? 1 : 0;
}

int main(int argument_count, char **arguments) {
    return run_tests(argument_count > 1 ? arguments[1] : "");
}
