/** @file restway/cpp/callback.hpp
 *  Functions of C++ as callbacks of the C library: their contexts, and what becomes of exceptions.
 */
#ifndef RESTWAY_CPP_CALLBACK_HPP
#define RESTWAY_CPP_CALLBACK_HPP

#include "value.hpp"

#include <atomic>
#include <cstdio>
#include <functional>

RESTWAY_CPP_BEGIN

/** Is told what a notice has thrown: nobody waits for the notice, so nobody can catch it. */
using unhandled_fn = void (*)(const char *what);

/** Stands for a callback in a client of RESTWAY_DELIVERY_DRAIN: client::drain() returns an event
 *  with this number in its place. */
struct token {
    std::uint64_t number = 0;

    /** Never called: it lets a token stand for a function of any type. */
    template <typename... Arguments> void operator()(Arguments &&...) const noexcept {
    }
};

namespace internal {

inline void print_unhandled(const char *what) {
    std::fprintf(stderr, "restway: a callback has thrown: %s\n", what);
}

inline std::atomic<unhandled_fn> unhandled{print_unhandled};

/** Calls a function that must not throw through the C library, and returns its failure. */
template <typename Function> result<void> guarded(const Function &function) noexcept {
#ifdef __cpp_exceptions
    try {
        return function();
    } catch (const error &refusal) {
        return refusal;
    } catch (const std::exception &exception) {
        return error(RESTWAY_E_CANCELLED, exception.what());
    } catch (...) {
        return error(RESTWAY_E_CANCELLED, "a callback has thrown something that is no exception");
    }
#else
    return function();
#endif
}

/** Calls the function of a program for a notice, whose result nobody waits for. */
template <typename Function> void tell(const Function &function) noexcept {
    result<void> outcome = guarded([&function] {
        function();
        return result<void>();
    });
    if (!outcome) {
        unhandled.load()(outcome.failure().what());
    }
}

/** Calls the function of a program for a question. It refuses by throwing, or by returning a
 *  result<void> that holds an error. */
template <typename Function, typename... Arguments>
result<void> ask(Function &function, Arguments &&...arguments) noexcept {
    return guarded([&]() -> result<void> {
        if constexpr (std::is_convertible_v<
                          std::invoke_result_t<Function &, Arguments &&...>, result<void>>) {
            return std::invoke(function, std::forward<Arguments>(arguments)...);
        } else {
            std::invoke(function, std::forward<Arguments>(arguments)...);
            return result<void>();
        }
    });
}

/** Calls the function of a program for a question that has a result: a T, or a result<T>. */
template <typename T, typename Function, typename... Arguments>
result<T> asked(Function &function, Arguments &&...arguments) noexcept {
    result<T> made = error(RESTWAY_E_INTERNAL, "the function has not been called");
    const result<void> outcome = guarded([&]() -> result<void> {
        using Made = std::invoke_result_t<Function &, Arguments &&...>;
        if constexpr (std::is_convertible_v<Made, result<T>>) {
            made = std::invoke(function, std::forward<Arguments>(arguments)...);
        } else {
            made = T(std::invoke(function, std::forward<Arguments>(arguments)...));
        }
        return result<void>();
    });
    return outcome ? made : result<T>(outcome.failure());
}

/** Ends a question whose answer takes the reason of a refusal. */
inline restway_status answer(const result<void> &outcome, restway_answer *answer) noexcept {
    if (outcome) {
        return RESTWAY_OK;
    }
    // Without its reason the refusal has the text of its status.
    (void)attempt<void>(restway_answer_set_message, answer, outcome.failure().what());
    return outcome.failure().status();
}

template <typename Function> void destroy(void *context) {
    delete static_cast<Function *>(context);
}

/** Leaves a context to the library, unless the library has refused it with @p status. The context
 *  may be gone already, if its last callback has run meanwhile. */
template <typename Function>
restway_status given(restway_status status, std::unique_ptr<Function> &context) noexcept {
    if (status == RESTWAY_OK) {
        (void)context.release();
    }
    return status;
}

/** Gives the library a function of the program as the context of a callback. @p give calls the
 *  function of the C library with the context, the function that destroys it, and the out
 *  parameters. */
template <typename T, typename Function, typename Give>
returned<T> attach(Function function, const Give &give) {
    auto context = std::make_unique<Function>(std::move(function));
    return call<T>([&](auto... out) {
        return given(give(context.get(), destroy<Function>, out...), context);
    });
}

/** The callback of the C library for a function of the program; NULL for a token. */
template <typename Function, typename Callback> Callback *callback_of(Callback *callback) {
    return std::is_same_v<Function, token> ? nullptr : callback;
}

/** Gives the library the token of an event in place of a function. */
template <typename T, typename Give> returned<T> attach(token number, const Give &give) {
    return call<T>([&](auto... out) {
        void *context = reinterpret_cast<void *>(static_cast<std::uintptr_t>(number.number));
        return give(context, static_cast<restway_destroy_fn>(nullptr), out...);
    });
}

} // namespace internal

/** Sets the function that is told what notices have thrown; it prints a line by default. */
inline void set_unhandled(unhandled_fn unhandled) noexcept {
    internal::unhandled = unhandled;
}

RESTWAY_CPP_END

#endif
