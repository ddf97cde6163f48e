import RestwayObjects

/// A place in the tree of source keys, as the machine reads it. It is plain memory without
/// reference counts.
///
/// Its `PlanTree` owns it and never changes it.
struct PlanNode {
    struct Marks: OptionSet, BitwiseCopyable {
        static let simple = Marks(rawValue: 1)
        static let quick = Marks(rawValue: 2)
        static let wildcard = Marks(rawValue: 4)

        let rawValue: UInt8
    }

    /// The key that leads here. It is valid as long as the tree.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The place that was declared next under the same parent. The next key nearly always leads to
    /// it.
    var next: UnsafePointer<PlanNode>?
    /// The places below, in the order of declaration.
    var children = UnsafeBufferPointer<UnsafePointer<PlanNode>>(start: nil, count: 0)
    /// The place below for all keys that lead to no child.
    var wildcard: UnsafePointer<PlanNode>?
    /// A hash table of the children by key, with open addressing and a power of two of slots.
    var slots = UnsafeBufferPointer<PlanSlot>(start: nil, count: 0)
    /// The attributes that take the value here.
    var targets = UnsafeBufferPointer<PlanTarget>(start: nil, count: 0)
    /// The objects that are made from the value here.
    var rows = UnsafeBufferPointer<PlanRow>(start: nil, count: 0)
    /// The relationships that lead to the objects made from the value here.
    var links = UnsafeBufferPointer<PlanLink>(start: nil, count: 0)
    private(set) var marks: Marks = []
    /// The cell of the attribute, for a simple place.
    private(set) var attribute = 0
    /// The kinds of cells that a simple place takes unchanged.
    private(set) var unchangedKinds = Cell.KindSet([])

    /// Settles what follows from the other properties, which do not change any more.
    mutating func complete() {
        guard targets.count == 1, rows.isEmpty, links.isEmpty, !hasPlacesBelow,
            let attribute = targets[0].attribute
        else { return }
        marks.formUnion(digest.decides ? [.simple, .quick] : .simple)
        self.attribute = attribute
        unchangedKinds = Cell.KindSet(targets[0].unchangedKinds)
    }

    /// Whether one attribute takes the value and nothing else does, which is the most common case.
    var isSimple: Bool { marks.contains(.simple) }

    /// Whether this is a simple place whose digest decides its key.
    var isQuick: Bool { marks.contains(.quick) }

    /// Whether this is the place for all keys that lead to no child of its parent.
    var isWildcard: Bool { marks.contains(.wildcard) }

    mutating func becomeWildcard() { marks.insert(.wildcard) }

    /// Whether there are only places below. An object here opens them.
    var isBranch: Bool {
        targets.isEmpty && links.isEmpty && rows.isEmpty && !children.isEmpty && wildcard == nil
    }

    /// Whether an object here has members that lead to places.
    var hasPlacesBelow: Bool { !children.isEmpty || wildcard != nil }

    /// Whether objects here may be of several entities.
    var hasUnions: Bool { rows.contains(where: \.isOfUnion) || links.contains { $0.union != nil } }

    /// The row of an object here, if the object becomes this row and nothing else.
    var soleRow: PlanRow? {
        rows.count == 1 && targets.isEmpty && links.isEmpty && children.isEmpty
            && !rows[0].isOfUnion ? rows[0] : nil
    }

    /// The place that `key` leads to.
    ///
    /// - Parameter guess: The child that `key` probably leads to.
    @inline(__always)
    func child(
        _ key: UnsafeRawBufferPointer, guessing guess: UnsafePointer<PlanNode>? = nil
    ) -> UnsafePointer<PlanNode>? {
        guard let table = slots.baseAddress else { return nil }
        let digest = KeyDigest(key)
        if let guess, digest.decides, guess.pointee.digest == digest { return guess }
        let mask = slots.count - 1
        var index = digest.hash & mask
        while let node = table[index].node {
            if table[index].digest == digest, digest.decides || table[index].hasKey(key) {
                return node
            }
            index = (index + 1) & mask
        }
        return nil
    }
}

/// One slot of a node's hash table. At least one slot of a table is empty.
struct PlanSlot {
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    var node: UnsafePointer<PlanNode>?

    func hasKey(_ key: UnsafeRawBufferPointer) -> Bool {
        node.map { $0.pointee.key.elementsEqual(key) } ?? false
    }
}

/// An attribute that takes a value, or the answer itself if the value belongs to no object.
struct PlanTarget {
    /// The place that gets the value.
    enum Destination {
        /// The cell of an attribute in a row.
        case cell(Int)
        /// The value of the answer that a descriptor describes.
        case answer(DescriptorIndex)
    }

    enum Conversion: UInt8 {
        case any, bool, int, double, string, iso8601, day, pattern, epoch, bytes, json
        case boolWords, intText, doubleText, numberAsText, url, base64Text, custom, collection
        case firstOf, among

        /// Whether other targets convert the value.
        var isComposite: Bool { self == .firstOf || self == .among }

        init(_ conversion: ValueConversion) {
            self =
                switch conversion {
                case .any: .any
                case .bool: .bool
                case .int: .int
                case .double: .double
                case .string: .string
                case .date(let format):
                    switch (format ?? .iso8601).kind {
                    case .iso8601: .iso8601
                    case .epoch: .epoch
                    case .pattern(let pattern): pattern.isDay ? .day : .pattern
                    }
                case .bytes, .base64Bytes: .bytes
                case .json: .json
                case .boolWords: .boolWords
                case .intText: .intText
                case .doubleText: .doubleText
                case .numberAsText: .numberAsText
                case .url: .url
                case .base64Text: .base64Text
                case .custom: .custom
                case .collection: .collection
                case .firstOf: .firstOf
                case .among: .among
                }
        }
    }

    let destination: Destination
    let conversion: Conversion
    let isIdentity: Bool
    /// Whether the target takes objects or lists, as JSON text.
    let takesContainers: Bool
    /// Whether null is a value. Only a constant is never null.
    let takesNull: Bool
    /// The date format, transform, collection, alternatives or check that the conversion needs; nil
    /// if it needs nothing.
    let detail: PlanDetails.Index?

    /// - Parameter alternatives: The targets that are tried in order, for `firstOf`, or the target
    ///   whose values are checked, for `among`.
    init(
        _ destination: Destination, _ conversion: Conversion, isIdentity: Bool = false,
        detail: PlanDetails.Index? = nil, alternatives: [PlanTarget] = [], takesNull: Bool = true
    ) {
        self.takesNull = takesNull
        self.destination = destination
        self.conversion = conversion
        self.isIdentity = isIdentity
        self.detail = detail
        takesContainers =
            switch conversion {
            case .json, .any, .custom, .collection: !isIdentity
            case .firstOf, .among: alternatives.contains(where: \.takesContainers)
            default: false
            }
    }

    /// The cell of the attribute; nil if the answer itself takes the value.
    var attribute: Int? {
        if case .cell(let index) = destination { index } else { nil }
    }

    /// The kinds of cells that become the value unchanged.
    fileprivate var unchangedKinds: [Cell.Kind] {
        let kinds: [Cell.Kind] =
            switch conversion {
            case .any: [.string, .int64, .double, .bool]
            case .bool: [.bool]
            case .int: [.int64]
            case .double: [.double]
            case .string: [.string]
            default: []
            }
        return isIdentity ? kinds.filter { $0 == .string || $0 == .int64 } : kinds
    }

    /// The same attribute with the conversion for a type alone. A date is ISO 8601.
    func `as`(_ type: AttributeType) -> PlanTarget {
        PlanTarget(destination, Conversion(ValueConversion(type)), isIdentity: isIdentity)
    }
}

/// A check whether a value is one of those that an attribute accepts.
struct PlanCheck {
    let accepted: [Value]
    /// Converts the value before it is checked.
    let target: PlanTarget
}

/// The form of a list or a map of values.
struct PlanCollection {
    let shape: ValueShape
    /// Converts the innermost values.
    let element: PlanTarget

    /// Whether it may begin with a list, or else with an object.
    func takes(isArray: Bool) -> Bool {
        switch shape {
        case .one: false
        case .list: isArray
        case .map: !isArray
        }
    }
}

/// An object that is made from a value.
struct PlanRow {
    /// The reason why an object becomes a row.
    enum Role {
        /// The object is a result of a descriptor.
        case result(DescriptorIndex)
        /// The answer has the object beside its results (`IncludedObjects`).
        case included
        /// A relationship leads to the object.
        case linked
    }

    let role: Role
    let mapping: MappingIndex
    /// Whether the object may be of several entities, so that `mapping` is not yet its own.
    var isOfUnion = false
}

/// A relationship that leads to objects, or identities of objects.
struct PlanLink {
    /// The index of the relationship's cell in a row.
    let cell: Int
    let isMany: Bool
    /// Whether null leaves the relationship unchanged, so that it is no information about the
    /// object.
    let ignoresNull: Bool
    /// The index of the linked entity in its model; for a union, the index of its first member.
    let entity: Int
    /// The attribute of the linked objects that gets their keys in a map; nil for other
    /// relationships.
    var key: PlanTarget?
    /// The attribute of the linked objects that a single value in their place stands for; nil if it
    /// stands for the whole identity.
    var part: Int?
    /// Whether the objects in the answer only name the linked objects, as in JSON:API.
    var onlyNames = false
    /// The index into the unions of the mapping that the link belongs to; nil for one entity.
    let union: Int?
}

/// The length and the ends of a key. For keys of up to 16 bytes this is the whole key.
struct KeyDigest: Equatable {
    let count: Int
    let head: UInt64
    let tail: UInt64

    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
        count = key.count
        guard count > 0, let start = key.baseAddress else {
            (head, tail) = (0, 0)
            return
        }
        if count >= 8 {
            head = start.loadUnaligned(as: UInt64.self)
            tail = start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            head = UInt64(start.loadUnaligned(as: UInt32.self))
            tail = UInt64(start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        } else {
            head = UInt64(start.load(as: UInt8.self))
            tail =
                UInt64(start.load(fromByteOffset: count / 2, as: UInt8.self)) << 8
                | UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
        }
    }

    /// Whether equal digests mean equal keys.
    var decides: Bool { count <= 16 }

    /// A hash for the keys of a mapping. Its author chose the keys, so no defence against
    /// collisions is needed.
    var hash: Int {
        let mixed =
            (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: count))
            &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 40)
    }
}
