/// The fate of an attribute that both the program and the server have changed.
package enum ConflictPolicy: String, CaseIterable, Sendable {
    /// The value of the program is sent.
    case mine
    /// The value of the server stays.
    case theirs
    /// The change is parked until the program decides.
    case park
    /// A function of the program decides.
    case ask
    /// The number that the program has added is added to the number of the server.
    case add
    /// The elements that the program has put into a list and taken out of it are put into the list
    /// of the server and taken out of it.
    case union

    /// The policies for an object as a whole.
    package static let ofObjects: [ConflictPolicy] = [.mine, .theirs, .park, .ask]
}

/// The key `conflicts` of an entity.
package struct ConflictRules: Equatable, Sendable {
    /// The policy of the attributes and relationships without a policy of their own.
    package var policy = ConflictPolicy.park
    /// The policies of attributes and relationships, by the indices of their cells.
    package var cells: [Int: ConflictPolicy] = [:]
    /// For an object that was changed here and deleted at the server.
    package var theyDeleted = ConflictPolicy.park
    /// For an object that was deleted here and changed at the server.
    package var iDelete = ConflictPolicy.park
    /// Takes the place of `mine` if the request may have arrived and the value of the server is
    /// neither the one that the change was made on nor the one that it gives.
    package var uncertain = ConflictPolicy.park
    /// How often a request is sent again after a conflict, before its changes are parked.
    package var triesMax = 5

    package init() {}

    package func policy(of cell: Int) -> ConflictPolicy { cells[cell] ?? policy }
}
