/** @file restway/cpp/handle.hpp
 *  Handles that retain and release themselves.
 */
#ifndef RESTWAY_CPP_HANDLE_HPP
#define RESTWAY_CPP_HANDLE_HPP

#include "../restway.h"

#include <utility>

namespace restway {

/** Says that a new handle takes the reference of the pointer that it gets. */
struct owned_reference {};
inline constexpr owned_reference owned{};

/** Says that a new handle takes a reference of its own. */
struct borrowed_reference {};
inline constexpr borrowed_reference borrowed{};

/** A reference to something of the C library. A copy is one more reference to the same thing, and a
 *  moved handle is empty. Any thread may use the thing; one thread at a time may change a handle.
 */
template <typename Raw, auto Retain, auto Release> class handle {
public:
    using raw_type = Raw;

    handle() noexcept = default;

    handle(Raw *raw, owned_reference) noexcept : raw_(raw) {
    }

    handle(const Raw *raw, borrowed_reference) noexcept : raw_(Retain(const_cast<Raw *>(raw))) {
    }

    handle(const handle &other) noexcept : raw_(Retain(other.raw_)) {
    }

    handle(handle &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {
    }

    handle &operator=(handle other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }

    ~handle() {
        Release(raw_);
    }

    /** The pointer for functions of the C library. *Borrowed*. */
    Raw *get() const noexcept {
        return raw_;
    }

    /** Whether the handle refers to something. */
    explicit operator bool() const noexcept {
        return raw_ != nullptr;
    }

private:
    Raw *raw_ = nullptr;
};

} // namespace restway

#endif
