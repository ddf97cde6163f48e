/** @file restway/cpp/batch_format.hpp
 *  The format of batches, as functions of the program.
 */
#ifndef RESTWAY_CPP_BATCH_FORMAT_HPP
#define RESTWAY_CPP_BATCH_FORMAT_HPP

#include "callback.hpp"

RESTWAY_CPP_BEGIN

/** One of the requests of a batch call. The texts are borrowed until the function returns. */
struct batch_request {
    std::string_view method;
    /** The URL, relative to the base URL, with a leading slash and its query. */
    std::string_view uri;
    std::optional<std::string_view> body;
    std::vector<std::pair<std::string_view, std::string_view>> headers;
};

/** The requests that a batch format writes into the body of one call. It is valid until the
 *  function returns. */
class batch_writer {
public:
    explicit batch_writer(restway_batch_writer *raw) : raw_(raw) {
    }

    std::size_t size() const noexcept {
        return restway_batch_writer_count(raw_);
    }

    batch_request operator[](std::size_t index) const {
        std::size_t length = 0;
        const void *body = restway_batch_writer_body(raw_, index, &length);
        batch_request one;
        one.method = internal::text_or_empty(restway_batch_writer_method(raw_, index));
        one.uri = internal::text_or_empty(restway_batch_writer_uri(raw_, index));
        if (body != nullptr) {
            one.body = std::string_view(static_cast<const char *>(body), length);
        }
        const std::size_t count = restway_batch_writer_header_count(raw_, index);
        for (std::size_t header = 0; header < count; header++) {
            one.headers.emplace_back(
                restway_batch_writer_header_name(raw_, index, header),
                restway_batch_writer_header_value(raw_, index, header));
        }
        return one;
    }

    /** Sets the body of the call. */
    returned<void> set_body(std::string_view body, std::string_view media_type) {
        return internal::call<void>(
            restway_batch_writer_set_body, raw_, static_cast<const void *>(body.data()),
            body.size(), internal::c_text(media_type));
    }

private:
    restway_batch_writer *raw_;
};

/** The answer to a batch call, which a batch format takes apart. It is valid until the function
 *  returns. */
class batch_reader {
public:
    explicit batch_reader(restway_batch_reader *raw) : raw_(raw) {
    }

    /** How many requests were sent. */
    std::size_t size() const noexcept {
        return restway_batch_reader_count(raw_);
    }

    std::string_view body() const noexcept {
        std::size_t length = 0;
        const void *content = restway_batch_reader_body(raw_, &length);
        return std::string_view(static_cast<const char *>(content), length);
    }

    std::optional<std::string_view> media_type() const noexcept {
        return internal::text_or_nothing(restway_batch_reader_media_type(raw_));
    }

    /** Sets the answer to a request. A request that gets no answer fails alone. */
    returned<void> set_answer(std::size_t index, int status, std::string_view body) {
        return internal::call<void>(
            restway_batch_reader_set_answer, raw_, index, status,
            static_cast<const void *>(body.data()), body.size());
    }

    /** Adds a header to an answer that was set, without the white space at the ends of its value.
     *  A name or a value that no header can have is an error. */
    returned<void> add_header(std::size_t index, std::string_view name, std::string_view to) {
        return internal::call<void>(
            restway_batch_reader_add_header, raw_, index, internal::c_text(name),
            internal::c_text(to));
    }

private:
    restway_batch_reader *raw_;
};

namespace internal {

/** A pair of `void(batch_writer &)` and `void(batch_reader &)` as the functions of a format. */
template <typename Pair>
restway_status on_batch_encode(void *context, restway_batch_writer *raw, restway_answer *to) {
    batch_writer writer(raw);
    return answer(ask(static_cast<Pair *>(context)->first, writer), to);
}

template <typename Pair>
restway_status on_batch_decode(void *context, restway_batch_reader *raw, restway_answer *to) {
    batch_reader reader(raw);
    return answer(ask(static_cast<Pair *>(context)->second, reader), to);
}

} // namespace internal

RESTWAY_CPP_END

#endif
