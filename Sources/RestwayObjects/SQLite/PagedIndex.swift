/// A number for each key, quick where keys stand close together, as store keys and most identities
/// do: pages of 16 keys, and the page that was used last is at hand.
struct PagedIndex {
    private static let pageBits: Int64 = 4
    private static let pageCount = 1 << Int(pageBits)
    private static let none: Int32 = -1

    /// The pages one behind the other.
    private var numbers: [Int32] = []
    private var used: [Int32] = []
    private var pages: [Int64: Int32] = [:]
    private var free: [Int32] = []
    private var lastPage: Int64 = 0
    private var lastPlace = PagedIndex.none

    /// nil where none was set, or was taken away.
    subscript(key: Int64) -> Int32? {
        mutating get {
            guard let start = start(key) else { return nil }
            let number = numbers[start + Self.offset(key)]
            return number == Self.none ? nil : number
        }
    }

    /// - Parameter number: Not negative.
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

    /// Where the page of a key starts; from here on it is the last one.
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
