/// Which objects of an entity, and in which order.
///
/// Values are ordered as SQLite orders them: what is null or absent first, then numbers (booleans
/// are 0 and 1, dates their microseconds), then text by its bytes, then bytes.
package struct Query: Sendable {
    package enum Comparison: Int32, Sendable, CaseIterable {
        case equal = 1
        case notEqual = 2
        case less = 3
        case lessOrEqual = 4
        case greater = 5
        case greaterOrEqual = 6
    }

    /// A condition on one attribute. Null equals null and what is absent, and nothing else; it is
    /// never less or greater.
    package struct Condition: Sendable {
        package let attribute: Int
        package let comparison: Comparison
        package let value: Value

        package init(attribute: Int, _ comparison: Comparison, _ value: Value) {
            self.attribute = attribute
            self.comparison = comparison
            self.value = value
        }
    }

    package struct Order: Sendable {
        package let attribute: Int
        package let isDescending: Bool

        package init(attribute: Int, isDescending: Bool = false) {
            self.attribute = attribute
            self.isDescending = isDescending
        }
    }

    package let entity: Entity
    /// All of them must hold.
    package var conditions: [Condition] = []
    /// The first decides, then the next; last the store key: objects come in the order in which
    /// they were stored.
    package var order: [Order] = []
    /// nil takes all.
    package var limit: Int?
    package var offset = 0

    package init(_ entity: Entity) {
        self.entity = entity
    }
}
