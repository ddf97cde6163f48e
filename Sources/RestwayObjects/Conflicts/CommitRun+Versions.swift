import Glibc

/// The versions of objects. An entity without `version` costs a look at its rows' entity, and
/// nothing else.
extension CommitRun {
    /// Returns whether a row is older than what the store knows of its object, so that it changes
    /// nothing. An object that was made again, under another identity, begins with other versions.
    func isOutdated(_ row: Snapshot, _ older: Snapshot) throws(StoreError) -> Bool {
        guard changes.origin == .server, let rule = row.versionRule(over: older), rule.isOrdered,
            let order = rule.version(of: row)?.order,
            row.identity == nil || row.identity == older.identity,
            let known = try target.version(older.entity, older.storeKey)?.order
        else { return false }
        return order < known
    }

    /// Notes the version of an object that a row of the server is about.
    ///
    /// A row that brings no version but changes a value makes the version unknown. If a row brings
    /// another version, the values of the cells that it leaves out may be older, unless the answer
    /// states the version of the whole object.
    ///
    /// - Parameters:
    ///   - confirmed: The server's values before the row; `nil` if the object is new.
    ///   - merging: The effect of the row on these values.
    mutating func noteVersion(
        _ row: Snapshot, _ index: Int, _ key: Int64, over confirmed: Snapshot?, _ merging: Merging
    ) throws(StoreError) {
        guard changes.origin == .server, let rule = row.versionRule(over: confirmed) else { return }
        let changesValues = if case .nothing = merging { false } else { true }
        let isNew = key > keysBefore
        // The values of such a row are older than those of the object.
        let isOlder =
            changes.onlyCompletes && !isNew
            || !(changes.settledSince[key]?.subtracting(commit.settled[key] ?? []) ?? []).isEmpty
        let known = confirmed == nil ? nil : try target.version(row.entity, key)
        let isEdit = changes.edits[index] != nil
        guard !isEdit, !isOlder, var brought = version(in: row, index, rule) else {
            if changesValues { try makeUnknown(known, row.entity, key) }
            return
        }
        let isKnown = known.map { $0.isCurrent && $0.version == brought.version } ?? false
        if let confirmed {
            let isOfWhole = isKnown || changes.versions[index] != nil
            let stale = isOfWhole ? known?.stale ?? [] : row.cellsLeftOut(of: confirmed)
            brought.stale = stale.filter { row.cell(at: $0).isAbsent }
        }
        if brought != known { try target.setVersion(brought, row.entity, key) }
    }

    private func version(
        in row: Snapshot, _ index: Int, _ rule: VersionRule
    ) -> StoredVersion? {
        let own = rule.version(of: row)
        guard let stated = changes.versions[index] else { return own }
        return StoredVersion(stated, order: own?.order)
    }

    /// Notes that the values of the server are no longer those that came with the version.
    mutating func forgetVersion(of object: Snapshot) throws(StoreError) {
        let known = try target.version(object.entity, object.storeKey)
        try makeUnknown(known, object.entity, object.storeKey)
    }

    private mutating func makeUnknown(
        _ known: StoredVersion?, _ entity: Entity, _ key: Int64
    ) throws(StoreError) {
        guard var known, known.isCurrent else { return }
        known.isCurrent = false
        try target.setVersion(known, entity, key)
    }

    /// Returns the version of an object that turned out to be the same as `object`, whose values
    /// win; without one, the version of `object`.
    mutating func version(
        of its: Snapshot, joined object: Snapshot
    ) throws(StoreError) -> StoredVersion? {
        guard its.entity.isVersioned || object.entity.isVersioned else { return nil }
        if let version = try target.version(its.entity, its.storeKey) { return version }
        return try target.version(object.entity, object.storeKey)
    }

    /// Notes the versions that answers without rows state for delivered objects.
    mutating func noteVersionsOfDelivered() throws(StoreError) {
        for (key, version) in changes.versionsOfDelivered {
            let entity =
                edits.noted[key]?.entity ?? changes.answers.first { $0.storeKey == key }?.entity
                ?? commit.objects.first { $0.storeKey == key }?.entity
            guard let entity, let object = try target.newest(entity, key),
                object.entity.isVersioned
            else { continue }
            let known = try target.version(object.entity, object.storeKey)
            let stale = (known?.stale ?? []).subtracting(commit.settled[key] ?? [])
            try target.setVersion(
                StoredVersion(version, order: known?.order, stale: stale), object.entity,
                object.storeKey)
        }
    }
}

extension Snapshot {
    /// How the version of the row's object is known; `nil` for an object without versions.
    fileprivate func versionRule(over older: Snapshot?) -> VersionRule? {
        if entity.isVersioned { return entity.version }
        guard let older, older.entity.isVersioned else { return nil }
        return older.entity.version
    }

    /// Returns the cells with values of the server in `older` of which the row says nothing.
    fileprivate func cellsLeftOut(of older: Snapshot) -> Set<Int> {
        let attributes = entity.attributes
        return Set(
            (0..<entity.valueCount).filter { cell in
                guard self.cell(at: cell).isAbsent, !older.cell(at: cell).isAbsent else {
                    return false
                }
                guard attributes.indices.contains(cell) else { return true }
                let fallback = attributes[cell].rules.fallback
                return attributes[cell].origin == nil
                    && !(fallback?.isSame(as: older.value(at: cell)) ?? false)
            })
    }
}

extension VersionRule {
    /// Returns the version in an attribute of a row; `nil` if it stands elsewhere, or if the row
    /// does not have it.
    fileprivate func version(of row: Snapshot) -> StoredVersion? {
        guard case .attribute(let index) = source else { return nil }
        let value = row.value(at: index)
        guard let text = value.versionText else { return nil }
        return StoredVersion(ObjectVersion(text), order: isOrdered ? value.order : nil)
    }
}

extension Value {
    /// The value as the text of a version; `nil` if it cannot be a version.
    package var versionText: String? {
        switch self {
        case .absent, .null, .link, .links, .bytes: nil
        case .bool(let bool): bool ? "true" : "false"
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .date(let microseconds): Self.text(ofDate: microseconds)
        case .string(let text), .json(let text): text
        }
    }

    /// Returns a date in ISO 8601 and UTC, with a fraction of a second if it is not zero.
    private static func text(ofDate microseconds: Int64) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = rest < 0 ? rest + 1_000_000 : rest
        var seconds = time_t(rest < 0 ? whole - 1 : whole)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            _ = strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
            return String(cString: buffer.baseAddress!)
        }
        guard fraction != 0 else { return text + "Z" }
        let digits = String(fraction + 1_000_000).dropFirst()
        return "\(text).\(fraction % 1_000 == 0 ? digits.prefix(3) : digits)Z"
    }

    /// The value as a number by which versions are ordered.
    fileprivate var order: Int64? {
        switch self {
        case .int64(let integer), .date(let integer): integer
        default: nil
        }
    }
}
