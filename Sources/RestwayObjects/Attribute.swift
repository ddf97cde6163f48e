/// One attribute of an entity.
package struct Attribute: Equatable, Sendable {
    package let name: String
    package let type: AttributeType

    package init(name: String, type: AttributeType = .any) {
        self.name = name
        self.type = type
    }
}
