package import RestwayJSON
package import RestwayMapping

/// One parameter of a request: where its value goes, and the value.
package struct Parameter: Sendable {
    /// More than one key nests in a body; a query writes them with dots between.
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
