import RestwayObjects

@testable import RestwayOutbox

/// A model of what objects show: the values of the server, and over them those of each item that is
/// stored and was not refused, in the order of the items.
struct OutboxTakeBackModel {
    struct Layer {
        let item: Int64
        let cells: [Int: Value]
        /// Whether the item made the object. A refusal leaves what it made.
        var isMaker: Bool
        var isRefused = false

        var isSeen: Bool { !isRefused || isMaker }
    }

    struct Object {
        var server: [Int: Value] = [:]
        var layers: [Layer] = []
        /// Whether a server has answered for the object.
        var isKnown = false
        var isThere: Bool { isKnown || !layers.isEmpty }
    }

    /// The objects by store key.
    private(set) var objects: [Int64: Object] = [:]

    var keys: [Int64] { objects.keys.sorted() }

    func isThere(_ key: Int64) -> Bool { objects[key]?.isThere ?? false }

    func shown(_ key: Int64, _ cell: Int) -> Value {
        guard let object = objects[key] else { return .absent }
        let seen = object.layers.last { $0.isSeen && $0.cells[cell] != nil }
        return seen?.cells[cell] ?? object.server[cell] ?? .absent
    }

    /// The server sends values of an object.
    mutating func tell(_ key: Int64, _ cells: [Int: Value]) {
        objects[key, default: Object()].isKnown = true
        objects[key]?.server.merge(cells) { $1 }
    }

    /// An item is stored that gives the object these values.
    mutating func store(_ key: Int64, _ item: Int64, _ cells: [Int: Value]) {
        let isMaker = !isThere(key)
        objects[key, default: Object()].layers.append(
            Layer(item: item, cells: cells, isMaker: isMaker))
    }

    /// The server has accepted the item.
    mutating func deliver(_ item: Int64) {
        change(item) { object, index in
            let layer = object.layers.remove(at: index)
            object.server.merge(layer.cells) { $1 }
            object.isKnown = true
        }
    }

    mutating func refuse(_ item: Int64) {
        change(item) { $0.layers[$1].isRefused = true }
    }

    mutating func retry(_ item: Int64) {
        change(item) { $0.layers[$1].isRefused = false }
    }

    mutating func drop(_ items: Set<Int64>) {
        for item in items.sorted() {
            change(item) { object, index in
                let layer = object.layers.remove(at: index)
                if layer.isMaker, !object.isKnown, !object.layers.isEmpty {
                    object.layers[0].isMaker = true
                }
            }
        }
    }

    mutating func delete(_ key: Int64) { objects[key] = Object() }

    private mutating func change(_ item: Int64, _ body: (inout Object, Int) -> Void) {
        for key in objects.keys {
            guard var object = objects[key],
                let index = object.layers.firstIndex(where: { $0.item == item })
            else { continue }
            body(&object, index)
            objects[key] = object
        }
    }
}
