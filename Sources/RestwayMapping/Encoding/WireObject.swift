/// An object that is being written. Its members are in the order in which they were first set.
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

    /// Sets the value at `path`, and creates missing objects on the way.
    ///
    /// - Returns: false if a value on the way is not an object.
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

    /// The value at `path`; nil if there is no value.
    package func value(at path: ArraySlice<String>) -> WireValue? {
        guard let key = path.first, let value = self[key] else { return nil }
        guard path.count > 1 else { return value }
        guard case .object(let inner) = value else { return nil }
        return inner.value(at: path.dropFirst())
    }

    /// Merges the members of `other` into this object.
    package mutating func merge(_ other: WireObject) {
        for key in other.keys {
            guard let value = other[key] else { continue }
            self[key] = self[key]?.merged(value) ?? value
        }
    }
}
