/// Maps the identities of one entity to numbers that are not negative: to store keys, or to places
/// in a list.
package struct IdentityIndex: Sendable {
    private var integers = IntegerIndex()
    private var strings: [Identity: Int64] = [:]

    package init() {}

    /// The number of an identity; `nil` if it has no number.
    package subscript(identity: Identity) -> Int64? {
        mutating get {
            switch identity {
            case .integer(let integer): integers[integer]
            case .string: strings[identity]
            }
        }
        set {
            switch identity {
            case .integer(let integer): integers[integer] = newValue
            case .string: strings[identity] = newValue
            }
        }
    }

    /// Returns the number of the row's identity, or `fresh`, which is then stored. A row without an
    /// identity gets `fresh`.
    mutating func find(_ row: Snapshot, orPut fresh: Int64) -> Int64 {
        // An integer needs no `Identity` with its reference count.
        let cell = row.identityCell
        if cell.isInteger { return integers.find(cell.integer, orPut: fresh) }
        guard let identity = row.identity else { return fresh }
        // Passing the place as `inout` stores the default there if the place was empty.
        func read(_ place: inout Int64) -> Int64 { place }
        return read(&strings[identity, default: fresh])
    }

    /// Makes room for `count` more identities at once, instead of growing several times.
    mutating func reserve(_ count: Int, areStrings: Bool) {
        if areStrings {
            strings.reserveCapacity(strings.count + count)
        } else {
            integers.reserve(count)
        }
    }
}

/// Maps integers to numbers that are not negative, quickly where the integers lie close together,
/// as store keys and most identities do. It has pages for eight consecutive integers and remembers
/// the page that was used last.
package struct IntegerIndex: Sendable {
    private static let pageBits: Int64 = 3
    private static let pageSize = 1 << Int(pageBits)
    private static let none: Int64 = -1

    /// The numbers of all pages, one page after the other.
    private var numbers: [Int64] = []
    /// The count of numbers in each page.
    private var used: [Int] = []
    private var pages: [Int64: Int] = [:]
    private var free: [Int] = []
    private var lastPage: Int64 = 0
    private var lastPlace = -1

    package init() {}

    /// The number of an integer; `nil` if it has no number.
    package subscript(integer: Int64) -> Int64? {
        mutating get {
            guard let index = index(integer) else { return nil }
            return numbers[index] == Self.none ? nil : numbers[index]
        }
        set {
            guard let newValue else { return remove(integer) }
            let index = index(integer) ?? indexInNewPage(integer)
            if numbers[index] == Self.none { used[lastPlace] += 1 }
            numbers[index] = newValue
        }
    }

    /// Returns the number of `integer`: the stored number, or `fresh`, which is then stored.
    mutating func find(_ integer: Int64, orPut fresh: Int64) -> Int64 {
        let index = index(integer) ?? indexInNewPage(integer)
        if numbers[index] == Self.none {
            used[lastPlace] += 1
            numbers[index] = fresh
        }
        return numbers[index]
    }

    private mutating func remove(_ integer: Int64) {
        guard let index = index(integer), numbers[index] != Self.none else { return }
        numbers[index] = Self.none
        used[lastPlace] -= 1
        guard used[lastPlace] == 0 else { return }
        free.append(lastPlace)
        pages[lastPage] = nil
        lastPlace = -1
    }

    /// Makes room for `more` integers at once.
    mutating func reserve(_ more: Int) {
        numbers.reserveCapacity(numbers.count + more)
    }

    /// Returns the index of the integer's number, and remembers its page as the last page.
    private mutating func index(_ integer: Int64) -> Int? {
        let page = integer >> Self.pageBits
        if page != lastPage || lastPlace < 0 {
            guard let place = pages[page] else { return nil }
            (lastPage, lastPlace) = (page, place)
        }
        return lastIndex(integer)
    }

    private mutating func indexInNewPage(_ integer: Int64) -> Int {
        lastPage = integer >> Self.pageBits
        if let place = free.popLast() {
            lastPlace = place
        } else {
            lastPlace = used.count
            used.append(0)
            numbers.append(contentsOf: repeatElement(Self.none, count: Self.pageSize))
        }
        pages[lastPage] = lastPlace
        return lastIndex(integer)
    }

    /// Returns the index of an integer of the last page.
    private func lastIndex(_ integer: Int64) -> Int {
        lastPlace * Self.pageSize + Int(truncatingIfNeeded: integer) & (Self.pageSize - 1)
    }
}
