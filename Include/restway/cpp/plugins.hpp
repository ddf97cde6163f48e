/** @file restway/cpp/plugins.hpp
 *  The plugins of the process, and interrupts of waiting threads.
 */
#ifndef RESTWAY_CPP_PLUGINS_HPP
#define RESTWAY_CPP_PLUGINS_HPP

#include "error.hpp"

RESTWAY_CPP_BEGIN

/** A plugin that is loaded. The texts live as long as the process. */
struct plugin {
    std::string_view name;
    std::string_view version;
    std::string_view licence;
    std::string_view description;
    std::string_view path;
};

/** Loads a plugin for the rest of the process's life. @p options is a JSON object. */
inline returned<void> load_plugin(
    std::string_view path_or_name, std::optional<std::string_view> options = std::nullopt) {
    return internal::call<void>(
        restway_plugin_load, internal::c_text(path_or_name), internal::c_text(options));
}

/** The loaded plugins, in the order of loading. */
inline std::vector<plugin> plugins() {
    std::vector<plugin> loaded;
    for (std::size_t index = 0; index < restway_plugin_count(); index++) {
        loaded.push_back(
            {internal::text_or_empty(restway_plugin_name(index)),
             internal::text_or_empty(restway_plugin_version(index)),
             internal::text_or_empty(restway_plugin_licence(index)),
             internal::text_or_empty(restway_plugin_description(index)),
             internal::text_or_empty(restway_plugin_path(index))});
    }
    return loaded;
}

/** Ends the waits of the threads that use it, with RESTWAY_E_INTERRUPTED. */
class interrupt
    : public handle<restway_interrupt, restway_interrupt_retain, restway_interrupt_release> {
public:
    using handle::handle;

    static returned<interrupt> create() {
        return internal::call<interrupt>(restway_interrupt_create);
    }

    /** Lets the waits of this thread end when the interrupt is raised. */
    returned<void> use() const {
        return internal::call<void>(restway_interrupt_use, get());
    }

    /** Lets no interrupt end the waits of this thread. */
    static returned<void> use_none() {
        return internal::call<void>(restway_interrupt_use, nullptr);
    }

    /** Raises it, but not in a signal handler: write to descriptor() there. */
    void raise() const noexcept {
        restway_interrupt_raise(get());
    }

    /** A byte that is written to this file descriptor raises the interrupt. */
    int descriptor() const noexcept {
        return restway_interrupt_descriptor(get());
    }
};

RESTWAY_CPP_END

#endif
