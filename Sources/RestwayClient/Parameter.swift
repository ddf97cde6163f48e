package import RestwayJSON

/// One parameter of a request: where its value goes, and the value.
package struct Parameter: Sendable {
    /// More than one key nests in a JSON body; a query writes them with dots between.
    package var keys: [String]
    package var value: JSONValue

    package init(keys: [String], value: JSONValue) {
        self.keys = keys
        self.value = value
    }
}
