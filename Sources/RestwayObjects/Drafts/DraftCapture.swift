import RestwayThreads

/// The content of a draft, and of the drafts that it leads to, at one moment. Later changes do not
/// reach it.
package struct DraftCapture: Sendable {
    package enum Link: Sendable {
        /// The store key of an object.
        case key(Int64)
        /// The index of a member of the same capture.
        case member(Int)
    }

    package typealias Links = RestwayObjects.Links<Link>

    /// One draft of the capture.
    package struct Member: Sendable {
        package let entity: Entity
        /// The store key; 0 if no store knows the object.
        package let storeKey: Int64
        /// The values in the order of the entity's attributes.
        package fileprivate(set) var values: [Value]
        /// The links in the order of the entity's relationships.
        package fileprivate(set) var links: [Links] = []
        /// The cells that differ from the base.
        package let changed: Set<Int>
        /// The cells that the program has set, also to the value of the base.
        let given: Set<Int>
        /// The object that the draft was made from; `nil` without one.
        package let base: Snapshot?
        let node: DraftNode
        let wordCount: Int

        package var allCells: Set<Int> { Set(0..<entity.valueCount) }

        /// The current store key: a store may have learned of the object since the capture.
        package var currentKey: Int64 { node.storeKey }

        /// The cells that are stored when the member is put into a store as it is.
        var ownCells: Set<Int> { storeKey == 0 ? allCells : changed }

        /// Whether the server has taken this value of a cell from the draft, perhaps since the
        /// capture.
        package func hasDelivered(_ value: Value, cell: Int) -> Bool {
            node.hasDelivered(value, cell: cell)
        }
    }

    /// The captured drafts. The first is the draft itself.
    package private(set) var members: [Member] = []
    /// The draft, which keeps all members alive.
    private let draft: Draft

    package var root: Member { members[0] }

    init(_ node: DraftNode, of draft: Draft) {
        self.draft = draft
        // The members are numbered before all are read, because links are resolved to indices.
        var places: [ObjectIdentifier: Int] = [ObjectIdentifier(node): 0]
        var nodes = [node]
        var index = 0
        while index < nodes.count {
            let (member, links) = Self.read(nodes[index])
            members.append(member)
            func place(_ node: DraftNode) -> Int {
                let identifier = ObjectIdentifier(node)
                if let place = places[identifier] { return place }
                places[identifier] = nodes.count
                nodes.append(node)
                return nodes.count - 1
            }
            members[index].links = links.map { $0.map { Self.link($0, place) } }
            index += 1
        }
    }

    private static func read(_ node: DraftNode) -> (Member, [DraftLinks]) {
        let entity = node.entity
        let count = entity.attributes.count
        return node.state.withLock { state in
            let member = Member(
                entity: entity, storeKey: node.storeKey,
                values: (0..<count).map(state.value),
                changed: Set(state.words.keys.filter(state.changes)),
                given: Set(state.words.keys),
                base: state.base, node: node, wordCount: state.wordCount)
            return (member, entity.relationshipCells.map(state.links))
        }
    }

    private static func link(_ link: DraftLink, _ place: (DraftNode) -> Int) -> Link {
        switch link {
        case .key(let key): .key(key)
        case .object(let object): .key(object.storeKey)
        case .draft(let reference): reference.node.map { .member(place($0)) } ?? .key(0)
        }
    }

    /// Returns the same drafts as drafts of newer objects: the values that the program has set, and
    /// all others as the newest objects have them. An object keeps the identity that its draft has.
    ///
    /// - Parameter newest: Returns the newest object with a store key; `nil` if it was deleted.
    package func rebased<Failure>(
        on newest: (Entity, Int64) throws(Failure) -> Snapshot?
    ) throws(Failure) -> DraftCapture {
        var rebased = self
        for index in members.indices where members[index].storeKey != 0 {
            let entity = members[index].entity
            guard let object = try newest(entity, members[index].storeKey) else { continue }
            let given = members[index].given
            for cell in entity.attributes.indices
            where !given.contains(cell) && !entity.isIdentity(attribute: cell) {
                let value = object.value(at: cell)
                let constant =
                    entity.owns(cell: cell) ? entity.attributes[cell].rules.constant : nil
                rebased.members[index].values[cell] =
                    value == .absent ? constant ?? .absent : value
            }
            for (number, cell) in entity.relationshipCells.enumerated()
            where !given.contains(cell) {
                rebased.members[index].links[number] = Links(object.value(at: cell), Link.key)
            }
        }
        return rebased
    }

    /// Returns an object with the values of the draft in the cells that differ from its base.
    package func mine(over object: Snapshot) -> Snapshot {
        let values = row(of: root, cells: root.changed) { members[$0].currentKey }
        var changed: [Int: Value] = [:]
        for cell in root.changed where values[cell] != .absent { changed[cell] = values[cell] }
        return object.replacing(changed)
    }

    // MARK: For stores

    /// Returns the draft itself as an object without a store key.
    func snapshot() -> Snapshot {
        Snapshot.make(root.entity, row(of: root, cells: root.allCells) { members[$0].storeKey })
    }

    /// Adds rows to `changes` that put the drafts into a store: a row for each member that the
    /// cells lead to, the draft itself first.
    ///
    /// - Parameter cells: The cells of each member to store. If this is `nil`, all cells that were
    ///   set are stored, or only the changed cells of an object that the store knows. A member that
    ///   is not listed is only linked to: by its key, or else by its identity.
    ///   The rows of the others load their objects, whatever values they have.
    /// - Returns: The rows by member. The draft itself is member 0.
    @discardableResult
    package func add(to changes: inout ChangeSet, cells: [Int: Set<Int>]? = nil) -> [Int: Int] {
        let told = members.enumerated().map { index, member in
            guard let cells else { return member.ownCells }
            return cells[index] ?? cellsOfStub(member)
        }
        let reached = members(reachedBy: told)
        let first = changes.rows.count
        var rows: [Int: Int] = [:]
        for (place, index) in reached.enumerated() { rows[index] = first + place }
        for index in reached {
            let member = members[index]
            let values = row(of: member, cells: told[index]) { member in
                rows[member].map(Cell.reference(toRow:)) ?? members[member].storeKey
            }
            changes.edits[changes.rows.count] = member.node
            if member.entity.isVersioned, let base = member.base {
                changes.bases[changes.rows.count] = base
            }
            let isLoaded =
                cells.map { $0[index] != nil } ?? true || member.entity.isLoadedByLinks
            changes.rows.append(Snapshot.make(member.entity, values, isLoaded: isLoaded))
        }
        return rows
    }

    /// Returns the cells of the identity if no store knows the member; otherwise no cells.
    private func cellsOfStub(_ member: Member) -> Set<Int> {
        guard member.storeKey == 0, member.entity.identity({ member.values[$0] }) != nil
        else { return [] }
        return Set(member.entity.identityAttributes)
    }

    /// Returns the members to store. It leaves out members that are reached only by links that are
    /// not stored, and members of which no cell is stored.
    private func members(reachedBy cells: [Set<Int>]) -> [Int] {
        var reached = [0]
        var seen: Set<Int> = [0]
        var next = 0
        while next < reached.count {
            let index = reached[next]
            let member = members[index]
            for (relationship, links) in member.links.enumerated()
            where cells[index].contains(member.entity.attributes.count + relationship) {
                for case .member(let other) in links.all
                where seen.insert(other).inserted && !cells[other].isEmpty {
                    reached.append(other)
                }
            }
            next += 1
        }
        return reached
    }

    private func row(
        of member: Member, cells: Set<Int>, _ key: (Int) -> Int64
    ) -> [Value] {
        func resolved(_ link: Link) -> Int64 {
            switch link {
            case .key(let key): key
            case .member(let index): key(index)
            }
        }
        let links = member.links.enumerated().map { index, links -> Value in
            let keepsGaps = member.entity.relationships[index].emptyElements == .gap
            switch links {
            case .absent: return .absent
            case .null: return .null
            case .one(let link):
                let key = resolved(link)
                return key == 0 ? .absent : .link(key)
            case .many(let all):
                return .links(
                    all.compactMap { link in
                        if case .key(0) = link { return keepsGaps ? 0 : nil }
                        let key = resolved(link)
                        return key == 0 ? nil : key
                    })
            }
        }
        let values = member.values + links
        return values.enumerated().map { cells.contains($0.offset) ? $0.element : .absent }
    }

    /// Returns a reference to the draft of a member, to tell the draft later which object it has
    /// become.
    package func sent(_ index: Int) -> SentDraft { SentDraft(members[index]) }
}

/// The content of a draft when it was sent: enough to tell the draft later which object it has
/// become. It does not keep the draft alive.
package struct SentDraft: Sendable {
    private weak var node: DraftNode?
    private let wordCount: Int
    /// The cells that the program had set.
    private let given: Set<Int>

    init(_ member: DraftCapture.Member) {
        node = member.node
        wordCount = member.wordCount
        given = member.given
    }

    /// The store key of the draft's object; 0 if no store knows it or the draft no longer exists.
    package var storeKey: Int64 { node?.storeKey ?? 0 }

    /// Makes the draft a draft of a new object again, because the object that it made was undone. A
    /// draft that was made from an object stays a draft of that object.
    package func forgetObject(_ key: Int64) {
        guard let node, node.state.withLock({ $0.base == nil }) else { return }
        node.forgetStoreKey(key)
    }

    /// Makes the draft a draft of `object`, because the server has accepted it. Values that the
    /// program has set since then stay, and so do the values of the cells `withheld`, which were
    /// not sent.
    package func settle(on object: Snapshot, withholding withheld: Set<Int>) {
        guard let node else { return }
        node.setStoreKey(object.storeKey)
        node.state.withLock { state in
            state.base = object
            if object.entity.version != nil {
                // The program may have set a value again since then.
                for index in given.subtracting(withheld) {
                    state.delivered[index] = object.value(at: index)
                }
            }
            state.words = state.words.filter { index, word in
                word.number > wordCount || withheld.contains(index)
            }
        }
    }
}
