import RestwayObjects

/// Maps keys to numbers, quickly where keys lie close together, as store keys and most identities
/// do. It has pages of 16 keys and remembers the page that was used last.
struct PagedIndex {
    private static let pageBits: Int64 = 4
    private static let pageCount = 1 << Int(pageBits)
    private static let none: Int32 = -1

    /// The numbers of all pages, one page after the other.
    private var numbers: [Int32] = []
    private var used: [Int32] = []
    private var pages: [Int64: Int32] = [:]
    private var free: [Int32] = []
    private var lastPage: Int64 = 0
    private var lastPlace = PagedIndex.none

    /// The number of a key; `nil` if no number was set, or if the number was removed.
    subscript(key: Int64) -> Int32? {
        mutating get {
            guard let start = start(key) else { return nil }
            let number = numbers[start + Self.offset(key)]
            return number == Self.none ? nil : number
        }
    }

    /// - Parameter number: A number that is not negative.
    mutating func set(_ key: Int64, _ number: Int32) {
        let start = start(key) ?? newPage(key)
        let place = start + Self.offset(key)
        if numbers[place] == Self.none { used[Int(lastPlace)] += 1 }
        numbers[place] = number
    }

    mutating func remove(_ key: Int64) {
        guard let start = start(key) else { return }
        let place = start + Self.offset(key)
        guard numbers[place] != Self.none else { return }
        numbers[place] = Self.none
        used[Int(lastPlace)] -= 1
        guard used[Int(lastPlace)] == 0 else { return }
        free.append(lastPlace)
        pages[lastPage] = nil
        lastPlace = Self.none
    }

    /// Returns the place where the page of a key starts, and remembers that page as the last page.
    private mutating func start(_ key: Int64) -> Int? {
        let page = key >> Self.pageBits
        if page != lastPage || lastPlace == Self.none {
            guard let place = pages[page] else { return nil }
            (lastPage, lastPlace) = (page, place)
        }
        return Int(lastPlace) << Int(Self.pageBits)
    }

    private mutating func newPage(_ key: Int64) -> Int {
        lastPage = key >> Self.pageBits
        if let place = free.popLast() {
            lastPlace = place
        } else {
            lastPlace = Int32(used.count)
            used.append(0)
            numbers.append(contentsOf: repeatElement(Self.none, count: Self.pageCount))
        }
        pages[lastPage] = lastPlace
        return Int(lastPlace) << Int(Self.pageBits)
    }

    private static func offset(_ key: Int64) -> Int {
        Int(truncatingIfNeeded: key) & (pageCount - 1)
    }
}

/// Maps the identities of one entity to numbers.
struct IdentityIndex {
    private var integers = PagedIndex()
    private var strings: [Identity: Int32] = [:]

    subscript(identity: Identity) -> Int32? {
        mutating get {
            switch identity {
            case .integer(let integer): integers[integer]
            case .string: strings[identity]
            }
        }
    }

    /// - Parameter number: A number that is not negative.
    mutating func set(_ identity: Identity, _ number: Int32) {
        switch identity {
        case .integer(let integer): integers.set(integer, number)
        case .string: strings[identity] = number
        }
    }

    mutating func remove(_ identity: Identity) {
        switch identity {
        case .integer(let integer): integers.remove(integer)
        case .string: strings[identity] = nil
        }
    }
}
