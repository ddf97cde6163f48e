import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayStore

/// A copy of an object that can be changed, or a new object, made to be sent.
///
///     let draft = try client.draft(of: issue)
///     try draft.set("title", to: "Crash at start")
///     try await client.patch(.draft(draft))
///
/// Where the document says `changedOnly`, a request has only what was changed. Nothing in the store
/// changes before the server has answered, or the outbox has taken the request. A draft may be used
/// by several tasks.
public final class Draft: Sendable {
    let core: RestwayObjects.Draft
    let source: ObjectSource

    init(_ core: RestwayObjects.Draft, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    var subject: RequestSpec.Subject { .draft(core, source.store) }

    /// The name of the entity.
    public var entity: String { core.entity.name }

    /// The number by which the store knows the object of the draft; 0 as long as no store has the
    /// object.
    public var storeKey: Int64 { core.storeKey }

    /// The names of the attributes and relationships that differ from the object, or that were set
    /// in a new object.
    public var changed: [String] { core.changedCells.map(core.entity.cellName) }

    /// The value of an attribute as the draft has it now; `nil` if the attribute has no value, or a
    /// value of another type.
    public subscript<Value: AttributeValue>(
        name: String, as type: Value.Type = Value.self
    ) -> Value? {
        snapshot()[name]
    }

    /// The object as the draft has it now.
    public func snapshot() -> Object { Object(core.snapshot(), source) }

    // MARK: Attributes

    /// Sets an attribute.
    ///
    /// - Throws: A `RestwayError`: `unknownAttribute`, or `invalidArgument` if the attribute has
    ///   another type.
    public func set(_ name: String, to value: some AttributeValue) throws(RestwayError) {
        try set(name, to: value.attribute)
    }

    /// Sets an attribute to a value of any kind.
    public func set(_ name: String, to value: Object.Value) throws(RestwayError) {
        try change { () throws(Failure) in
            let entity = core.entity
            let index = try entity.ownAttribute(named: name)
            var kept = value.core
            if entity.attributes[index].shape.isCollection, value != .null {
                kept = try entity.canonical(value.wire, for: index)
            }
            do throws(DraftError) {
                try core.set(kept, attribute: index)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Sets an attribute or a relationship to null.
    public func setNull(_ name: String) throws(RestwayError) {
        guard let index = core.entity.ownRelationshipIndex(named: name) else {
            return try set(name, to: Object.Value.null)
        }
        core.setNull(relationship: index)
    }

    /// Adds an element after the others of an attribute that is a list of values.
    public func add(_ element: some AttributeValue, toList name: String) throws(RestwayError) {
        try changeList(name, element.attribute) { $0.added(to: $1) }
    }

    /// Removes all equal elements from an attribute that is a list of values.
    public func remove(
        _ element: some AttributeValue, fromList name: String
    ) throws(RestwayError) {
        try changeList(name, element.attribute) { $0.removed(from: $1) }
    }

    private func changeList(
        _ name: String, _ element: Object.Value,
        _ change: (ListElement, RestwayObjects.Value) -> RestwayObjects.Value
    ) throws(RestwayError) {
        try self.change { () throws(Failure) in
            let index = try core.entity.ownAttribute(named: name)
            let element = try core.entity.element(element.wire, ofList: index)
            core.change(attribute: index) { change(element, $0) }
        }
    }

    // MARK: Relationships

    /// Makes a relationship lead to these objects, in their order.
    public func relate(_ relationship: String, to objects: [Object]) throws(RestwayError) {
        try lead(relationship, objects.map { .object($0.snapshot) })
    }

    /// Makes a relationship lead to the objects of these drafts. They are stored or sent with this
    /// draft.
    public func relate(_ relationship: String, to drafts: [Draft]) throws(RestwayError) {
        try lead(relationship, drafts.map { .draft($0.core) })
    }

    /// Adds an object to a relationship to many objects. A relationship to one object leads to this
    /// object afterwards.
    public func add(_ object: Object, to relationship: String) throws(RestwayError) {
        try change(relationship) { index throws(DraftError) in
            try core.add(.object(object.snapshot), relationship: index)
        }
    }

    /// Adds the object of a draft to a relationship. The other draft is stored or sent with this
    /// draft.
    public func add(_ draft: Draft, to relationship: String) throws(RestwayError) {
        try change(relationship) { index throws(DraftError) in
            try core.add(.draft(draft.core), relationship: index)
        }
    }

    /// Removes the object of a draft from a relationship.
    public func remove(_ draft: Draft, from relationship: String) throws(RestwayError) {
        try change(relationship) { index throws(DraftError) in
            try core.remove(.draft(draft.core), relationship: index)
        }
    }

    /// Removes an object from a relationship.
    public func remove(_ object: Object, from relationship: String) throws(RestwayError) {
        try change(relationship) { index throws(DraftError) in
            try core.remove(.object(object.snapshot), relationship: index)
        }
    }

    private func lead(
        _ relationship: String, _ targets: [RestwayObjects.Draft.Target]
    ) throws(RestwayError) {
        try change(relationship) { index throws(DraftError) in
            try core.set(targets, relationship: index)
        }
    }

    // MARK: Taking back

    /// Forgets what was set for an attribute or a relationship; with `nil`, everything.
    public func revert(_ name: String? = nil) throws(RestwayError) {
        guard let name else { return core.revert(cell: nil) }
        let cell = try cell(name)
        core.revert(cell: cell)
    }

    /// Leaves an attribute or a relationship out of the draft, so that it is not sent.
    public func unset(_ name: String) throws(RestwayError) {
        core.unset(cell: try cell(name))
    }

    // MARK: The store

    /// Puts the object into the store, without a request.
    @discardableResult
    public func insert() throws(RestwayError) -> Object {
        let inserted = try RestwayError.explaining { () throws(Failure) in
            try source.store.insert(core)
        }
        return Object(inserted, source)
    }

    private func cell(_ name: String) throws(RestwayError) -> Int {
        if let index = core.entity.ownRelationshipIndex(named: name) {
            return core.entity.attributes.count + index
        }
        return try RestwayError.explaining { () throws(Failure) in
            try core.entity.ownAttribute(named: name)
        }
    }

    private func change(_ body: () throws(Failure) -> Void) throws(RestwayError) {
        try RestwayError.explaining(nil, body)
    }

    private func change(
        _ relationship: String, _ body: (Int) throws(DraftError) -> Void
    ) throws(RestwayError) {
        try change { () throws(Failure) in
            let index = try core.entity.ownRelationship(named: relationship)
            do throws(DraftError) {
                try body(index)
            } catch {
                throw Failure(error)
            }
        }
    }
}

extension Entity {
    /// The name of the attribute or the relationship of a cell.
    fileprivate func cellName(_ cell: Int) -> String {
        cell < attributes.count
            ? attributes[cell].name : relationships[cell - attributes.count].name
    }
}

extension Client {
    /// Makes a draft of a new object.
    ///
    /// - Parameter values: The first values, by the names of attributes.
    public func draft(
        _ entity: String, _ values: [String: any AttributeValue] = [:]
    ) throws(RestwayError) -> Draft {
        let core = try RestwayError.explaining { () throws(Failure) in
            try source.store.draft(source.api.entity(named: entity))
        }
        let draft = Draft(core, source)
        for (name, value) in values { try draft.set(name, to: value.attribute) }
        return draft
    }

    /// Makes a draft of an object. An object that no store keeps has no draft.
    public func draft(of object: Object) throws(RestwayError) -> Draft {
        try source.check(object)
        let core = try RestwayError.explaining { () throws(Failure) in
            try source.store.draft(copying: object.snapshot)
        }
        return Draft(core, source)
    }
}

extension ObjectSource {
    /// Refuses an object of another api, whose entities are other ones.
    func check(_ object: Object) throws(RestwayError) {
        let known = try RestwayError.explaining { () throws(Failure) in
            try api.entity(named: object.entity)
        }
        guard known === object.snapshot.entity else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "the object is a \(object.entity) of another api",
                    field: "object"))
        }
    }
}
