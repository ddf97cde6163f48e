/// The effects of a transaction of settlements, in addition to the settlements themselves.
package struct OutboxSettled: Equatable, Sendable {
    /// Identities that became known.
    package var identities: [OutboxIdentity] = []
    /// The lanes that the newly named objects had before. `lanesEntered` has the new lane of each
    /// object at the same place.
    package internal(set) var lanesLeft: [Lane] = []
    package internal(set) var lanesEntered: [Lane] = []
    /// Items that became dead letters because the object that they waited for will never come.
    package var buried: [Int64] = []
    /// Items that no longer existed: they were dropped while they were in flight.
    package var missing: [Int64] = []

    package init() {}
}
