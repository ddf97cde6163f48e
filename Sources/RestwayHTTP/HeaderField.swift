import RestwayText

/// One header line: a case-insensitive name and its value.
package struct HeaderField: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this field is called `name`, without regard to case.
    package func isNamed(_ name: String) -> Bool {
        ASCII.areEqualIgnoringCase(self.name, name)
    }
}
