import RestwayObjects
import RestwaySQLite

/// The pending edits inside the file, for a commit.
extension SQLiteCommit {
    var coversObjects: Bool { !edits.keys.isEmpty }

    func isCovered(_ key: Int64) -> Bool { edits.keys.contains(key) }

    func cover(of object: Snapshot) throws(StoreError) -> Cover {
        let table = file.tables[try table(object.entity)]
        return try StoreError.wrapping(edits.cover(object.storeKey, table, file))
    }

    func setCover(_ cover: Cover, of object: Snapshot) throws(StoreError) {
        let older = try self.cover(of: object)
        guard cover != older else { return }
        let (table, key) = (file.tables[try table(object.entity)], object.storeKey)
        try write { () throws(SQLiteError) in
            try file.write(cover, over: older, key, table)
        }
        if cover.isHidden != older.isHidden { changedHiding = true }
        edits.note(cover, key)
    }

    func record(of edit: EditID) throws(StoreError) -> EditRecord? {
        try StoreError.wrapping(file.record(of: edit))
    }

    func setRecord(_ record: EditRecord?, of edit: EditID) throws(StoreError) {
        try write { () throws(SQLiteError) in try file.setRecord(record, of: edit) }
    }

    func place(under other: EditID?) throws(StoreError) -> Int64 {
        try StoreError.wrapping(file.place(under: other))
    }

    func objects(of edit: EditID) throws(StoreError) -> [Snapshot] {
        try newest(try StoreError.wrapping(file.coveredObjects(edit)))
    }

    func coveredObjects(_ entity: Entity?) throws(StoreError) -> [Snapshot] {
        guard !edits.keys.isEmpty else { return [] }
        return try newest(try StoreError.wrapping(file.coveredObjects(nil)))
            .filter { object in entity.map { object.isA($0) } ?? true }
    }

    /// Returns the objects of entities that the document has.
    private func newest(
        _ objects: [(entity: Int64, key: Int64)]
    ) throws(StoreError) -> [Snapshot] {
        var found: [Snapshot] = []
        for (number, key) in objects {
            let table = file.tables.first { $0.layout.number == number }
            guard let table, let object = try newest(table.layout.entity, key),
                object.storeKey == key
            else { continue }
            found.append(object)
        }
        return found
    }
}
