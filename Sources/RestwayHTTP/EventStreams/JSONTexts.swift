import Glibc
import RestwayText

/// Parses JSON lines: a JSON text in each line. Empty lines do not count.
package struct JSONLines: EventParser {
    private let bytesMax: Int
    /// The bytes of a line whose end has not come.
    private var line: [UInt8] = []

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    package mutating func feed(
        _ bytes: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge) {
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let found = memchr(base, Int32(UInt8(ascii: "\n")), rest.count)
            let length = found.map { UnsafeRawPointer($0) - base } ?? rest.count
            let part = UnsafeRawBufferPointer(rebasing: rest[..<length])
            guard line.count + part.count <= bytesMax else {
                throw EventTooLarge(bytesMax: bytesMax)
            }
            guard found != nil else { return line.append(contentsOf: part) }
            if line.isEmpty {
                Self.add(part, into: &batch)
            } else {
                line.append(contentsOf: part)
                end(into: &batch)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
    }

    /// The last line needs no line feed.
    package mutating func end(into batch: inout EventBatch) {
        line.withUnsafeBytes { Self.add($0, into: &batch) }
        line.removeAll(keepingCapacity: true)
    }

    private static func add(_ line: UnsafeRawBufferPointer, into batch: inout EventBatch) {
        guard !line.allSatisfy(ASCII.isJSONSpace) else { return }
        let hasReturn = line.last == UInt8(ascii: "\r")
        batch.add(UnsafeRawBufferPointer(rebasing: line.dropLast(hasReturn ? 1 : 0)))
    }
}

/// Parses JSON text sequences (RFC 7464): texts with a record separator before each.
///
/// A text is an event as soon as it is whole: a live stream may send the next separator much later.
package struct JSONSequence: EventParser {
    private static let separator: UInt8 = 0x1E

    private enum Place {
        /// No text may begin here: no separator has arrived since the start or since the last whole
        /// text.
        case between
        /// A text may begin.
        case begin
        /// Inside an object or a list, at this depth.
        case container(Int)
        /// Inside a string at this depth, or behind a backslash in it.
        case string(Int)
        case escape(Int)
        /// Inside a number or a literal, which white space ends. Without it, the text may be
        /// truncated.
        case scalar
        /// In bytes that belong to no text.
        case stray
    }

    private let bytesMax: Int
    private var text: [UInt8] = []
    private var place = Place.between

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    package mutating func feed(
        _ bytes: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge) {
        for byte in bytes {
            if byte == Self.separator {
                end(into: &batch)
                place = .begin
                continue
            }
            let next = next(byte)
            switch (place, next) {
            // White space around texts is no part of them.
            case (.between, .between), (.begin, .begin): continue
            case (.scalar, .between): break
            default:
                guard text.count < bytesMax else { throw EventTooLarge(bytesMax: bytesMax) }
                text.append(byte)
            }
            place = next
            if case .between = next { add(isTruncated: false, into: &batch) }
        }
    }

    /// A text that is not whole is truncated.
    package mutating func end(into batch: inout EventBatch) {
        if !text.isEmpty { add(isTruncated: true, into: &batch) }
        place = .between
    }

    private func next(_ byte: UInt8) -> Place {
        switch place {
        case .between:
            return ASCII.isJSONSpace(byte) ? .between : .stray
        case .begin:
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): return .container(1)
            case UInt8(ascii: "\""): return .string(0)
            default: return ASCII.isJSONSpace(byte) ? .begin : .scalar
            }
        case .container(let depth):
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): return .container(depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): return Self.inside(depth - 1)
            case UInt8(ascii: "\""): return .string(depth)
            default: return place
            }
        case .string(let depth):
            switch byte {
            case UInt8(ascii: "\\"): return .escape(depth)
            case UInt8(ascii: "\""): return Self.inside(depth)
            default: return place
            }
        case .escape(let depth): return .string(depth)
        case .scalar: return ASCII.isJSONSpace(byte) ? .between : .scalar
        case .stray: return .stray
        }
    }

    private static func inside(_ depth: Int) -> Place {
        depth == 0 ? .between : .container(depth)
    }

    private mutating func add(isTruncated: Bool, into batch: inout EventBatch) {
        text.withUnsafeBytes { batch.add($0, isTruncated: isTruncated) }
        text.removeAll(keepingCapacity: true)
    }
}
