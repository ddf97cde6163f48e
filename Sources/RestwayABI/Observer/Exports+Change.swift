import CRestway
import RestwayCalls
import RestwayObjects

// change.h

@_cdecl("restway_changes_retain") @implementation
public func restway_changes_retain(_ changes: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ChangeList.self, changes)
}

@_cdecl("restway_changes_release") @implementation
public func restway_changes_release(_ changes: OpaquePointer?) {
    Handle.release(ChangeList.self, changes)
}

@_cdecl("restway_changes_count") @implementation
public func restway_changes_count(_ changes: OpaquePointer?) -> Int {
    Handle.object(ChangeList.self, changes)?.changes.count ?? 0
}

@_cdecl("restway_changes_kind") @implementation
public func restway_changes_kind(_ changes: OpaquePointer?, _ index: Int) -> UInt32 {
    guard let change = ChangeList.change(changes, index) else { return 0 }
    let kind: restway_change_kind =
        switch change.kind {
        case .inserted: .RESTWAY_CHANGE_INSERTED
        case .updated: .RESTWAY_CHANGE_UPDATED
        case .deleted: .RESTWAY_CHANGE_DELETED
        }
    return kind.rawValue
}

@_cdecl("restway_changes_object") @implementation
public func restway_changes_object(_ changes: OpaquePointer?, _ index: Int) -> OpaquePointer! {
    (ChangeList.change(changes, index)?.object).map(Handle.lend)
}

@_cdecl("restway_changes_before") @implementation
public func restway_changes_before(_ changes: OpaquePointer?, _ index: Int) -> OpaquePointer! {
    ChangeList.change(changes, index)?.before.map(Handle.lend)
}

@_cdecl("restway_changes_attributes") @implementation
public func restway_changes_attributes(
    _ changes: OpaquePointer?, _ index: Int, _ outIndices: UnsafeMutablePointer<UInt32>?,
    _ capacity: Int
) -> Int {
    guard let change = ChangeList.change(changes, index) else { return 0 }
    let cells = 0..<change.object.entity.attributes.count
    return change.write(changed: cells, to: outIndices, capacity)
}

@_cdecl("restway_changes_relationships") @implementation
public func restway_changes_relationships(
    _ changes: OpaquePointer?, _ index: Int, _ outIndices: UnsafeMutablePointer<UInt32>?,
    _ capacity: Int
) -> Int {
    guard let change = ChangeList.change(changes, index) else { return 0 }
    let entity = change.object.entity
    let cells = entity.attributes.count..<entity.cellCount
    return change.write(changed: cells, to: outIndices, capacity)
}

extension ChangeList {
    fileprivate static func change(_ changes: OpaquePointer?, _ index: Int) -> Change? {
        Handle.object(ChangeList.self, changes)?.changes.at(index)
    }
}

extension Change {
    /// Writes the indices of the `cells` that differ, counted from the first cell, and returns
    /// their number.
    fileprivate func write(
        changed cells: Range<Int>, to outIndices: UnsafeMutablePointer<UInt32>?, _ capacity: Int
    ) -> Int {
        var count = 0
        for cell in cells where changes(cellAt: cell) {
            // A capacity beyond the address space is negative here and counts as large enough.
            if count < capacity || capacity < 0 {
                outIndices?[count] = UInt32(cell - cells.lowerBound)
            }
            count += 1
        }
        return count
    }
}
