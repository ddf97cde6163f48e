/// What a transaction of settlements did beside what it was told.
package struct OutboxSettled: Equatable, Sendable {
    /// Identities that are known from now on.
    package var identities: [OutboxIdentity] = []
    /// Lanes of objects before those identities, and the ones that they have now.
    package internal(set) var lanesLeft: [Lane] = []
    package internal(set) var lanesEntered: [Lane] = []
    /// Items that became dead letters because what they waited for will never come.
    package var buried: [Int64] = []
    /// Items that were not there any more: dropped while they were in flight.
    package var missing: [Int64] = []

    package init() {}
}
