/** @file restway/cpp/error.hpp
 *  Errors, results, and the two ways in which a function of restway.hpp tells a failure.
 *
 *  A program that is compiled with exceptions gets them: a function returns its value or throws
 *  restway::error. With `-fno-exceptions`, or if RESTWAY_RESULTS is defined before the header is
 *  included, the same functions return restway::result. All files of a program that share objects
 *  of this header choose the same way; the names of the types differ in the two ways, so the linker
 *  does not mix them.
 */
#ifndef RESTWAY_CPP_ERROR_HPP
#define RESTWAY_CPP_ERROR_HPP

#include "handle.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if !defined(RESTWAY_RESULTS) && !defined(__cpp_exceptions)
#define RESTWAY_RESULTS
#endif

#ifdef RESTWAY_RESULTS
#define RESTWAY_CPP_BEGIN                                                                          \
    namespace restway {                                                                            \
    inline namespace results {
#else
#define RESTWAY_CPP_BEGIN                                                                          \
    namespace restway {                                                                            \
    inline namespace throwing {
#endif
#define RESTWAY_CPP_END                                                                            \
    }                                                                                              \
    }

RESTWAY_CPP_BEGIN

class conflict;
class response;

namespace internal {

/** Returns a text of the C library, or nothing for NULL. */
inline std::optional<std::string_view> text_or_nothing(const char *text) {
    return text == nullptr ? std::nullopt : std::optional<std::string_view>(text);
}

/** Returns a text of the C library, or an empty text for NULL. */
inline std::string_view text_or_empty(const char *text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

/** The NUL-terminated copy of a text; NULL for no text. A text with a NUL inside is made invalid
 *  UTF-8, so that the library refuses it: otherwise the library would see only the text before the
 *  NUL. */
class c_text {
public:
    explicit c_text(std::optional<std::string_view> text) : text_(text) {
        if (text && text->find('\0') != std::string_view::npos) {
            text_ = "\xff";
        }
    }

    operator const char *() const noexcept {
        return text_ ? text_->c_str() : nullptr;
    }

private:
    std::optional<std::string> text_;
};

} // namespace internal

/** One of the problems that an error reports, such as a field that the server refuses. The texts
 *  are borrowed from the error. */
struct problem {
    /** The field, the key path, or the JSON path in the document; empty if the server names none.
     */
    std::string_view path;
    std::string_view message;
    /** The API's own code of the problem. */
    std::optional<std::string_view> code;
};

/** A failure: its kind, its place, and whether trying again makes sense (error.h). The texts that
 *  its functions return are borrowed from the error. */
class error : public std::exception {
public:
    /** Takes an error of the C library, with its reference. */
    explicit error(restway_error *owned_error, restway_status status = RESTWAY_E_INTERNAL)
        : error_(owned_error, owned), status_(status) {
        if (owned_error != nullptr) {
            status_ = restway_error_status(owned_error);
        }
    }

    /** Makes an error of the program, with which a function of the program refuses. */
    error(restway_status status, std::string message)
        : status_(status), message_(std::make_shared<std::string>(std::move(message))) {
    }

    /** One or more sentences that say what failed and where. */
    const char *what() const noexcept override {
        return message_ == nullptr ? restway_error_message(error_.get()) : message_->c_str();
    }

    /** The status that the failed function of the C library returned. */
    restway_status status() const noexcept {
        return status_;
    }

    /** The part of the library, or of its environment, that the error comes from. */
    restway_domain kind() const noexcept {
        return error_ ? restway_error_domain(error_.get()) : RESTWAY_DOMAIN_USAGE;
    }

    /** The HTTP status of the answer that the error is about, or 0. */
    int http_status() const noexcept {
        return restway_error_http_status(error_.get());
    }

    /** Whether the same request may succeed later as it is. */
    bool is_retryable() const noexcept {
        return restway_error_is_retryable(error_.get()) != 0;
    }

    /** The API's own code. */
    std::optional<std::string_view> api_code() const noexcept {
        return internal::text_or_nothing(restway_error_api_code(error_.get()));
    }

    /** The API's own message. */
    std::optional<std::string_view> api_message() const noexcept {
        return internal::text_or_nothing(restway_error_api_message(error_.get()));
    }

    /** The argument, variable, header, JSON path or key path at fault. */
    std::optional<std::string_view> field() const noexcept {
        return internal::text_or_nothing(restway_error_field(error_.get()));
    }

    /** Every separate problem: of the document, of the mapping, or of the fields of a request. */
    std::vector<problem> problems() const {
        std::vector<problem> found;
        for (std::size_t index = 0; index < restway_error_detail_count(error_.get()); index++) {
            const char *code = restway_error_detail_code(error_.get(), index);
            found.push_back(
                {internal::text_or_empty(restway_error_detail_path(error_.get(), index)),
                 internal::text_or_empty(restway_error_detail_message(error_.get(), index)),
                 internal::text_or_nothing(code)});
        }
        return found;
    }

    /** The response that came with the failure; an empty handle if there is none. */
    restway::response response() const;

    /** The conflict because of which a call has failed: its change does not fit the server's newest
     *  values. An empty handle for another error. */
    restway::conflict conflict() const;

    /** The number of the stored request, if the error is RESTWAY_E_QUEUED, else 0. */
    std::int64_t outbox_id() const noexcept {
        return restway_error_outbox_id(error_.get());
    }

    /** The error of the C library, *Borrowed*; NULL for an error that this header has made. */
    restway_error *get() const noexcept {
        return error_.get();
    }

private:
    handle<restway_error, restway_error_retain, restway_error_release> error_;
    restway_status status_;
    std::shared_ptr<const std::string> message_;
};

/** A value, or the error that came in its place. */
template <typename T> class [[nodiscard]] result {
public:
    result(T value) : content_(std::in_place_index<0>, std::move(value)) {
    }

    result(error problem) : content_(std::in_place_index<1>, std::move(problem)) {
    }

    explicit operator bool() const noexcept {
        return content_.index() == 0;
    }

    /** The value. A program that asks a failed result for its value ends. */
    T &operator*() noexcept {
        return std::get<0>(content_);
    }

    const T &operator*() const noexcept {
        return std::get<0>(content_);
    }

    T *operator->() noexcept {
        return &**this;
    }

    const T *operator->() const noexcept {
        return &**this;
    }

    /** The error. A program that asks a successful result for its error ends. */
    const error &failure() const noexcept {
        return std::get<1>(content_);
    }

private:
    std::variant<T, error> content_;
};

/** Success without a value, or an error. */
template <> class [[nodiscard]] result<void> {
public:
    result() = default;

    result(error problem) : failure_(std::move(problem)) {
    }

    explicit operator bool() const noexcept {
        return !failure_;
    }

    /** The error. A program may ask only a failed result for it. */
    const error &failure() const noexcept {
        return *failure_;
    }

private:
    std::optional<error> failure_;
};

/** The result of a function that may fail: the value itself with exceptions, else a `result`. */
#ifdef RESTWAY_RESULTS
template <typename T> using returned = result<T>;
#else
template <typename T> using returned = T;
#endif

namespace internal {

/** Tells a failure in the way that the program has chosen. */
template <typename T> returned<T> fail(error problem) {
#ifdef RESTWAY_RESULTS
    return result<T>(std::move(problem));
#else
    throw std::move(problem);
#endif
}

/** Returns the value of a result, or tells its failure. */
template <typename T> returned<T> returned_of(result<T> outcome) {
#ifdef RESTWAY_RESULTS
    return outcome;
#else
    if (!outcome) {
        throw error(outcome.failure());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*outcome);
    }
#endif
}

template <typename T, typename = void> struct is_handle : std::false_type {};
template <typename T> struct is_handle<T, std::void_t<typename T::raw_type>> : std::true_type {};

/** Calls a function of the C library with @p arguments and, after them, its out parameters: first
 *  the place for a T, unless T is void, and then the place for the error. */
template <typename T, typename Function, typename... Arguments>
result<T> attempt(const Function &function, const Arguments &...arguments) {
    restway_error *failure = nullptr;
    if constexpr (std::is_void_v<T>) {
        restway_status status = function(arguments..., &failure);
        return status == RESTWAY_OK ? result<T>() : result<T>(error(failure, status));
    } else if constexpr (is_handle<T>::value) {
        typename T::raw_type *raw = nullptr;
        restway_status status = function(arguments..., &raw, &failure);
        return status == RESTWAY_OK ? result<T>(T(raw, owned)) : result<T>(error(failure, status));
    } else {
        T value{};
        restway_status status = function(arguments..., &value, &failure);
        return status == RESTWAY_OK ? result<T>(value) : result<T>(error(failure, status));
    }
}

/** Calls a function of the C library like attempt(), and tells a failure as the program has chosen.
 */
template <typename T, typename Function, typename... Arguments>
returned<T> call(const Function &function, const Arguments &...arguments) {
    return returned_of(attempt<T>(function, arguments...));
}

/** Returns a text that a function of the C library writes into a buffer. @p write calls it with the
 *  buffer, its capacity, the place for the length of the whole text, and the place for the error.
 */
template <typename Write> returned<std::string> written(const Write &write) {
    std::string text(std::size_t(256), '\0');
    for (;;) {
        const result<std::size_t> length =
            attempt<std::size_t>([&](std::size_t *out, restway_error **failure) {
                return write(text.data(), text.size(), out, failure);
            });
        if (!length) {
            return fail<std::string>(length.failure());
        }
        if (*length < text.size()) {
            text.resize(*length);
            return text;
        }
        text.resize(*length + 1);
    }
}

/** The part of a request, a query or a draft that remembers a failure.
 *
 *  These are set up step by step, and each step returns the whole. With exceptions a step that
 *  fails throws. Without exceptions the first failure is kept, the later steps change nothing more,
 *  and the function that uses the whole returns the failure. */
template <typename Whole> class steps {
public:
    /** The first failure of a step; always empty in a program with exceptions. */
    const std::optional<error> &failure() const noexcept {
        return failure_;
    }

protected:
    template <typename Function, typename... Arguments>
    Whole &step(const Function &function, const Arguments &...arguments) {
        if (!failure_) {
            keep(attempt<void>(function, arguments...));
        }
        return static_cast<Whole &>(*this);
    }

    /** Takes the handle that was made, or the failure. */
    void begin(result<Whole> made) {
        if (made) {
            static_cast<Whole &>(*this) = std::move(*made);
        } else {
            keep(result<void>(made.failure()));
        }
    }

private:
    void keep(result<void> outcome) {
#ifdef RESTWAY_RESULTS
        if (!outcome) {
            failure_ = outcome.failure();
        }
#else
        returned_of(std::move(outcome));
#endif
    }

    std::optional<error> failure_;
};

} // namespace internal

RESTWAY_CPP_END

#endif
