import RestwayObjects

/// Several entities of which an object may be, and the rule that says which one it is of.
package struct EntityUnion: Sendable, Equatable {
    /// The place in an object whose value says of which entity the object is.
    package struct Discriminator: Sendable, Equatable {
        package let keyPath: [String]
        /// The members by the values that stand for them.
        package let members: [String: Int]
        /// The value that is written for each member.
        package let written: [Int: String]

        package init(keyPath: [String], members: [String: Int], written: [Int: String]) {
            self.keyPath = keyPath
            self.members = members
            self.written = written
            keys = keyPath.map { Array($0.utf8) }
        }

        let keys: [[UInt8]]
    }

    /// The beginning of the identities of one member.
    package struct Prefix: Sendable, Equatable {
        package let text: String
        package let member: Int

        package init(text: String, member: Int) {
            self.text = text
            self.member = member
        }
    }

    /// An entity that reads the objects of another member if they have what it alone has.
    package struct Extension: Sendable, Equatable {
        package let member: Int
        /// The key paths of which an object has at least one.
        package let keys: [[String]]

        package init(member: Int, keys: [[String]]) {
            self.member = member
            self.keys = keys
        }
    }

    private struct ExtensionBytes: Sendable, Equatable {
        let member: Int
        let keys: [[[UInt8]]]
    }

    /// The name of the union in the document, or else the names of its members.
    package let name: String
    /// The indices of the entities in their model, in the order in which they are tried.
    package let members: [Int]
    /// Without a discriminator, an object is of the first member whose keys it has.
    package let discriminator: Discriminator?
    /// The key paths that an object of a member must have. A member that is missing here needs its
    /// identity.
    package let requiredKeys: [Int: [[String]]]
    /// The longest prefix of an identity says of which entity it is.
    package let prefixes: [Prefix]
    /// The member of everything that the rule does not decide.
    package let fallback: Int?
    /// The extensions of members, the most specific one first. They share the value of the
    /// discriminator.
    package let extensions: [Int: [Extension]]

    private let requiredBytes: [Int: [[[UInt8]]]]
    private let extensionBytes: [Int: [ExtensionBytes]]

    package init(
        name: String, members: [Int], discriminator: Discriminator? = nil,
        requiredKeys: [Int: [[String]]] = [:], prefixes: [Prefix] = [], fallback: Int? = nil,
        extensions: [Int: [Extension]] = [:]
    ) {
        self.name = name
        self.members = members
        self.discriminator = discriminator
        self.requiredKeys = requiredKeys
        self.prefixes = prefixes.sorted { $0.text.utf8.count > $1.text.utf8.count }
        self.fallback = fallback
        self.extensions = extensions
        extensionBytes = extensions.mapValues { all in
            all.map { own in
                ExtensionBytes(
                    member: own.member, keys: own.keys.map { $0.map { Array($0.utf8) } })
            }
        }
        requiredBytes = requiredKeys.mapValues { $0.map { $0.map { Array($0.utf8) } } }
    }
}

/// Objects that an answer has in one place for the relationships of its results. They are stored,
/// and are no results. An object that is of no member is left out without an issue.
package struct IncludedObjects: Sendable {
    /// The keys from the whole answer to the list of the objects.
    package let keyPath: [String]
    package let union: EntityUnion

    package init(keyPath: [String], union: EntityUnion) {
        self.keyPath = keyPath
        self.union = union
    }
}

/// Choosing a member.
extension EntityUnion {
    /// Why no member fits, for an issue.
    struct Undecided: Error {
        let reason: String
    }

    /// The member that the object at the present place of `tape` is of.
    ///
    /// - Parameter mappings: The mappings of the model.
    func member(
        ofObjectOn tape: EventTape, _ mappings: [EntityMapping]
    ) throws(Undecided) -> Int {
        // An empty object means no object, whatever its entity is.
        if tape.objectIsEmpty { return members[0] }
        guard let discriminator else { return try member(byKeysOn: tape, mappings) }
        let text = tape.scalarText(at: discriminator.keys)
        if let text, let member = discriminator.members[text] {
            return specific(member, on: tape)
        }
        if let fallback { return fallback }
        let place = discriminator.keyPath.joined(separator: ".")
        let found = text.map { Value.string($0).nameForMessages } ?? "no such value"
        throw Undecided(
            reason: "expected a value of \"\(place)\" that stands for "
                + "\(names(mappings)), found \(found)")
    }

    /// The most specific entity that has what the object on `tape` has.
    private func specific(_ member: Int, on tape: EventTape) -> Int {
        guard let extensions = extensionBytes[member] else { return member }
        return extensions.first { own in own.keys.contains { tape.event(at: $0) != nil } }?.member
            ?? member
    }

    private func member(
        byKeysOn tape: EventTape, _ mappings: [EntityMapping]
    ) throws(Undecided) -> Int {
        for member in members where member != fallback {
            let mapping = mappings[member]
            let has: Bool
            if let required = requiredBytes[member] {
                has = required.allSatisfy { tape.event(at: $0) != nil }
            } else {
                has = mapping.identityKeys.allSatisfy { keys in
                    tape.event(at: keys).map { $0.kind != .null } ?? false
                }
            }
            let isOther = mapping.constants.contains { constant in
                tape.scalarText(at: constant.keys).map { $0 != constant.text } ?? false
            }
            if has, !isOther { return member }
        }
        if let fallback { return fallback }
        throw Undecided(
            reason: "expected an object with the keys of \(names(mappings)), found other keys or "
                + "constants")
    }

    /// The member that has an identity.
    func member(ofIdentity scalar: Scalar, _ mappings: [EntityMapping]) throws(Undecided)
        -> Int
    {
        if case .string(let text) = scalar {
            let prefix = prefixes.first { prefix in
                text.count >= prefix.text.utf8.count
                    && text.prefix(prefix.text.utf8.count).elementsEqual(prefix.text.utf8)
            }
            if let prefix { return prefix.member }
        }
        if let fallback { return fallback }
        let identified = members.filter { mappings[$0].identityTarget != nil }
        if identified.count == 1 { return identified[0] }
        throw Undecided(
            reason: "expected an object, found \(scalar.found), which does not say whether it "
                + "identifies \(names(mappings))")
    }

    private func names(_ mappings: [EntityMapping]) -> String {
        members.map { mappings[$0].entity.name }.joined(separator: " or ")
    }
}

/// Writing.
extension EntityUnion {
    /// Adds the value that says of which entity a written object is. A value that says so already
    /// stays.
    func mark(_ object: inout WireObject, as mapping: EntityMapping) throws(EncodingError) {
        let member = mapping.entity.index
        guard let discriminator, let text = discriminator.written[member] else { return }
        if case .leaf(let value)? = object.value(at: discriminator.keyPath[...]),
            let written = value.discriminatorText, discriminator.members[written] == member
        {
            return
        }
        guard object.set(discriminator.keyPath[...], .leaf(.string(text))) else {
            throw .blocked(
                entity: mapping.entity.name, name: name,
                source: discriminator.keyPath.joined(separator: "."))
        }
    }
}

extension Value {
    /// The text that a discriminator compares; nil for a value that cannot be a discriminator.
    var discriminatorText: String? {
        switch self {
        case .string(let text): text
        case .int64(let number): String(number)
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }
}
