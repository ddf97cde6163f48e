import RestwayObjects

/// What objects should look like, in the simplest words: each has a history, and shows of every
/// cell what the last event said of it. To drop an item takes its events out, as if they had never
/// happened.
struct OutboxTakeBackModel {
    struct Event {
        /// `nil`: of the server, or of somebody else.
        var item: Int64?
        var cells: [Int: Value]
    }

    /// By store key.
    private(set) var histories: [Int64: [Event]] = [:]

    var keys: [Int64] { histories.keys.sorted() }

    /// An object without events is not there.
    func isThere(_ key: Int64) -> Bool { !(histories[key] ?? []).isEmpty }

    func shown(_ key: Int64, _ cell: Int) -> Value {
        histories[key]?.last { $0.cells[cell] != nil }?.cells[cell] ?? .absent
    }

    mutating func happen(_ key: Int64, _ item: Int64?, _ cells: [Int: Value]) {
        histories[key, default: []].append(Event(item: item, cells: cells))
    }

    /// The server has taken it.
    mutating func deliver(_ item: Int64) {
        change { $0.item == item ? Event(item: nil, cells: $0.cells) : $0 }
    }

    mutating func drop(_ items: Set<Int64>) {
        change { event in
            event.item.map { items.contains($0) } ?? false ? nil : event
        }
    }

    mutating func delete(_ key: Int64) { histories[key] = [] }

    mutating func restart() { histories = [:] }

    private mutating func change(_ body: (Event) -> Event?) {
        for (key, events) in histories { histories[key] = events.compactMap(body) }
    }
}
