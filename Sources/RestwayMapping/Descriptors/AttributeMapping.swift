/// Maps a value in the payload to one attribute.
package struct AttributeMapping: Sendable, Equatable {
    /// The attribute's index in its entity.
    package let attribute: Int
    /// The keys from the mapped object to the value; empty for the object itself.
    package let source: [String]
    package let conversion: ValueConversion

    package init(attribute: Int, source: [String], conversion: ValueConversion) {
        self.attribute = attribute
        self.source = source
        self.conversion = conversion
    }
}
