import RestwayHTTP

/// Writes a head as bytes: numbers of eight bytes, the lowest first, and texts behind their
/// lengths.
struct HeadWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes the head of an entry. At the end is a check that tells a damaged head, and the head
    /// of another entry, from the head of this one.
    init(_ head: StoredHead, of entry: EntryName) {
        add(Int64(head.status))
        add(Int64(head.httpVersion))
        add(head.url)
        add(head.requestTime)
        add(head.responseTime)
        add(head.documentLifetime ?? -1)
        add(head.isInvalid ? 1 : 0)
        let range = head.range
        add(range?.first ?? -1)
        add(range?.last ?? -1)
        add(range?.completeLength ?? -1)
        add(range?.asked == nil ? 0 : 1)
        add(range?.asked ?? "")
        add(head.bodyLength ?? -1)
        add(head.headers.fields)
        add(head.selecting)
        add(bytes.withUnsafeBytes { entry.check($0) })
    }

    /// Writes fields alone.
    init(_ fields: [HeaderField]) { add(fields) }

    private mutating func add(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func add(_ fields: [HeaderField]) {
        add(Int64(fields.count))
        for field in fields {
            add(field.name)
            add(field.value)
        }
    }
}

/// The values of an entry that its head is checked with.
struct EntryName {
    let id: Int64
    /// The text of its key.
    let name: String

    /// Returns a check of these values and of the bytes of a head. It tells damage apart, and no
    /// forgery: whoever may write to the file may write anything.
    func check(_ head: UnsafeRawBufferPointer) -> Int64 {
        var hash = StableHash()
        hash.add(head)
        withUnsafeBytes(of: id.littleEndian) { hash.add($0) }
        hash.add(name)
        return hash.value
    }
}

extension KeptAnswer {
    /// The head as bytes, with its check.
    var codedHead: [UInt8] { HeadWriter(head, of: EntryName(id: id, name: label.name)).bytes }
}

/// FNV-1a, a hash that is the same in all processes, and quick for short texts.
struct StableHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    var value: Int64 { Int64(bitPattern: state) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}

/// Reads what a `HeadWriter` wrote.
struct HeadReader {
    private let bytes: UnsafeRawBufferPointer
    /// Where the next value begins.
    private var offset = 0
    private var isDamaged = false

    /// Returns the head; `nil` if the bytes are not exactly the head of this entry.
    static func head(_ bytes: UnsafeRawBufferPointer, of entry: EntryName) -> StoredHead? {
        var reader = HeadReader(bytes)
        let (status, version) = (reader.number(), reader.number())
        let url = reader.text()
        let (requestTime, responseTime) = (reader.number(), reader.number())
        let (lifetime, isInvalid) = (reader.number(), reader.number())
        let (first, last, complete) = (reader.number(), reader.number(), reader.number())
        let (isAsked, asked) = (reader.number(), reader.text())
        let bodyLength = reader.number()
        let headers = reader.fields()
        let selecting = reader.fields()
        let check = entry.check(UnsafeRawBufferPointer(rebasing: bytes[..<reader.offset]))
        guard reader.number() == check, !reader.isDamaged, reader.left == 0 else { return nil }
        let range = StoredRange(
            first: first, last: last, completeLength: complete < 0 ? nil : complete,
            asked: isAsked == 0 ? nil : asked)
        return StoredHead(
            status: Int(clamping: status), httpVersion: Int(clamping: version),
            headers: Headers(headers), url: url, requestTime: requestTime,
            responseTime: responseTime, selecting: selecting,
            documentLifetime: lifetime < 0 ? nil : lifetime, isInvalid: isInvalid != 0,
            range: first < 0 ? nil : range, bodyLength: bodyLength < 0 ? nil : bodyLength)
    }

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private var left: Int { bytes.count - offset }

    private mutating func number() -> Int64 {
        guard left >= 8 else {
            isDamaged = true
            return 0
        }
        defer { offset += 8 }
        return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }

    private mutating func text() -> String {
        let count = number()
        guard count >= 0, count <= left, !isDamaged else {
            isDamaged = true
            return ""
        }
        let end = offset + Int(count)
        defer { offset = end }
        return String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), as: UTF8.self)
    }

    private mutating func fields() -> [HeaderField] {
        var fields: [HeaderField] = []
        var count = number()
        while count > 0, !isDamaged {
            fields.append(HeaderField(name: text(), value: text()))
            count -= 1
        }
        return fields
    }
}
