public import CRestway
import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// Numbers of objects by the values of an attribute.
///
/// `@unchecked Sendable`: nothing changes the block after `init`.
final class GroupsHandle: HandleObject, @unchecked Sendable {
    private let groups: [QueryGroup]
    /// The texts of all values, each followed by a NUL.
    private let texts: UnsafeMutableRawPointer
    /// Where the text of each value begins.
    private let offsets: [Int]
    let generation = ProcessGeneration.current

    init(_ groups: [QueryGroup]) {
        self.groups = groups
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        for group in groups {
            offsets.append(bytes.count)
            group.value.withCell { cell in
                if cell.isText { bytes.append(contentsOf: cell.text) }
            }
            bytes.append(0)
        }
        self.offsets = offsets
        texts = .allocate(byteCount: max(1, bytes.count), alignment: 1)
        for (place, byte) in bytes.enumerated() {
            texts.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
        }
    }

    deinit {
        texts.deallocate()
    }

    var count: Int { groups.count }

    /// Returns a group, with its value in the memory of this object; `nil` if `index` is out of
    /// range.
    func group(_ index: Int) -> (value: restway_value, objectCount: Int)? {
        guard let group = groups.at(index) else { return nil }
        let value = group.value.withCell { cell in
            var value = unsafeBitCast(cell, to: restway_value.self)
            if cell.isText {
                value.as.text = UnsafePointer(
                    (texts + offsets[index]).assumingMemoryBound(to: CChar.self))
            }
            return value
        }
        return (value, group.count)
    }
}

extension GroupsHandle: ArgumentObject { static let parameter = "groups" }

// query.h, groups

@_cdecl("restway_store_count_groups") @implementation
public func restway_store_count_groups(
    _ store: InHandle, _ query: InHandle, _ attribute: CString?, _ outGroups: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outGroups, outError, "out_groups") { handle throws(Failure) in
        let query = try QueryHandle.argument(query).copy(for: handle.api)
        let attribute = try Argument.string(attribute, "attribute")
        return GroupsHandle(try handle.store.groups(query, by: attribute))
    }
}

@_cdecl("restway_groups_count") @implementation
public func restway_groups_count(_ groups: InHandle) -> Int {
    GroupsHandle.object(groups)?.count ?? 0
}

@_cdecl("restway_groups_read") @implementation
public func restway_groups_read(
    _ groups: InHandle, _ index: Int, _ outValue: Out<restway_value>?, _ outObjects: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    outObjects?.pointee = 0
    return GroupsHandle.writing(groups, outValue, restway_value(), outError) {
        handle throws(Failure) in
        guard let group = handle.group(index) else {
            throw Argument.wrong("index", "there is no group \(index) of \(handle.count)")
        }
        outObjects?.pointee = group.objectCount
        return group.value
    }
}
