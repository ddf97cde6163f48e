/** @file restway/cpp/pages.hpp
 *  The pages of a request, for range-based loops over their objects or values.
 */
#ifndef RESTWAY_CPP_PAGES_HPP
#define RESTWAY_CPP_PAGES_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** How pages are requested (page.h). */
struct page_options : restway_page_options {
    page_options() : restway_page_options RESTWAY_PAGE_OPTIONS_INIT {
    }
};

namespace internal {
template <typename Part> class page_iterator;
struct objects_of_page;
struct values_of_page;
} // namespace internal

class page_values;

/** The pages of a request. A loop over them gets the objects of all pages, and requests a page when
 *  it comes to it; next() gives the pages themselves. They can be read once.
 *
 *  If a page fails, reading the element throws, and the next step of the same iterator asks for
 *  this page again. Without exceptions, each element of the loop is a result, and a failure is the
 *  last of them. If the pages have values in place of objects (docs/PAGES.md), values() gives them;
 * a loop over objects fails with RESTWAY_E_INVALID_ARGUMENT. */
class pages : public handle<restway_pages, restway_pages_retain, restway_pages_release>,
              public internal::steps<pages> {
public:
    using iterator = internal::page_iterator<internal::objects_of_page>;

    using handle::handle;

    pages(restway_client *client, const request &what, const page_options &options) {
        begin_with(client, what, options);
    }

    bool has_next() const noexcept {
        return restway_pages_has_next(get()) != 0;
    }

    /** Waits for the next page; an empty response after the last one. */
    returned<response> next(milliseconds limit = milliseconds(0)) const {
        return internal::returned_of(attempt_next(limit));
    }

    /** The objects of the page that has come last. */
    returned<list> objects() const {
        return internal::call<list>(restway_pages_objects, get());
    }

    void cancel() const noexcept {
        restway_pages_cancel(get());
    }

    iterator begin() const;
    iterator end() const;

    /** The values of all pages, each a restway::value:
     *  `for (const restway::value name : client.pages(request).values())`. Their loop is like the
     *  loop over objects; it fails with RESTWAY_E_INVALID_ARGUMENT if the pages have objects. */
    page_values values() const;

private:
    template <typename Part> friend class internal::page_iterator;

    void begin_with(restway_client *client, const request &what, const page_options &options) {
        steps::begin(
            what.failure() ? result<pages>(*what.failure())
                           : internal::attempt<pages>(
                                 restway_client_pages, client, what.get(),
                                 static_cast<const restway_page_options *>(&options)));
    }

    result<response> attempt_next(milliseconds limit) const {
        if (failure()) {
            return *failure();
        }
        return internal::attempt<response>(restway_pages_next, get(), limit.count());
    }
};

namespace internal {

/** How many elements the page that has come last has. */
inline result<std::size_t> count_of_page(const pages &from) {
    restway_page page = RESTWAY_PAGE_INIT;
    const result<void> read = attempt<void>(restway_pages_position, from.get(), &page);
    if (!read) {
        return read.failure();
    }
    return static_cast<std::size_t>(page.object_count);
}

/** The objects of a page. */
struct objects_of_page {
    using element = object;

    static result<list> read(const pages &from, const response &) {
        result<list> found = attempt<list>(restway_pages_objects, from.get());
        if (!found || !found->empty()) {
            return found;
        }
        const result<std::size_t> count = count_of_page(from);
        if (!count) {
            return count.failure();
        }
        if (*count > 0) {
            return error(
                RESTWAY_E_INVALID_ARGUMENT,
                "the pages have values and no objects: pages::values() gives them");
        }
        return found;
    }

    list elements;
};

/** The values of a page. */
struct values_of_page {
    using element = value;
    using elements_handle = handle<restway_values, restway_values_retain, restway_values_release>;

    static result<std::vector<value>> read(const pages &from, const response &page) {
        const result<std::size_t> count = count_of_page(from);
        if (!count) {
            return count.failure();
        }
        std::vector<value> found;
        if (*count == 0) {
            return found;
        }
        const result<list> objects = attempt<list>(restway_pages_objects, from.get());
        if (!objects) {
            return objects.failure();
        }
        if (!objects->empty()) {
            return error(
                RESTWAY_E_INVALID_ARGUMENT,
                "the pages have objects and no values: a loop over the pages gets them");
        }
        const auto listed = attempt<elements_handle>(restway_response_values, page.get());
        for (std::size_t index = 0; index < *count; index++) {
            const auto raw = listed
                                 ? attempt<restway_value>(restway_values_get, listed->get(), index)
                                 : attempt<restway_value>(restway_response_value, page.get());
            if (!raw) {
                return raw.failure();
            }
            found.emplace_back(*raw);
        }
        return found;
    }

    std::vector<value> elements;
};

/** A place among the objects or the values of all pages. */
template <typename Part> class page_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = returned<typename Part::element>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type *;
    using reference = value_type;

    page_iterator() = default;

    explicit page_iterator(pages of) : pages_(std::move(of)) {
        read_page();
    }

    /** The element; or the failure of its page. */
    value_type operator*() const {
        if (failure_) {
            return fail<typename Part::element>(*failure_);
        }
        return part_.elements[index_];
    }

    page_iterator &operator++() {
        index_++;
        if (failure_ || index_ >= part_.elements.size()) {
            read_page();
        }
        return *this;
    }

    void operator++(int) {
        ++*this;
    }

    friend bool operator==(const page_iterator &a, const page_iterator &b) {
        return a.has_ended_ == b.has_ended_;
    }

    friend bool operator!=(const page_iterator &a, const page_iterator &b) {
        return !(a == b);
    }

private:
    /** Requests pages until one has elements. */
    void read_page() {
        index_ = 0;
        if (failure_) {
#ifdef RESTWAY_RESULTS
            has_ended_ = true;
            return;
#else
            failure_.reset(); // it was thrown; the same page is asked for again
#endif
        }
        do {
            result<response> page = pages_.attempt_next(milliseconds(0));
            if (!page) {
                keep(page.failure());
                return;
            }
            has_ended_ = !*page;
            if (has_ended_) {
                return;
            }
            auto found = Part::read(pages_, *page);
            if (!found) {
                keep(found.failure());
                return;
            }
            part_.elements = std::move(*found);
        } while (part_.elements.empty());
    }

    void keep(const error &failure) {
        failure_ = failure;
        has_ended_ = false;
    }

    pages pages_;
    Part part_;
    std::size_t index_ = 0;
    bool has_ended_ = true;
    std::optional<error> failure_;
};

} // namespace internal

inline pages::iterator pages::begin() const {
    return iterator(*this);
}

inline pages::iterator pages::end() const {
    return iterator();
}

/** The values of all pages, for a range-based loop; pages::values() makes it. */
class page_values {
public:
    using iterator = internal::page_iterator<internal::values_of_page>;

    explicit page_values(pages of) : pages_(std::move(of)) {
    }

    iterator begin() const {
        return iterator(pages_);
    }

    iterator end() const {
        return iterator();
    }

private:
    pages pages_;
};

inline page_values pages::values() const {
    return page_values(*this);
}

RESTWAY_CPP_END

#endif
