public import CRestway
import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A text that the library has written for the program.
final class TextHandle: HandleObject, Sendable {
    let text: ConvertedText
    let generation = ProcessGeneration.current

    init(_ bytes: [UInt8]) {
        text = ConvertedText(bytes)
    }
}

// reading.h

@_cdecl("restway_text_content") @implementation
public func restway_text_content(_ text: InHandle, _ outLength: Out<Int>?) -> CString! {
    let text = TextHandle.object(text)?.text
    outLength?.pointee = text?.count ?? 0
    return text?.start
}

@_cdecl("restway_object_json") @implementation
public func restway_object_json(
    _ object: InHandle, _ store: InHandle, _ depth: Int32, _ flags: UInt32, _ lengthMax: Int64,
    _ outText: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Snapshot.creating(object, outText, outError, "out_text") { object throws(Failure) in
        let options = try ObjectText.Options(depth, flags, lengthMax)
        let store = try StoreHandle.following(store, depth)
        return TextHandle(try ObjectText.of(object, options, in: store))
    }
}

@_cdecl("restway_list_json") @implementation
public func restway_list_json(
    _ list: InHandle, _ first: Int, _ count: Int, _ store: InHandle, _ depth: Int32,
    _ flags: UInt32, _ lengthMax: Int64, _ outText: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ListHandle.creating(list, outText, outError, "out_text") { list throws(Failure) in
        let objects = try list.objects(first, count)
        let options = try ObjectText.Options(depth, flags, lengthMax)
        let store = try StoreHandle.following(store, depth)
        return TextHandle(try ObjectText.of(objects, options, in: store))
    }
}

@_cdecl("restway_list_take") @implementation
public func restway_list_take(
    _ list: InHandle, _ first: Int, _ count: Int, _ outValues: Out<restway_value>?,
    _ capacity: Int, _ outEntities: Out<CString?>?, _ outObjects: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let places = try Argument.elements(In(outObjects), count, "out_objects")
        UnsafeMutableBufferPointer(mutating: places).update(repeating: nil)
        let objects = try ListHandle.argument(list).objects(first, count)
        let room = try Argument.room(outValues, rows: count, columns: capacity)
        guard let outObjects else { return }
        for (row, object) in objects.enumerated() {
            let places = room[(row * capacity)..<((row + 1) * capacity)]
            object.fill(UnsafeMutableBufferPointer(rebasing: places))
            outEntities?[row] = object.entity.nameCString
            outObjects[row] = Handle.give(object)
        }
    }
}

@_cdecl("restway_list_texts") @implementation
public func restway_list_texts(
    _ list: InHandle, _ first: Int, _ count: Int, _ index: Int, _ outText: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    ListHandle.creating(list, outText, outError, "out_text") { list throws(Failure) in
        TextHandle(try JoinedTexts.bytes(of: try list.objects(first, count), attribute: index))
    }
}

@_cdecl("restway_store_take_related") @implementation
public func restway_store_take_related(
    _ store: InHandle, _ object: InHandle, _ index: Int, _ outValues: Out<restway_value>?,
    _ capacity: Int, _ outEntity: Out<CString?>?, _ outObject: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    outEntity?.pointee = nil
    outObject?.pointee = nil
    return StoreHandle.using(store, outError) { handle throws(Failure) in
        let outObject = try Argument.out(outObject, "out_object")
        let object = try Snapshot.argument(object)
        let room = try Argument.room(outValues, rows: 1, columns: capacity)
        guard object.entity.relationships.indices.contains(index) else {
            let count = object.entity.relationships.count
            throw Failure(
                .unknownAttribute,
                "index \(index) is beyond the \(count) relationships of \(object.entity.name)",
                field: "index")
        }
        guard let related = try handle.store.related(object, relationship: index).first else {
            return room.update(repeating: restway_value())
        }
        related.fill(room)
        outEntity?.pointee = related.entity.nameCString
        outObject.pointee = Handle.give(related)
    }
}

extension StoreHandle {
    /// Returns the store in which a text follows relationships; `nil` if it follows none.
    fileprivate static func following(
        _ store: InHandle, _ depth: Int32
    ) throws(Failure) -> ObservedStore? {
        store == nil && depth == 0 ? nil : try argument(store).store
    }
}

extension Snapshot {
    /// Writes the first attributes; room that is left over becomes null.
    fileprivate func fill(_ room: UnsafeMutableBufferPointer<restway_value>) {
        let count = min(room.count, entity.attributes.count)
        for index in 0..<count { room[index] = cValue(at: index) }
        room[count...].update(repeating: restway_value())
    }
}

extension Argument {
    /// Returns the room for the values of a table.
    fileprivate static func room(
        _ outValues: Out<restway_value>?, rows: Int, columns: Int
    ) throws(Failure) -> UnsafeMutableBufferPointer<restway_value> {
        let (count, isTooMany) = rows.multipliedReportingOverflow(by: columns)
        guard columns >= 0, !isTooMany else {
            throw wrong("capacity", "the capacity is beyond the address space: \(columns)")
        }
        return UnsafeMutableBufferPointer(
            mutating: try elements(In(outValues), count, "out_values"))
    }
}

extension ObjectText.Options {
    fileprivate init(_ depth: Int32, _ flags: UInt32, _ lengthMax: Int64) throws(Failure) {
        self.init()
        let (marks, entities) = (RESTWAY_JSON_MARKED, RESTWAY_JSON_ENTITIES)
        try Argument.inRange(Int64(depth), 0...Int64(ObjectText.depthMax), "depth")
        try Argument.flags(flags, known: marks | entities)
        try Argument.notNegative(lengthMax, "length_max")
        self.depth = Int(depth)
        marksValues = flags & marks != 0
        namesEntities = flags & entities != 0
        if lengthMax > 0 { self.lengthMax = Int(lengthMax) }
    }
}
