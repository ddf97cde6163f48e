/** @file restway/cpp/arrow.hpp
 *  Objects as tables, by the Arrow C Data Interface.
 */
#ifndef RESTWAY_CPP_ARROW_HPP
#define RESTWAY_CPP_ARROW_HPP

#include "store.hpp"

RESTWAY_CPP_BEGIN

namespace internal {

/** Releases a struct of Arrow, unless a consumer has taken it over. */
struct releasing {
    template <typename Raw> void operator()(Raw *raw) const noexcept {
        if (raw->release != nullptr) {
            raw->release(raw);
        }
        delete raw;
    }
};

} // namespace internal

/** A table of Arrow: its type, and its columns as a struct array. A consumer of Arrow takes over
 *  what `schema` and `array` point to; the rest is released with the table. */
class arrow_table {
public:
    std::unique_ptr<ArrowSchema, internal::releasing> schema{new ArrowSchema{}};
    std::unique_ptr<ArrowArray, internal::releasing> array{new ArrowArray{}};

    /** The objects of a list, which must all be of one entity. With a depth, related objects are
     *  columns, too. */
    static returned<arrow_table> of(
        const list &objects, const store &from, std::int32_t depth = 0) {
        return made([&](arrow_table &table, restway_error **failure) {
            return restway_list_arrow(
                objects.get(), 0, objects.size(), from.get(), depth, table.schema.get(),
                table.array.get(), failure);
        });
    }

    /** The objects that a query finds. */
    static returned<arrow_table> of(
        const store &from, const query &question, std::int32_t depth = 0) {
        if (question.failure()) {
            return internal::fail<arrow_table>(*question.failure());
        }
        return made([&](arrow_table &table, restway_error **failure) {
            return restway_store_query_arrow(
                from.get(), question.get(), depth, table.schema.get(), table.array.get(), failure);
        });
    }

    /** How many objects the table has. */
    std::int64_t size() const noexcept {
        return array->length;
    }

private:
    template <typename Fill> static returned<arrow_table> made(const Fill &fill) {
        arrow_table table;
        const result<void> outcome =
            internal::attempt<void>([&](restway_error **failure) { return fill(table, failure); });
        if (!outcome) {
            return internal::fail<arrow_table>(outcome.failure());
        }
        return table;
    }
};

RESTWAY_CPP_END

#endif
