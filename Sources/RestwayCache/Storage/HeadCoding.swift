import RestwayHTTP

/// Writes a head as bytes: numbers of eight bytes, the lowest first, and texts behind their
/// lengths.
struct HeadWriter {
    private(set) var bytes: [UInt8] = []

    init(_ head: StoredHead) {
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

/// Reads what a `HeadWriter` wrote.
struct HeadReader {
    private var rest: UnsafeRawBufferPointer
    private var isDamaged = false

    /// Returns the head; `nil` if the bytes are not exactly one.
    static func head(_ bytes: UnsafeRawBufferPointer) -> StoredHead? {
        var reader = HeadReader(rest: bytes)
        let (status, version) = (reader.number(), reader.number())
        let url = reader.text()
        let (requestTime, responseTime) = (reader.number(), reader.number())
        let (lifetime, isInvalid) = (reader.number(), reader.number())
        let (first, last, complete) = (reader.number(), reader.number(), reader.number())
        let (isAsked, asked) = (reader.number(), reader.text())
        let bodyLength = reader.number()
        let headers = reader.fields()
        let selecting = reader.fields()
        guard !reader.isDamaged, reader.rest.isEmpty else { return nil }
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

    private init(rest: UnsafeRawBufferPointer) { self.rest = rest }

    private mutating func number() -> Int64 {
        guard rest.count >= 8 else {
            isDamaged = true
            return 0
        }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(8)) }
        return Int64(littleEndian: rest.loadUnaligned(as: Int64.self))
    }

    private mutating func text() -> String {
        let count = number()
        guard count >= 0, count <= rest.count, !isDamaged else {
            isDamaged = true
            return ""
        }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count))) }
        return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
    }

    private mutating func fields() -> [HeaderField] {
        var fields: [HeaderField] = []
        var left = number()
        while left > 0, !isDamaged {
            fields.append(HeaderField(name: text(), value: text()))
            left -= 1
        }
        return fields
    }
}
