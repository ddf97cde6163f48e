public import CRestway
import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayStore
import RestwayText
import RestwayThreads

/// A draft and the store that it belongs to.
final class DraftHandle: HandleObject, Sendable {
    let draft: Draft
    let store: ObservedStore
    let generation = ProcessGeneration.current

    init(_ draft: Draft, _ store: ObservedStore) {
        self.draft = draft
        self.store = store
    }

    var subject: RequestSpec.Subject { .draft(draft, store) }

    /// Returns the cell of an attribute or a relationship.
    func cell(named name: CString?) throws(Failure) -> Int {
        let entity = draft.entity
        let name = try Argument.string(name, "name")
        if let index = entity.ownRelationshipIndex(named: name) {
            return entity.attributes.count + index
        }
        return try entity.ownAttribute(named: name)
    }

}

extension Draft {
    /// Sets an attribute or a relationship to a value of the program.
    func set(_ value: HostValue, cell: Int) throws(Failure) {
        let relationship = cell - entity.attributes.count
        if relationship < 0 {
            let value = try value.attribute(entity, cell)
            try change(try set(value, attribute: cell))
        } else if let targets = try value.targets(entity.relationships[relationship].name) {
            try change(try set(targets, relationship: relationship))
        } else {
            setNull(relationship: relationship)
        }
    }

    /// Changes the draft. A change that the draft refuses is a mistake of the caller.
    func change(_ body: @autoclosure () throws(DraftError) -> Void) throws(Failure) {
        do throws(DraftError) {
            try body()
        } catch {
            throw Failure(error)
        }
    }
}

/// Sets relationships.
extension DraftHandle {
    /// The code shared by all functions that set a relationship of a draft.
    ///
    /// - Parameters:
    ///   - change: The function of `Draft` that makes the change.
    ///   - target: Returns the first argument of `change`; the index of the relationship is the
    ///     second.
    static func relating<Target>(
        _ draft: InHandle, _ relationship: CString?, _ outError: OutHandle?,
        _ change: (Draft) -> (Target, Int) throws(DraftError) -> Void,
        to target: (DraftHandle) throws(Failure) -> Target
    ) -> restway_status {
        using(draft, outError) { handle throws(Failure) in
            let name = try Argument.string(relationship, "relationship")
            let index = try handle.draft.entity.ownRelationship(named: name)
            let target = try target(handle)
            try handle.draft.change(try change(handle.draft)(target, index))
        }
    }

    func target(draft: InHandle, _ name: String) throws(Failure) -> Draft.Target {
        let other = try DraftHandle.argument(draft, name)
        guard other.store === store else {
            throw Argument.wrong(name, "\(name) is a draft for another store")
        }
        return .draft(other.draft)
    }
}

// draft.h

@_cdecl("restway_draft_create") @implementation
public func restway_draft_create(
    _ store: InHandle, _ entity: CString?, _ outDraft: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outDraft, outError, "out_draft") { handle throws(Failure) in
        DraftHandle(try handle.store.draft(handle.entity(named: entity)), handle.store)
    }
}

@_cdecl("restway_draft_copy") @implementation
public func restway_draft_copy(
    _ store: InHandle, _ object: InHandle, _ outDraft: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outDraft, outError, "out_draft") { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        guard try handle.api.entity(named: object.entity.name) === object.entity else {
            throw Argument.wrong("object", "the object is a \(object.entity.name) of another api")
        }
        return DraftHandle(try handle.store.draft(copying: object), handle.store)
    }
}

@_cdecl("restway_draft_entity") @implementation
public func restway_draft_entity(_ draft: InHandle) -> CString! {
    DraftHandle.object(draft)?.draft.entity.nameCString
}

@_cdecl("restway_draft_store_key") @implementation
public func restway_draft_store_key(_ draft: InHandle) -> Int64 {
    DraftHandle.object(draft)?.draft.storeKey ?? 0
}

@_cdecl("restway_draft_set") @implementation
public func restway_draft_set(
    _ draft: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.using(draft, outError) { handle throws(Failure) in
        let cell = try handle.cell(named: name)
        try handle.draft.set(try HostValue(value, "value"), cell: cell)
    }
}

@_cdecl("restway_draft_add") @implementation
public func restway_draft_add(
    _ draft: InHandle, _ relationship: CString?, _ object: InHandle, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError, Draft.add) { _ throws(Failure) in
        .object(try Snapshot.argument(object))
    }
}

@_cdecl("restway_draft_add_draft") @implementation
public func restway_draft_add_draft(
    _ draft: InHandle, _ relationship: CString?, _ other: InHandle, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError, Draft.add) { handle throws(Failure) in
        try handle.target(draft: other, "other")
    }
}

@_cdecl("restway_draft_remove") @implementation
public func restway_draft_remove(
    _ draft: InHandle, _ relationship: CString?, _ object: InHandle, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError, Draft.remove) { _ throws(Failure) in
        .object(try Snapshot.argument(object))
    }
}

@_cdecl("restway_draft_remove_draft") @implementation
public func restway_draft_remove_draft(
    _ draft: InHandle, _ relationship: CString?, _ other: InHandle, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError, Draft.remove) { handle throws(Failure) in
        try handle.target(draft: other, "other")
    }
}

@_cdecl("restway_draft_relate") @implementation
public func restway_draft_relate(
    _ draft: InHandle, _ relationship: CString?, _ objects: In<OpaquePointer?>?,
    _ drafts: In<OpaquePointer?>?, _ count: Int, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError, Draft.set(_:relationship:)) {
        handle throws(Failure) in
        let objects = try Argument.elements(objects, objects == nil ? 0 : count, "objects")
        let drafts = try Argument.elements(drafts, drafts == nil ? 0 : count, "drafts")
        guard count == max(objects.count, drafts.count) else {
            throw Argument.null("objects and drafts")
        }
        var targets: [Draft.Target] = []
        for place in 0..<count {
            let object = place < objects.count ? objects[place] : nil
            let draft = place < drafts.count ? drafts[place] : nil
            guard (object == nil) != (draft == nil) else {
                throw Argument.wrong(
                    "objects[\(place)]", "place \(place) needs either an object or a draft")
            }
            targets.append(
                draft == nil
                    ? .object(try Snapshot.argument(object, "objects[\(place)]"))
                    : try handle.target(draft: draft, "drafts[\(place)]"))
        }
        return targets
    }
}

@_cdecl("restway_draft_unset") @implementation
public func restway_draft_unset(
    _ draft: InHandle, _ name: CString?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.using(draft, outError) { handle throws(Failure) in
        handle.draft.unset(cell: try handle.cell(named: name))
    }
}

@_cdecl("restway_draft_revert") @implementation
public func restway_draft_revert(
    _ draft: InHandle, _ name: CString?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.using(draft, outError) { handle throws(Failure) in
        handle.draft.revert(cell: name == nil ? nil : try handle.cell(named: name))
    }
}

@_cdecl("restway_draft_changes") @implementation
public func restway_draft_changes(
    _ draft: InHandle, _ outNames: Out<CString?>?, _ capacity: Int, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.writing(outCount, 0, outError) { () throws(Failure) in
        let draft = try DraftHandle.argument(draft).draft
        guard capacity >= 0, capacity == 0 || outNames != nil else {
            throw Argument.null("out_names")
        }
        let entity = draft.entity
        let changed = draft.changedCells
        for (place, cell) in changed.prefix(capacity).enumerated() {
            outNames?[place] = entity.cellNameCString(at: cell)
        }
        return changed.count
    }
}

@_cdecl("restway_draft_snapshot") @implementation
public func restway_draft_snapshot(
    _ draft: InHandle, _ outObject: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outObject, outError, "out_object") { () throws(Failure) in
        try DraftHandle.argument(draft).draft.snapshot()
    }
}

@_cdecl("restway_draft_insert") @implementation
public func restway_draft_insert(
    _ draft: InHandle, _ outObject: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.creating(draft, outObject, outError) { handle throws(Failure) in
        try handle.store.insert(handle.draft)
    }
}

/// Values for drafts.
extension HostValue {
    /// Returns the value for an attribute. If the attribute holds JSON, a value that JSON can
    /// express becomes JSON. The draft decides whether the value fits.
    func attribute(_ type: AttributeType, _ name: String) throws(Failure) -> Value {
        switch (self, type) {
        case (.json(let json), .any):
            // JSON that is neither an object nor a list becomes the value that mapping would read.
            let value = json.withTree(WireValue.init)
            if case .leaf(let value) = value { return value }
            return try attributeValue(name)
        case (.plain(.bool), .json), (.plain(.int64), .json), (.plain(.double), .json),
            (.plain(.string), .json), (.list, .json), (.list, .any):
            return .json(String(decoding: try json(name).text(), as: UTF8.self))
        default: return try attributeValue(name)
        }
    }

    /// Returns the value as JSON, which has neither dates nor bytes.
    private func json(_ name: String) throws(Failure) -> JSONValue {
        switch self {
        case .json(let value): return value
        case .object: throw unfit(name, "JSON")
        case .list(let elements):
            return .array(try elements.map { element throws(Failure) in try element.json(name) })
        case .plain(let value):
            switch value {
            case .bool(let value): return .bool(value)
            case .int64(let value): return .integer(value)
            case .double(let value):
                guard let real = JSONValue.real(value) else { throw unfit(name, "a JSON number") }
                return real
            case .date(let value): return .string(DateFormat.iso8601.format(value))
            case .string(let value): return .string(value)
            case .bytes(let value): return .string(Base64.encode(value))
            case .absent, .null, .json, .link, .links: return .null
            }
        }
    }

    /// Returns the objects to which a relationship is to lead; nil for null.
    func targets(_ name: String) throws(Failure) -> [Draft.Target]? {
        switch self {
        case .plain(.null): return nil
        case .object(let object): return [.object(object)]
        case .list(let elements):
            return try elements.map { element throws(Failure) in
                guard case .object(let object) = element else {
                    throw unfit(name, "an object of a relationship")
                }
                return .object(object)
            }
        default: throw unfit(name, "an object of a relationship")
        }
    }
}
