package import RestwayObjects
package import RestwayOutcome

/// Joins the texts of one attribute, so that a program of another language can make all its strings
/// at once.
package enum JoinedTexts {
    /// Returns the text of each object, followed by a NUL. Other values count as empty texts.
    package static func bytes(
        of objects: ArraySlice<Snapshot>, attribute index: Int
    ) throws(Failure) -> [UInt8] {
        var byteCount = objects.count
        for object in objects {
            let attributeCount = object.entity.attributes.count
            guard index >= 0, index < attributeCount else {
                throw Failure(
                    .unknownAttribute,
                    "index \(index) is beyond the \(attributeCount) attributes of "
                        + object.entity.name, field: "index")
            }
            byteCount += text(object.cells[index]).count
        }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { joined, count in
            guard var place = UnsafeMutableRawPointer(joined.baseAddress) else { return }
            for object in objects {
                let text = text(object.cells[index])
                if let source = text.baseAddress {
                    place.copyMemory(from: source, byteCount: text.count)
                    place += text.count
                }
                place.storeBytes(of: 0, as: UInt8.self)
                place += 1
            }
            count = byteCount
        }
    }

    @inline(__always)
    private static func text(_ cell: Cell) -> UnsafeRawBufferPointer {
        cell.rawKind == Cell.Kind.string.rawValue
            ? cell.text : UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
