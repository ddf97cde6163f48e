import CRestwayPlugin

/// Reads lines of `key = value` as one object of texts; `#` begins a comment.
///
/// It borrows the body and the sink: make a new one for each call of `decode`.
struct PropertiesReader {
    private let body: UnsafeRawBufferPointer
    private let sink: restway_plugin_sink

    init(_ body: UnsafeRawBufferPointer, _ sink: restway_plugin_sink) {
        self.body = body
        self.sink = sink
    }

    func read(
        depthMax: Int64, _ reason: UnsafeMutablePointer<restway_plugin_reason>
    ) -> Int32 {
        guard depthMax >= 1 else {
            return fail(reason, RESTWAY_PLUGIN_TOO_DEEP, "nested too deeply", line: 0)
        }
        var answer = sink.begin_object(sink.context)
        // When the object is skipped, its lines are still checked, because they may be wrong.
        let isWanted = answer == RESTWAY_PLUGIN_WANT
        var line: Int64 = 0
        var rest = body[...]
        while !rest.isEmpty, answer != RESTWAY_PLUGIN_STOP {
            line += 1
            let text = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[text.endIndex...].dropFirst()
            let trimmed = trim(text)
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
            guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")) else {
                return fail(reason, RESTWAY_PLUGIN_MALFORMED, "no = in the line", line: line)
            }
            let key = trim(trimmed[..<equals])
            let value = trim(trimmed[(equals + 1)...])
            guard isText(key), isText(value) else {
                return fail(reason, RESTWAY_PLUGIN_MALFORMED, "not UTF-8", line: line)
            }
            if isWanted { answer = push(key, value) }
        }
        if isWanted, answer != RESTWAY_PLUGIN_STOP { _ = sink.end_object(sink.context) }
        return RESTWAY_PLUGIN_OK
    }

    /// Reads a key and, unless the object is skipped, its value.
    private func push(_ key: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>)
        -> Int32
    {
        let answer = push(key, with: sink.key)
        return answer == RESTWAY_PLUGIN_WANT ? push(value, with: sink.string) : answer
    }

    private func push(
        _ text: Slice<UnsafeRawBufferPointer>,
        with function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int)
            -> Int32
    ) -> Int32 {
        let bytes = UnsafeRawBufferPointer(rebasing: text)
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return function(sink.context, start, bytes.count)
    }

    private func trim(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return text.prefix(0) }
        return text[first...last]
    }

    private func isText(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// Writes a reason, which does not quote the body.
    private func fail(
        _ reason: UnsafeMutablePointer<restway_plugin_reason>, _ result: Int32,
        _ text: StaticString, line: Int64
    ) -> Int32 {
        withUnsafeMutableBytes(of: &reason.pointee.text) { room in
            let length = min(text.utf8CodeUnitCount, room.count - 1)
            room.copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: length))
            room[length] = 0
        }
        reason.pointee.line = line
        return result
    }
}
