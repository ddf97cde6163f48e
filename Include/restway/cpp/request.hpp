/** @file restway/cpp/request.hpp
 *  Requests: where they go, and what they carry.
 */
#ifndef RESTWAY_CPP_REQUEST_HPP
#define RESTWAY_CPP_REQUEST_HPP

#include "response.hpp"
#include "store.hpp"

RESTWAY_CPP_BEGIN

/** Bytes or a file that a request sends. */
class resource
    : public handle<restway_resource, restway_resource_retain, restway_resource_release> {
public:
    using handle::handle;

    /** A file, which is read when it is sent. Without a media type, its name gives one. */
    static returned<resource> file(std::string_view path) {
        return internal::call<resource>(
            restway_resource_create_file, internal::c_text(path), nullptr, nullptr);
    }

    /** A copy of bytes. */
    static returned<resource> of(
        std::string_view content, std::string_view name, std::string_view media_type) {
        return internal::call<resource>(
            restway_resource_create_bytes, content.data(), content.size(), internal::c_text(name),
            internal::c_text(media_type));
    }
};

/** One event of a stream. The texts are borrowed until the function that gets it returns. */
struct stream_event {
    std::string_view name;
    std::string_view id;
    std::string_view data;
    /** The objects that the event was mapped to; they are in the store. */
    std::vector<object> objects;
    /** Why the event was not mapped. */
    std::optional<error> failure;
};

namespace internal {

template <typename Function>
void on_progress(void *context, restway_call *raw, const restway_progress *told) {
    tell([&] {
        progress copy;
        static_cast<restway_progress &>(copy) = *told;
        (*static_cast<Function *>(context))(restway::call(raw, borrowed), copy);
    });
}

template <typename Function>
restway_status on_bytes(
    void *context, const void *content, size_t length, int32_t *, restway_answer *to) {
    const std::string_view received(static_cast<const char *>(content), length);
    return answer(ask(*static_cast<Function *>(context), received), to);
}

template <typename Function>
restway_status on_event(
    void *context, const restway_stream_event *told, int32_t *, restway_answer *to) {
    return answer(
        guarded([&] {
            stream_event event{
                text_or_empty(told->name),
                text_or_empty(told->id),
                std::string_view(static_cast<const char *>(told->data), told->length),
                {},
                std::nullopt};
            for (size_t index = 0; index < told->object_count; index++) {
                event.objects.emplace_back(told->objects[index], borrowed);
            }
            if (told->error != nullptr) {
                event.failure = error(restway_error_retain(told->error));
            }
            return ask(*static_cast<Function *>(context), std::as_const(event));
        }),
        to);
}

template <typename Function>
restway_status on_body(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *to) {
    return answer(
        guarded([&] {
            *out_count = (*static_cast<Function *>(context))(static_cast<char *>(buffer), capacity);
            return result<void>();
        }),
        to);
}

} // namespace internal

/** A request, which may be sent several times. Its functions can be chained. */
class request : public handle<restway_request, restway_request_retain, restway_request_release>,
                public internal::steps<request> {
public:
    using handle::handle;

    /** A request to a path, or to a URL. */
    static request to(std::string_view method, std::string_view path) {
        return request(internal::attempt<request>(
            restway_request_create, internal::c_text(method), internal::c_text(path)));
    }

    /** A request by the name of a route, with the first method of the route. */
    static request route(std::string_view name) {
        return request(internal::attempt<request>(
            restway_request_create_route, nullptr, internal::c_text(name)));
    }

    /** A request by the name of a route. */
    static request route(std::string_view name, std::string_view method) {
        return request(internal::attempt<request>(
            restway_request_create_route, internal::c_text(method), internal::c_text(name)));
    }

    /** A request about an object, whose route is found by its entity. */
    static request about(std::string_view method, const object &subject) {
        return request(internal::attempt<request>(
            restway_request_create_object, internal::c_text(method), subject.get()));
    }

    /** A request that sends a draft; the draft takes what the answer says. */
    static request about(std::string_view method, const draft &subject) {
        if (subject.failure()) {
            return request(result<request>(*subject.failure()));
        }
        return request(internal::attempt<request>(
            restway_request_create_draft, internal::c_text(method), subject.get()));
    }

    /** Fills the variables of the path from an object, and writes it into the body. */
    request &subject(const object &of) {
        return step(restway_request_set_object, get(), of.get());
    }

    request &subject(const draft &of) {
        return step(restway_request_set_draft, get(), of.get());
    }

    /** Sets a variable of the path. */
    request &variable(std::string_view name, const value &to) {
        return step(
            restway_request_set_variable, get(), internal::c_text(name), internal::c_value(to));
    }

    /** Sets a parameter of the query, or of the body of a form. */
    request &parameter(std::string_view name, const value &to) {
        return step(
            restway_request_set_parameter, get(), internal::c_text(name), internal::c_value(to));
    }

    request &parameters(const named_values &values) {
        for (const auto &[name, to] : values) {
            parameter(name, to);
        }
        return *this;
    }

    /** Sets a header. Nothing in place of a value leaves out a header of the document. */
    request &header(std::string_view name, std::optional<std::string_view> to) {
        return step(
            restway_request_set_header, get(), internal::c_text(name), internal::c_text(to));
    }

    request &body(std::string_view content, std::string_view media_type) {
        return step(
            restway_request_set_body, get(), static_cast<const void *>(content.data()),
            content.size(), internal::c_text(media_type));
    }

    /** Sends a JSON text. */
    request &body(const json &content) {
        return body(content.text, "application/json");
    }

    /** Sends bytes or a file. */
    request &body(const resource &content) {
        return step(restway_request_set_resource, get(), content.get(), 0u);
    }

    /** Sends what `std::size_t(char *buffer, std::size_t capacity)` puts into the buffer; 0 ends
     *  the body. The body is sent once. @p length is -1 if it is not known. */
    template <typename Function>
    request &body_from(Function read, std::int64_t length, std::string_view media_type) {
        const auto give = [&](restway_request *to, restway_error **failure) {
            auto context = std::make_unique<Function>(std::move(read));
            restway_body_reader reader = RESTWAY_BODY_READER_INIT;
            reader.context = context.get();
            reader.read = internal::on_body<Function>;
            reader.destroy = internal::destroy<Function>;
            const internal::c_text type(media_type);
            restway_status status =
                restway_request_set_body_reader(to, &reader, length, type, failure);
            return internal::given(status, context);
        };
        return step(give, get());
    }

    /** Adds a file to the body, which becomes multipart/form-data. */
    request &file(std::string_view name, const resource &content) {
        return step(restway_request_add_file, get(), internal::c_text(name), content.get());
    }

    /** Makes an upload resumable. @p state_path names the file that remembers it. */
    request &resumable(restway_upload_protocol protocol, std::string_view state_path) {
        return step(
            restway_request_set_resumable, get(), protocol, internal::c_text(state_path),
            std::int64_t(0), 0u);
    }

    /** Saves the body of the answer in a file. */
    request &save_to(std::string_view path) {
        return step(restway_request_save_to, get(), internal::c_text(path), 0u);
    }

    /** Gives the body of the answer to `void(std::string_view bytes)` while it arrives. */
    template <typename Function> request &receive(Function receiver) {
        const auto give = [&](restway_request *to, restway_error **failure) {
            auto context = std::make_unique<Function>(std::move(receiver));
            restway_body_receiver raw = RESTWAY_BODY_RECEIVER_INIT;
            raw.context = context.get();
            raw.receive = internal::on_bytes<Function>;
            raw.destroy = internal::destroy<Function>;
            return internal::given(restway_request_set_body_receiver(to, &raw, failure), context);
        };
        return step(give, get());
    }

    /** Reads the answer as a stream, whose events `void(const stream_event &)` gets. */
    template <typename Function> request &receive_events(Function receiver) {
        const auto give = [&](restway_request *to, restway_error **failure) {
            auto context = std::make_unique<Function>(std::move(receiver));
            restway_event_receiver raw = RESTWAY_EVENT_RECEIVER_INIT;
            raw.context = context.get();
            raw.receive = internal::on_event<Function>;
            raw.destroy = internal::destroy<Function>;
            return internal::given(restway_request_set_event_receiver(to, &raw, failure), context);
        };
        return step(give, get());
    }

    /** Tells the progress of its calls to `void(const call &, const progress &)`, at most once in
     *  each @p interval. */
    template <typename Function> request &on_progress(milliseconds interval, Function told) {
        const auto give = [&](restway_request *to, restway_error **failure) {
            auto context = std::make_unique<Function>(std::move(told));
            restway_status status = restway_request_set_progress(
                to, interval.count(), internal::on_progress<Function>, context.get(),
                internal::destroy<Function>, failure);
            return internal::given(status, context);
        };
        return step(give, get());
    }

    request &timeout(milliseconds limit) {
        return step(restway_request_set_timeout, get(), limit.count());
    }

    request &priority(std::int32_t number) {
        return step(restway_request_set_priority, get(), number);
    }

    /** How the request takes part in authentication. */
    request &auth(restway_auth_mode mode) {
        return step(restway_request_set_auth, get(), mode);
    }

    /** How the request uses the response cache. */
    request &cache(restway_cache_mode mode) {
        return step(restway_request_set_cache, get(), mode);
    }

    /** The lane of the outbox in which the request waits. */
    request &lane(std::string_view name) {
        return step(restway_request_set_lane, get(), internal::c_text(name));
    }

    /** When the outbox stores the request, in place of what its route says. */
    request &offline(restway_offline moment) {
        return step(restway_request_set_offline, get(), moment);
    }

    /** Whether the store shows the effect of the request before the server has answered: the values
     *  of its draft, or the end of what a DELETE removes. The store takes it back if the call
     *  fails. With std::nullopt the route decides. */
    request &optimistic(std::optional<bool> shown = true) {
        return step(restway_request_set_optimistic, get(), !shown ? -1 : *shown ? 1 : 0);
    }

    /** Chooses the parser of the answer, in place of the route's (parsing.h). */
    request &parser(std::string_view name) {
        return step(restway_request_set_parser, get(), internal::c_text(name));
    }

    /** The age at which a call with this request is reported as too slow. */
    request &too_slow(milliseconds age) {
        return step(restway_request_set_too_slow, get(), age.count());
    }

private:
    friend class scope;

    explicit request(result<request> made) {
        begin(std::move(made));
    }
};

RESTWAY_CPP_END

#endif
