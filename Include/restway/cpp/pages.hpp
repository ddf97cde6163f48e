/** @file restway/cpp/pages.hpp
 *  The pages of a request, for range-based loops over their objects.
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

/** The pages of a request. A loop over them gets the objects of all pages, and requests a page when
 *  it comes to it; next() gives the pages themselves. They can be read once.
 *
 *  If a page fails, reading the element throws, and the next step of the same iterator asks for
 *  this page again. Without exceptions, each element of the loop is a result, and a failure is the
 *  last of them. A loop gets no values of pages of values: restway_response_values() reads them. */
class pages : public handle<restway_pages, restway_pages_retain, restway_pages_release>,
              public internal::steps<pages> {
public:
    class iterator;

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

private:
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

/** A place among the objects of all pages. */
class pages::iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = returned<object>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type *;
    using reference = value_type;

    iterator() = default;

    explicit iterator(pages of) : pages_(std::move(of)) {
        read_page();
    }

    /** The object; or the failure with which the pages have ended. */
    value_type operator*() const {
        if (failure_) {
            return internal::fail<object>(*failure_);
        }
        return objects_[index_];
    }

    iterator &operator++() {
        index_++;
        if (failure_ || index_ >= objects_.size()) {
            read_page();
        }
        return *this;
    }

    void operator++(int) {
        ++*this;
    }

    friend bool operator==(const iterator &a, const iterator &b) {
        return a.has_ended_ == b.has_ended_;
    }

    friend bool operator!=(const iterator &a, const iterator &b) {
        return !(a == b);
    }

private:
    /** Requests pages until one has objects. */
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
                fail(page.failure());
                return;
            }
            has_ended_ = !*page;
            if (has_ended_) {
                return;
            }
            result<list> found = internal::attempt<list>(restway_pages_objects, pages_.get());
            if (!found) {
                fail(found.failure());
                return;
            }
            objects_ = std::move(*found);
        } while (objects_.empty());
    }

    void fail(const error &failure) {
        failure_ = failure;
        has_ended_ = false;
    }

    pages pages_;
    list objects_;
    std::size_t index_ = 0;
    bool has_ended_ = true;
    std::optional<error> failure_;
};

inline pages::iterator pages::begin() const {
    return iterator(*this);
}

inline pages::iterator pages::end() const {
    return iterator();
}

RESTWAY_CPP_END

#endif
