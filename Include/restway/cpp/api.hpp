/** @file restway/cpp/api.hpp
 *  The loaded API document, and the functions of the program that it names.
 */
#ifndef RESTWAY_CPP_API_HPP
#define RESTWAY_CPP_API_HPP

#include "hook.hpp"
#include "parsing.hpp"
#include "pipeline.hpp"

RESTWAY_CPP_BEGIN

/** A loaded API document, which many clients may share. */
class api : public handle<restway_api, restway_api_retain, restway_api_release> {
public:
    using handle::handle;

    /** Loads a document from its JSON text. RESTWAY_E_CONFIG has every problem of it. */
    static returned<api> load(std::string_view json) {
        return internal::call<api>(restway_api_load, json.data(), json.size());
    }

    /** Loads a document from a file. */
    static returned<api> load_file(std::string_view path) {
        return internal::call<api>(restway_api_load_file, internal::c_text(path));
    }

    returned<void> add_entity(std::string_view name, std::string_view json) {
        return internal::call<void>(
            restway_api_add_entity, get(), internal::c_text(name), json.data(), json.size());
    }

    returned<void> add_route(
        std::string_view name, std::string_view json, std::uint32_t flags = 0) {
        return internal::call<void>(
            restway_api_add_route, get(), internal::c_text(name), json.data(), json.size(), flags);
    }

    /** The document, or the part at a JSON pointer, as JSON text. */
    returned<std::string> json(std::string_view pointer = "") const {
        std::size_t length = 0;
        result<const char *> text =
            internal::attempt<const char *>([&](const char **out, restway_error **failure) {
                const internal::c_text where(pointer);
                return restway_api_json(get(), where, out, &length, failure);
            });
        if (!text) {
            return internal::fail<std::string>(text.failure());
        }
        return std::string(*text, length);
    }

    /** Registers a transform, which attributes refer to by its name.
     *
     *  @param decode `value(const value &)`: from the payload to the attribute.
     *  @param encode `value(const value &)`: from the attribute to the payload.
     *
     *  A function that throws says that the value does not fit. Workers call both. */
    template <typename Decode, typename Encode>
    returned<void> add_transform(std::string_view name, Decode decode, Encode encode) {
        using pair = std::pair<Decode, Encode>;
        const auto decoding = [](void *context, const restway_value *from, restway_answer *to) {
            return convert(static_cast<pair *>(context)->first, *from, to);
        };
        const auto encoding = [](void *context, const restway_value *from, restway_answer *to) {
            return convert(static_cast<pair *>(context)->second, *from, to);
        };
        return internal::attach<void>(
            pair(std::move(decode), std::move(encode)),
            [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_transform(
                    get(), text, decoding, encoding, context, destroy, out...);
            });
    }

    /** Registers a validator, `void(const response &)`, which `validate` of routes refers to. It
     *  refuses an answer by throwing. */
    template <typename Function>
    returned<void> add_validator(std::string_view name, Function validate) {
        return internal::attach<void>(
            std::move(validate), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_validator(
                    get(), text, internal::on_response<Function>, context, destroy, out...);
            });
    }

    /** Registers a modifier, `void(pipeline_context &)`, which `modifiers` of the document refers
     *  to. */
    template <typename Function>
    returned<void> add_modifier(std::string_view name, Function modify) {
        return internal::attach<void>(
            std::move(modify), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_modifier(
                    get(), text, internal::on_stage<Function>, context, destroy, out...);
            });
    }

    /** Registers an interceptor, `void(pipeline_context &)`, which `interceptors` of the document
     *  refers to. */
    template <typename Function>
    returned<void> add_interceptor(std::string_view name, Function intercept) {
        return internal::attach<void>(
            std::move(intercept), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_interceptor(
                    get(), text, internal::on_stage<Function>, context, destroy, out...);
            });
    }

    /** Registers a parser, `value(std::string_view body, std::string_view media_type)`, which
     *  `parse` of routes refers to. */
    template <typename Function> returned<void> add_parser(std::string_view name, Function parse) {
        return internal::attach<void>(
            std::move(parse), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_parser(
                    get(), text, internal::on_parse<Function>, context, destroy, out...);
            });
    }

    /** Registers an encoder, `encoded(std::string_view json)`, which `encode` of routes refers to.
     */
    template <typename Function>
    returned<void> add_encoder(std::string_view name, Function encode) {
        return internal::attach<void>(
            std::move(encode), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_encoder(
                    get(), text, internal::on_encode<Function>, context, destroy, out...);
            });
    }

    /** Registers a hook, `void(rows &)`, which response descriptors refer to. */
    template <typename Function> returned<void> add_hook(std::string_view name, Function hook) {
        return internal::attach<void>(
            std::move(hook), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text text(name);
                return restway_api_add_hook(
                    get(), text, internal::on_rows<Function>, context, destroy, out...);
            });
    }

private:
    template <typename Function>
    static restway_status convert(
        Function &function, const restway_value &from, restway_answer *to) {
        return internal::answer(
            internal::guarded([&] {
                const value made = function(value(from));
                return internal::attempt<void>(
                    restway_answer_set_value, to, internal::c_value(made));
            }),
            to);
    }
};

RESTWAY_CPP_END

#endif
