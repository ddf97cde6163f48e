import RestwayObjects

@testable import RestwayOutbox

/// A model of the content of objects: each object has a history of events, and each cell has the
/// value of its last event. Dropping an item removes its events, as if they had never happened.
struct OutboxTakeBackModel {
    struct Event {
        /// `nil` means an event of the server, or of another client.
        var item: Int64?
        var cells: [Int: Value]
    }

    /// The histories by store key.
    private(set) var histories: [Int64: [Event]] = [:]

    var keys: [Int64] { histories.keys.sorted() }

    /// An object without events does not exist.
    func isThere(_ key: Int64) -> Bool { !(histories[key] ?? []).isEmpty }

    func shown(_ key: Int64, _ cell: Int) -> Value {
        histories[key]?.last { $0.cells[cell] != nil }?.cells[cell] ?? .absent
    }

    mutating func happen(_ key: Int64, _ item: Int64?, _ cells: [Int: Value]) {
        histories[key, default: []].append(Event(item: item, cells: cells))
    }

    /// The server has accepted the item: it has the values of the item now, whatever it said
    /// before. Values that a later item changes again stay hidden behind those of that item.
    mutating func deliver(_ item: Int64) {
        for (key, events) in histories {
            guard let index = events.firstIndex(where: { $0.item == item }) else { continue }
            let later = events[(index + 1)...].filter { $0.item != nil }
            let isHidden = { (cell: Int) in later.contains { $0.cells[cell] != nil } }
            let cells = events[index].cells
            histories[key]?[index] = Event(item: nil, cells: cells.filter { isHidden($0.key) })
            histories[key]?.append(Event(item: nil, cells: cells.filter { !isHidden($0.key) }))
        }
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
