import RestwayObjects

/// Relationships, and objects that may be of several entities.
extension MachineCore {
    /// Makes a row that has only the identity of a linked object; false if the mapping is over.
    mutating func putIdentity(_ scalar: Scalar, _ link: PlanLink, _ parent: OpenRow) -> Bool {
        guard takes(link) else { return true }
        guard let mapping = mapping(of: link, parent, identity: scalar) else { return true }
        guard let target = plan.mappings[mapping].identityTarget(link) else {
            issue("expected an object, found \(scalar.found)")
            rows.refuse(link.cell, parent)
            return true
        }
        let issuesBefore = issues.count
        guard let row = pushRow(PlanRow(role: .linked, mapping: mapping)) else { return false }
        rows.attach(row, link, parent, .identity)
        put(scalar, target, row)
        guard rows.isEmpty(row) else {
            putKey(link, row)
            rows.finish(
                from: row, haveContent: true, values.bytes.base, &issues, at: places)
            return true
        }
        rows.dropNewest()
        if issues.count == issuesBefore { issue("expected an identity, found \(scalar.found)") }
        rows.refuse(link.cell, parent)
        return true
    }

    /// Takes null as an element of the open list: relationships to one take only the first element.
    /// Returns false if the mapping is over.
    mutating func putNullElement(_ position: OpenPlaces.Position) -> Bool {
        guard let parent = position.row else { return true }
        for link in position.node.pointee.links where takes(link) {
            guard link.isMany else { rows.putNull(link, parent); continue }
            guard rows.keepsEmptyElements(link, parent) else { continue }
            guard let row = pushRow(plan.row(of: link)) else { return false }
            rows.attach(row, link, parent)
            rows.finish(from: row, haveContent: false, values.bytes.base, &issues, at: places)
        }
        return true
    }

    /// Gives a linked row its key in a map, if the link has keys.
    mutating func putKey(_ link: PlanLink, _ row: OpenRow) {
        guard let target = link.key else { return }
        let key = places.freeKey
        do throws(Misfit) {
            let cell: Result<Cell, Misfit> = key.withBytes { key in
                Result { () throws(Misfit) in
                    try values.cell(.string(key), target, rows.mapping(forValuesOf: row))
                }
            }
            put(try cell.get(), target, row)
        } catch {
            report(error, row)
        }
    }

    /// Whether the link takes this value: a relationship to one takes only the first element of a
    /// list.
    func takes(_ link: PlanLink) -> Bool {
        guard !link.isMany, places.frames.count > 0 else { return true }
        return !places.frames.last.isArray || places.frames.last.elementCount == 1
    }

    // MARK: Unions

    /// Whether the object that begins is recorded, because it may be of several entities or is part
    /// of an object that may.
    mutating func records(isArray: Bool) -> Bool {
        if !tape.isRecording {
            guard !tape.isReading else { return false }
            let isElement = places.frames.count > 0 && places.frames.last.isArray
            let isOfUnion = places.receivers(isElement).contains { index in
                places.receiver(index, isElement).node.pointee.hasUnions
            }
            guard isOfUnion else { return false }
        }
        tape.open(isArray: isArray)
        return true
    }

    /// The start of a row with the mapping of its own entity; nil if its object fits no entity. An
    /// included object of a type that the document does not know is no issue.
    mutating func settled(_ start: PlanRow) -> PlanRow? {
        guard start.isOfUnion else { return start }
        let union: EntityUnion?
        var mayBeUnknown = false
        switch start.role {
        case .result(let descriptor): union = plan.descriptors[descriptor.position].union
        case .included: (union, mayBeUnknown) = (plan.included?.union, true)
        case .linked: union = nil
        }
        guard let union else { return start }
        do throws(EntityUnion.Undecided) {
            let member = try union.member(ofObjectOn: tape, plan.entities)
            return PlanRow(role: start.role, mapping: plan.mappings.index(ofEntity: member))
        } catch {
            if !mayBeUnknown { issue(error.reason) }
            return nil
        }
    }

    /// The mapping of an object, or of an identity, that a relationship of the row `parent` leads
    /// to; nil if it fits no entity.
    mutating func mapping(
        of link: PlanLink, _ parent: OpenRow, identity: Scalar? = nil
    ) -> MappingIndex? {
        guard let index = link.union else { return plan.mapping(of: link) }
        let union = plan.mappings[rows.mapping(of: parent)].unions[index]
        do throws(EntityUnion.Undecided) {
            let member =
                if let identity {
                    try union.member(ofIdentity: identity, plan.entities)
                } else {
                    try union.member(ofObjectOn: tape, plan.entities)
                }
            return plan.mappings.index(ofEntity: member)
        } catch {
            issue(error.reason)
            rows.refuse(link.cell, parent)
            return nil
        }
    }
}
