package import RestwayJSON
package import RestwayMapping

/// One parameter of a request: its value, and where the value goes.
package struct Parameter: Sendable {
    /// Several keys nest in a body; a query joins them with dots.
    package var keys: [String]
    package var value: WireValue

    package init(keys: [String], value: WireValue) {
        self.keys = keys
        self.value = value
    }

    package init(keys: [String], value: JSONValue) {
        self.init(keys: keys, value: WireValue(value))
    }
}
