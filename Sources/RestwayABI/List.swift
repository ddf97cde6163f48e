public import CRestway
import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// An immutable list of objects.
final class ListHandle: HandleObject, Sendable {
    let objects: [Snapshot]
    let generation = ProcessGeneration.current

    init(_ objects: [Snapshot]) {
        self.objects = objects
    }

    /// Returns `count` objects from index `first` on.
    func objects(_ first: Int, _ count: Int) throws(Failure) -> ArraySlice<Snapshot> {
        guard first >= 0, count >= 0, first <= objects.count, count <= objects.count - first else {
            throw Argument.wrong(
                "first", "the list has \(objects.count) objects, not \(count) from \(first) on")
        }
        return objects[first..<(first + count)]
    }
}

// list.h

@_cdecl("restway_list_count") @implementation
public func restway_list_count(_ list: InHandle) -> Int {
    ListHandle.object(list)?.objects.count ?? 0
}

@_cdecl("restway_list_object") @implementation
public func restway_list_object(_ list: InHandle, _ index: Int) -> OpaquePointer! {
    ListHandle.object(list)?.objects.at(index).map(Handle.lend)
}

@_cdecl("restway_list_entity") @implementation
public func restway_list_entity(_ list: InHandle, _ first: Int, _ count: Int) -> CString! {
    guard let objects = try? ListHandle.object(list)?.objects(first, count),
        let (family, number) = Entity.common(to: objects),
        objects.allSatisfy({ $0.entity.family === family })
    else { return nil }
    return family.nameCString(of: number)
}

@_cdecl("restway_list_read") @implementation
public func restway_list_read(
    _ list: InHandle, _ first: Int, _ count: Int, _ indices: In<UInt32>?, _ columnCount: Int,
    _ outValues: Out<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let (valueCount, isTooMany) = count.multipliedReportingOverflow(by: columnCount)
        guard count >= 0, columnCount >= 0, !isTooMany else {
            throw Argument.wrong("count", "count times column_count is beyond the address space")
        }
        try Argument.fill(outValues, valueCount) { values throws(Failure) in
            let list = try ListHandle.argument(list)
            guard let values else { return }
            for (row, object) in try list.objects(first, count).enumerated() {
                try object.read(indices, columnCount, into: values + row * columnCount)
            }
        }
    }
}
