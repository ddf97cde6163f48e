import Glibc
import RestwayText

/// Parses Server-Sent Events (WHATWG HTML, section 9.2.6).
package struct ServerSentEvents: EventParser {
    /// The longest wait before a reconnection, also if the server asks for a longer wait.
    private static let reconnectionMillisecondsMax: Int64 = 86_400_000
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let bytesMax: Int
    /// The bytes of a line whose end has not come.
    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last byte was a carriage return, to which a line feed may belong.
    private var isAfterReturn = false
    /// The data of the current event: lines with a line feed after each.
    private var data: [UInt8] = []
    private var name = ""
    /// The ID that the current event has if it comes whole.
    private var id: String
    package private(set) var lastEventID: String
    package private(set) var reconnectionMilliseconds: Int64?

    package init(lastEventID: String = "", bytesMax: Int) {
        self.bytesMax = bytesMax
        // An event without an ID keeps the last ID of the previous connection.
        id = lastEventID
        self.lastEventID = lastEventID
    }

    package mutating func feed(
        _ bytes: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge) {
        var start = 0
        if isAfterReturn, let first = bytes.first {
            isAfterReturn = false
            if first == Self.lineFeed { start = 1 }
        }
        // Both positions are kept, so that each search looks at a byte only once.
        var feed = Self.find(Self.lineFeed, in: bytes, from: start)
        var carriage = Self.find(Self.carriageReturn, in: bytes, from: start)
        while true {
            let end = min(feed, carriage)
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard line.count + part.count <= bytesMax else {
                throw EventTooLarge(bytesMax: bytesMax)
            }
            guard end < bytes.count else { return line.append(contentsOf: part) }
            try takeLine(part, into: &batch)
            start = end + 1
            if end == carriage {
                isAfterReturn = start == bytes.count
                if !isAfterReturn, feed == start { start += 1 }
            }
            if feed < start { feed = Self.find(Self.lineFeed, in: bytes, from: start) }
            if carriage < start {
                carriage = Self.find(Self.carriageReturn, in: bytes, from: start)
            }
        }
    }

    /// An event without the empty line after it does not count.
    package mutating func end(into batch: inout EventBatch) {}

    /// The index of a byte, or the end of `bytes`.
    private static func find(
        _ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }

    // MARK: Lines

    /// Takes a line that has ended, of which `part` has not been seen before.
    private mutating func takeLine(
        _ part: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge) {
        guard !line.isEmpty else { return try take(part, into: &batch) }
        // The line is moved out while its bytes are read.
        var whole: [UInt8] = []
        swap(&whole, &line)
        whole.append(contentsOf: part)
        let taken: Result<Void, EventTooLarge> = whole.withUnsafeBytes { bytes in
            Result { () throws(EventTooLarge) in try take(bytes, into: &batch) }
        }
        whole.removeAll(keepingCapacity: true)
        swap(&whole, &line)
        try taken.get()
    }

    private mutating func take(
        _ line: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge) {
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: Self.byteOrderMark) {
                line = UnsafeRawBufferPointer(rebasing: line.dropFirst(3))
            }
        }
        guard !line.isEmpty else { return dispatch(into: &batch) }
        let colon = Self.find(ASCII.colon, in: line, from: 0)
        // The line is a comment.
        guard colon > 0 else { return }
        let field = UnsafeRawBufferPointer(rebasing: line[..<colon])
        var value = UnsafeRawBufferPointer(rebasing: line.dropFirst(colon + 1))
        if value.first == UInt8(ascii: " ") {
            value = UnsafeRawBufferPointer(rebasing: value.dropFirst())
        }
        try take(field, value)
    }

    private mutating func take(
        _ field: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(EventTooLarge) {
        if Self.isEqual(field, "data") {
            guard data.count + value.count < bytesMax else {
                throw EventTooLarge(bytesMax: bytesMax)
            }
            data.append(contentsOf: value)
            data.append(Self.lineFeed)
        } else if Self.isEqual(field, "event") {
            name = String(decoding: value, as: UTF8.self)
        } else if Self.isEqual(field, "id") {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if Self.isEqual(field, "retry"), !value.isEmpty, value.allSatisfy(ASCII.isDigit) {
            var milliseconds: Int64 = 0
            for digit in value {
                milliseconds = milliseconds * 10 + Int64(digit - UInt8(ascii: "0"))
                milliseconds = min(milliseconds, Self.reconnectionMillisecondsMax)
            }
            reconnectionMilliseconds = milliseconds
        }
    }

    private static func isEqual(_ field: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        guard field.count == name.utf8CodeUnitCount, let base = field.baseAddress else {
            return false
        }
        return memcmp(base, name.utf8Start, field.count) == 0
    }

    /// Ends the current event, which an empty line follows. Without data it is no event, but its
    /// ID counts.
    private mutating func dispatch(into batch: inout EventBatch) {
        lastEventID = id
        if !data.isEmpty {
            let name = name.isEmpty ? StreamEvent.usualName : name
            data.withUnsafeBytes { bytes in
                batch.add(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), name: name, id: id)
            }
            data.removeAll(keepingCapacity: true)
        }
        name = ""
    }
}
