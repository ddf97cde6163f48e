import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// draft.h

@_cdecl("restway_draft_create") @implementation
public func restway_draft_create(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ outDraft: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outDraft, outError, named: "out_draft") { () throws(Failure) in
        let handle = try Argument.store(store)
        let entity = try handle.api.entity(named: try Argument.string(entity, "entity"))
        return DraftHandle(Draft(entity), handle.store)
    }
}

@_cdecl("restway_draft_copy") @implementation
public func restway_draft_copy(
    _ store: OpaquePointer?, _ object: OpaquePointer?,
    _ outDraft: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outDraft, outError, named: "out_draft") { () throws(Failure) in
        let handle = try Argument.store(store)
        let object = try Argument.handle(Snapshot.self, object, "object")
        guard try handle.api.entity(named: object.entity.name) === object.entity else {
            throw Failure(
                .invalidArgument, "the object is a \(object.entity.name) of another api",
                field: "object")
        }
        return DraftHandle(Draft(copying: object), handle.store)
    }
}

@_cdecl("restway_draft_retain") @implementation
public func restway_draft_retain(_ draft: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(DraftHandle.self, draft)
}

@_cdecl("restway_draft_release") @implementation
public func restway_draft_release(_ draft: OpaquePointer?) {
    Handle.release(DraftHandle.self, draft)
}

@_cdecl("restway_draft_entity") @implementation
public func restway_draft_entity(_ draft: OpaquePointer?) -> UnsafePointer<CChar>! {
    Handle.object(DraftHandle.self, draft)?.draft.entity.nameCString
}

@_cdecl("restway_draft_store_key") @implementation
public func restway_draft_store_key(_ draft: OpaquePointer?) -> Int64 {
    Handle.object(DraftHandle.self, draft)?.draft.storeKey ?? 0
}

@_cdecl("restway_draft_set") @implementation
public func restway_draft_set(
    _ draft: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.draft(draft)
        let cell = try handle.cell(named: name)
        let entity = handle.draft.entity
        let value = try HostValue(value, "value")
        let relationship = cell - entity.attributes.count
        guard relationship >= 0 else {
            let attribute = entity.attributes[cell]
            let value = try value.attribute(attribute.type, attribute.name)
            return try handle.change { draft throws(DraftError) in
                try draft.set(value, attribute: cell)
            }
        }
        guard let targets = try value.targets(entity.relationships[relationship].name) else {
            return handle.draft.setNull(relationship: relationship)
        }
        try handle.change { draft throws(DraftError) in
            try draft.set(targets, relationship: relationship)
        }
    }
}

@_cdecl("restway_draft_add") @implementation
public func restway_draft_add(
    _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?, _ object: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError) { handle, index throws(Failure) in
        let target = try handle.target(object: object, "object")
        try handle.change { draft throws(DraftError) in
            try draft.add(target, relationship: index)
        }
    }
}

@_cdecl("restway_draft_add_draft") @implementation
public func restway_draft_add_draft(
    _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?, _ other: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError) { handle, index throws(Failure) in
        let target = try handle.target(draft: other, "other")
        try handle.change { draft throws(DraftError) in
            try draft.add(target, relationship: index)
        }
    }
}

@_cdecl("restway_draft_remove") @implementation
public func restway_draft_remove(
    _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?, _ object: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError) { handle, index throws(Failure) in
        let target = try handle.target(object: object, "object")
        try handle.change { draft throws(DraftError) in
            try draft.remove(target, relationship: index)
        }
    }
}

@_cdecl("restway_draft_remove_draft") @implementation
public func restway_draft_remove_draft(
    _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?, _ other: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError) { handle, index throws(Failure) in
        let target = try handle.target(draft: other, "other")
        try handle.change { draft throws(DraftError) in
            try draft.remove(target, relationship: index)
        }
    }
}

@_cdecl("restway_draft_relate") @implementation
public func restway_draft_relate(
    _ draft: OpaquePointer?, _ relationship: UnsafePointer<CChar>?,
    _ objects: UnsafePointer<OpaquePointer?>?, _ drafts: UnsafePointer<OpaquePointer?>?,
    _ count: Int, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    DraftHandle.relating(draft, relationship, outError) { handle, index throws(Failure) in
        let objects = try Argument.elements(objects, objects == nil ? 0 : count, "objects")
        let drafts = try Argument.elements(drafts, drafts == nil ? 0 : count, "drafts")
        guard count == max(objects.count, drafts.count) else {
            throw Argument.null("objects and drafts")
        }
        var targets: [Draft.Target] = []
        for place in 0..<count {
            let object = place < objects.count ? objects[place] : nil
            let draft = place < drafts.count ? drafts[place] : nil
            switch (object, draft) {
            case (.some, .some), (nil, nil):
                throw Failure(
                    .invalidArgument, "place \(place) needs either an object or a draft",
                    field: "objects[\(place)]")
            case (_, nil):
                targets.append(try handle.target(object: object, "objects[\(place)]"))
            case (nil, _):
                targets.append(try handle.target(draft: draft, "drafts[\(place)]"))
            }
        }
        try handle.change { draft throws(DraftError) in
            try draft.set(targets, relationship: index)
        }
    }
}

@_cdecl("restway_draft_unset") @implementation
public func restway_draft_unset(
    _ draft: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.draft(draft)
        handle.draft.unset(cell: try handle.cell(named: name))
    }
}

@_cdecl("restway_draft_revert") @implementation
public func restway_draft_revert(
    _ draft: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.draft(draft)
        handle.draft.revert(cell: name == nil ? nil : try handle.cell(named: name))
    }
}

@_cdecl("restway_draft_changes") @implementation
public func restway_draft_changes(
    _ draft: OpaquePointer?, _ outNames: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ capacity: Int, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let draft = try Argument.draft(draft).draft
        guard capacity >= 0, capacity == 0 || outNames != nil else {
            throw Argument.null("out_names")
        }
        let entity = draft.entity
        let changed = draft.changedCells
        for (place, cell) in changed.prefix(capacity).enumerated() {
            outNames?[place] =
                entity.attributeNameCString(at: cell)
                ?? entity.relationshipNameCString(at: cell - entity.attributes.count)
        }
        outCount?.pointee = changed.count
    }
}

@_cdecl("restway_draft_snapshot") @implementation
public func restway_draft_snapshot(
    _ draft: OpaquePointer?, _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outObject, outError, named: "out_object") { () throws(Failure) in
        try Argument.draft(draft).draft.snapshot()
    }
}

@_cdecl("restway_draft_insert") @implementation
public func restway_draft_insert(
    _ draft: OpaquePointer?, _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outObject?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.draft(draft)
        let object = try handle.store.insert(handle.draft)
        outObject?.pointee = Handle.give(object)
    }
}
