/// An object on its way out: members in the order in which they first came.
package struct WireObject: Sendable {
    package private(set) var keys: [String] = []
    private var members: [String: WireValue] = [:]

    package init() {}

    package var isEmpty: Bool { keys.isEmpty }

    package subscript(key: String) -> WireValue? {
        get { members[key] }
        set {
            if members[key] == nil, newValue != nil { keys.append(key) }
            if newValue == nil { keys.removeAll { $0 == key } }
            members[key] = newValue
        }
    }

    /// Sets what `path` leads to through objects, which are made where there are none.
    ///
    /// - Returns: false when something on the way is no object.
    package mutating func set(_ path: ArraySlice<String>, _ value: WireValue) -> Bool {
        guard let key = path.first else { return false }
        let rest = path.dropFirst()
        guard !rest.isEmpty else {
            self[key] = value
            return true
        }
        var inner = WireObject()
        switch self[key] {
        case nil: break
        case .object(let object): inner = object
        case .leaf, .list: return false
        }
        guard inner.set(rest, value) else { return false }
        self[key] = .object(inner)
        return true
    }

    /// What `path` leads to; nil when it leads nowhere.
    package func value(at path: ArraySlice<String>) -> WireValue? {
        guard let key = path.first, let value = self[key] else { return nil }
        guard path.count > 1 else { return value }
        guard case .object(let inner) = value else { return nil }
        return inner.value(at: path.dropFirst())
    }

    /// Lays `other` over this.
    package mutating func merge(_ other: WireObject) {
        for key in other.keys {
            guard let value = other[key] else { continue }
            self[key] = self[key]?.merged(value) ?? value
        }
    }
}
