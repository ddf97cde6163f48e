/// Where one attribute comes from.
package struct AttributeMapping: Sendable, Equatable {
    /// The attribute's index in its entity.
    package let attribute: Int
    /// The keys that lead to the value, from the object that is mapped; empty for the object
    /// itself.
    package let source: [String]
    package let conversion: ValueConversion

    package init(attribute: Int, source: [String], conversion: ValueConversion) {
        self.attribute = attribute
        self.source = source
        self.conversion = conversion
    }
}
