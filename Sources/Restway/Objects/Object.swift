import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// An object as it was when it was read: its attributes, and the relationships that lead from it to
/// other objects. Its values never change; `Store.newest` has the newest ones.
///
///     for company in response.objects {
///         let name: String? = company["name"]
///         print(name ?? "?", try company.related("employees").count)
///     }
public struct Object: Sendable {
    let snapshot: Snapshot
    let source: ObjectSource

    init(_ snapshot: Snapshot, _ source: ObjectSource) {
        self.snapshot = snapshot
        self.source = source
    }

    /// The name of the entity. If several entities describe the object, it is the most specific one
    /// that has brought it.
    public var entity: String { snapshot.entity.name }

    /// Whether an entity, or an entity that extends it, has brought the object.
    public func isA(_ entity: String) -> Bool { snapshot.isA(named: entity) }

    /// The value that tells the object from the other objects of its entity; `nil` if it has no
    /// identity.
    public var identity: Identity? { Identity(snapshot) }

    /// Whether an answer or a draft has brought the object, whatever values it has. It is false for
    /// an object that is known by its identity alone, because only links of other objects have
    /// named it. Lists, counts and queries leave such objects out; see `Query.unloaded`.
    public var isLoaded: Bool { snapshot.isLoaded }

    /// The number by which the store knows the object. The store never gives it to another object,
    /// and a store in a file keeps it. The number of an object that no store keeps leads to nothing
    /// in a store.
    public var storeKey: Int64 { snapshot.storeKey }

    /// The names of the attributes, in the order of the document.
    public var attributeNames: [String] { snapshot.entity.attributes.map(\.name) }

    /// The names of the relationships, in the order of the document.
    public var relationshipNames: [String] { snapshot.entity.relationships.map(\.name) }

    /// The value of an attribute; `nil` if the object has no value for it, or one of another type.
    public subscript<Value: AttributeValue>(
        name: String, as type: Value.Type = Value.self
    ) -> Value? {
        value(name).flatMap(Value.init)
    }

    /// The value of an attribute; `nil` if the object has no value for it.
    public func value(_ name: String) -> Value? {
        guard let index = snapshot.entity.attributeIndex(named: name) else { return nil }
        return Value(snapshot.value(at: index), snapshot.entity.attributes[index].shape)
    }

    /// Whether the document lists the value of an attribute under `values`, and in a list or a map
    /// every value. Null, and every value of an attribute without listed values, count as listed.
    public func isKnown(_ name: String) -> Bool {
        snapshot.entity.attributeIndex(named: name).map(snapshot.hasListedValue) ?? true
    }

    /// The objects that a relationship leads to, as the store has them now.
    public func related(_ relationship: String) throws(RestwayError) -> [Object] {
        let found = try RestwayError.explaining { () throws(Failure) in
            let index = try snapshot.entity.relationship(named: relationship)
            return try source.store.related(snapshot, relationship: index)
        }
        return found.map { Object($0, source) }
    }

    /// The objects that a relationship leads to, each in its place. A gap of a relationship with
    /// `"empty": "gap"` is `nil`, and so is an object that the store no longer has.
    public func places(of relationship: String) throws(RestwayError) -> [Object?] {
        let (keys, found) = try RestwayError.explaining { () throws(Failure) in
            let index = try snapshot.entity.relationship(named: relationship)
            return (
                snapshot.relatedKeys(at: index),
                try source.store.related(snapshot, relationship: index)
            )
        }
        guard found.count < keys.count(where: { $0 != 0 }) else {
            // The store has all of them, some perhaps under a newer key.
            var rest = found[...]
            return keys.map { $0 == 0 ? nil : rest.popFirst().map { Object($0, source) } }
        }
        return keys.map { key in
            found.first { $0.storeKey == key }.map { Object($0, source) }
        }
    }

    /// Reads the object into a `Decodable` type, whose properties have the names of attributes and
    /// relationships.
    public func decode<Result: Decodable>(
        _ type: Result.Type = Result.self
    ) throws(RestwayError) -> Result {
        do {
            return try ObjectDecoder(.object(snapshot), source).decode(Result.self)
        } catch {
            throw RestwayError(DecodingText.failure(error, Result.self), underlying: error)
        }
    }

    /// Returns the object as JSON: its values by the names of attributes, without those that it was
    /// never given, and the objects that its relationships lead to, as the store has them now.
    ///
    /// - Parameter depth: How many relationships are followed, one behind the other, at most 16.
    ///   The relationships of the last objects are left out.
    public func json(depth: Int = 0) throws(RestwayError) -> JSON {
        try RestwayError.check(depth, in: 0...ObjectText.depthMax, "depth")
        var options = ObjectText.Options()
        options.depth = depth
        let text = try RestwayError.explaining { [options] () throws(Failure) in
            try ObjectText.of(snapshot, options, in: source.store)
        }
        return try JSON(text: text)
    }

    /// Whether both show the same object, perhaps at different times.
    public func isSame(as other: Object) -> Bool { snapshot.isSame(as: other.snapshot) }
}

/// Objects are equal if all their values are.
extension Object: Hashable {
    public static func == (left: Object, right: Object) -> Bool {
        left.snapshot.isEqual(to: right.snapshot)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(snapshot.hash) }
}

extension Object: CustomStringConvertible {
    public var description: String {
        "<\(entity) \(snapshot.identity.map(snapshot.entity.shown) ?? "without identity")>"
    }
}
