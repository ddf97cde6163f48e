import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// Functions of the program that take part in the mapping between JSON and objects. They run on a
/// worker of the library, so they must not wait.
extension API {
    /// Converts a value, or returns `nil` if the value yields nothing: then an attribute stays as
    /// it is, and a request leaves it out.
    public typealias Transform =
        @Sendable (Object.Value) throws -> (any AttributeValue)?

    /// Adds the transform that the document calls `name`. A value of an answer that it throws for
    /// is a mapping issue; a request with it fails.
    ///
    ///     try api.addTransform("cents", decode: { Double($0.integer ?? 0) / 100 })
    ///
    /// - Parameters:
    ///   - decode: Makes the value of an attribute of a value of an answer; `nil` for the usual
    ///     conversion.
    ///   - encode: Makes the value for a request of the value of an attribute; `nil` for the usual
    ///     conversion.
    /// - Throws: A `RestwayError`: `duplicate`, or `frozen` after the first client was made.
    public func addTransform(
        _ name: String, decode: Transform? = nil, encode: Transform? = nil
    ) throws(RestwayError) {
        let transform = CustomTransform(
            decode: decode.map(Self.function), encode: encode.map(Self.function))
        try changing { () throws(Failure) in try core.addTransform(name, transform) }
    }

    private static func function(_ transform: @escaping Transform) -> CustomTransform.Function {
        { value throws(TransformError) in
            guard let value = Object.Value(value) else { return .absent }
            do {
                return try transform(value)?.attribute.core ?? .absent
            } catch {
                throw TransformError("\(error)", cause: ProgramError(error))
            }
        }
    }

    /// Adds the hook that the document calls `name`: a function that sees the objects of an answer
    /// before the store does, and may change them. If it throws, the answer is discarded.
    ///
    ///     try api.addHook("totals") { rows in
    ///         for row in rows.results { try row.set("total", to: total(of: row)) }
    ///     }
    public func addHook(
        _ name: String, _ hook: @escaping @Sendable (Rows) throws -> Void
    ) throws(RestwayError) {
        try changing { () throws(Failure) in
            try core.addHook(name) { rows throws(Failure) in
                do {
                    try hook(Rows(core: rows))
                } catch {
                    throw Failure(thrown: error, by: "the function", .mapping)
                }
            }
        }
    }
}

extension Object.Value: AttributeValue {
    public init?(attribute: Object.Value) { self = attribute }
    public var attribute: Object.Value { self }

    /// A whole number; `nil` for every other value.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// Any number; `nil` for every other value.
    public var number: Double? { Double(attribute: self) }

    /// The text of a string; `nil` for every other value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// A boolean; `nil` for every other value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// The objects of an answer while a hook sees them. A hook must not keep them.
public struct Rows {
    fileprivate let core: MappedRows

    /// All objects of the answer, also those inside other objects.
    public var all: [Row] { (0..<core.count).map { Row(core: core, index: $0) } }

    /// The objects that the answer has for the descriptor whose hook is called: the objects at the
    /// top, in their order.
    public var results: [Row] {
        ((try? core.result(core.ownResult)) ?? []).map { Row(core: core, index: $0) }
    }

    /// The objects at the top for each descriptor that applied to the answer, in the order of the
    /// descriptors.
    public var allResults: [[Row]] {
        core.results.map { rows in rows.map { Row(core: core, index: $0) } }
    }
}

/// One object of an answer while a hook sees it.
public struct Row {
    fileprivate let core: MappedRows
    fileprivate let index: Int

    /// The name of the entity.
    public var entity: String { (try? core.entity(of: index).name) ?? "" }

    /// The value of an attribute; `nil` if the object has no value for it, or one of another type.
    public subscript<Value: AttributeValue>(
        name: String, as type: Value.Type = Value.self
    ) -> Value? {
        (try? core.snapshot(index))?.value(named: name)
            .flatMap(Object.Value.init).flatMap(Value.init)
    }

    /// Sets an attribute.
    ///
    /// - Throws: A `RestwayError`: `unknownAttribute`, or `invalidArgument` if the attribute has
    ///   another type.
    public func set(_ name: String, to value: some AttributeValue) throws(RestwayError) {
        try with { entity throws(Failure) in
            try entity.ownAttribute(named: name)
        } _: { attribute throws(MappedRows.Refusal) in
            try core.set(index, attribute: attribute, value.attribute.core)
        }
    }

    /// The objects of the answer that a relationship leads to.
    public func related(_ relationship: String) throws(RestwayError) -> [Row] {
        try with(relationship) { relationship throws(MappedRows.Refusal) in
            try core.related(index, relationship: relationship)
        }.map { Row(core: core, index: $0) }
    }

    /// Makes a relationship lead to these objects of the answer.
    public func relate(_ relationship: String, to rows: [Row]) throws(RestwayError) {
        try with(relationship) { relationship throws(MappedRows.Refusal) in
            try core.relate(index, relationship: relationship, toRows: rows.map(\.index))
        }
    }

    /// Makes a relationship lead to these objects of the store.
    public func relate(_ relationship: String, to objects: [Object]) throws(RestwayError) {
        try with(relationship) { relationship throws(MappedRows.Refusal) in
            try core.relate(index, relationship: relationship, to: objects.map(\.snapshot))
        }
    }

    private func with<Result>(
        _ relationship: String, _ body: (Int) throws(MappedRows.Refusal) -> Result
    ) throws(RestwayError) -> Result {
        try with(
            { entity throws(Failure) in try entity.ownRelationship(named: relationship) }, body)
    }

    /// Looks up a name in the entity, and then does `body` with its index.
    private func with<Result>(
        _ find: (Entity) throws(Failure) -> Int,
        _ body: (Int) throws(MappedRows.Refusal) -> Result
    ) throws(RestwayError) -> Result {
        try RestwayError.explaining { () throws(Failure) in
            let entity = try Self.explaining { () throws(MappedRows.Refusal) in
                try core.entity(of: index)
            }
            let found = try find(entity)
            return try Self.explaining { () throws(MappedRows.Refusal) in try body(found) }
        }
    }

    private static func explaining<Result>(
        _ body: () throws(MappedRows.Refusal) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body()
        } catch {
            throw Failure(.invalidArgument, error.message)
        }
    }
}

/// A relationship of an object that is about to be written into the body of a request.
public struct WrittenRelationship: Sendable {
    /// The method of the request.
    public let method: Method
    /// The path of the request; `nil` for a request to a URL.
    public let path: String?
    /// The name of the entity that the object belongs to.
    public let entity: String
    /// The name of the relationship.
    public let relationship: String
}

extension Calls {
    /// Sets the function that decides which relationships stay out of the bodies of requests; `nil`
    /// writes what the document says. If it throws, the request is not sent.
    ///
    ///     try client.calls.setExclusion { $0.relationship == "employees" && $0.method == .patch }
    public func setExclusion(
        _ isExcluded: (@Sendable (WrittenRelationship) throws -> Bool)?
    ) throws(RestwayError) {
        let exclusion = isExcluded.map(Self.exclusion)
        try setFunctions { $0.exclusion = exclusion }
    }

    private static func exclusion(
        _ isExcluded: @escaping @Sendable (WrittenRelationship) throws -> Bool
    ) -> BodyQuestions.Exclusion {
        { method, path, entity, relationship throws(HostRefusal) in
            do {
                return try isExcluded(
                    WrittenRelationship(
                        method: Method(method), path: path, entity: entity.name,
                        relationship: relationship.name))
            } catch {
                throw HostRefusal("\(error)", cause: ProgramError(error))
            }
        }
    }
}
