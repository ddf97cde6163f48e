import CRestwayPlugin
import RestwayHTTP
import RestwaySupport

/// What is lent to a plugin for the length of a call: tables whose texts lie in one block.
enum LentExchange {
    /// Shows `exchange` to `body` as a table.
    static func lend(
        _ exchange: Exchange, id: UInt64, _ body: (UnsafePointer<restway_plugin_exchange>) -> Void
    ) {
        var table = restway_plugin_exchange()
        table.struct_size = MemoryLayout<restway_plugin_exchange>.size
        table.id = id
        table.body_length = exchange.body.count ?? -1
        table.total_milliseconds = exchange.timeouts.totalMilliseconds
        table.connect_milliseconds = exchange.timeouts.connectMilliseconds
        table.idle_milliseconds = exchange.timeouts.idleMilliseconds
        table.uses_cookies = exchange.usesCookies ? 1 : 0
        lend([exchange.method, exchange.url], exchange.headers) { texts, headers, count in
            table.method = texts[0]
            table.url = texts[1]
            table.headers = headers
            table.header_count = count
            guard let digest = exchange.digest else { return withUnsafePointer(to: table, body) }
            digest.user.withCString { user in
                Secret.lend(digest.password) { password in
                    table.digest_user = user
                    table.digest_password = password
                    withUnsafePointer(to: table, body)
                }
            }
        }
    }

    /// Shows `head` to `body` as a table.
    static func lend(_ head: ResponseHead, _ body: (UnsafePointer<restway_plugin_head>) -> Void) {
        var table = restway_plugin_head()
        table.struct_size = MemoryLayout<restway_plugin_head>.size
        table.status = Int32(clamping: head.status)
        table.http_version =
            switch head.httpVersion {
            case .http10: 10
            case .http11: 11
            case .http2: 20
            case .http3: 30
            }
        lend([], head.headers.fields) { _, headers, count in
            table.headers = headers
            table.header_count = count
            withUnsafePointer(to: table, body)
        }
    }

    /// Shows header lines alone.
    static func lend(
        _ headers: Headers, _ body: (UnsafePointer<restway_plugin_header>?, Int) -> Void
    ) {
        lend([], headers.fields) { _, headers, count in body(headers, count) }
    }

    /// Copies texts and header lines into one block, each text with its NUL.
    private static func lend(
        _ texts: [String], _ fields: [HeaderField],
        _ body: ([UnsafePointer<CChar>], UnsafePointer<restway_plugin_header>?, Int) -> Void
    ) {
        var count = 0
        for text in texts { count += text.utf8.count + 1 }
        for field in fields { count += field.name.utf8.count + field.value.utf8.count + 2 }
        withUnsafeTemporaryAllocation(of: restway_plugin_header.self, capacity: fields.count) {
            headers in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { block in
                var rest = block.baseAddress!
                func copied(_ text: String) -> UnsafePointer<CChar> {
                    let start = rest
                    var text = text
                    text.withUTF8 { bytes in
                        guard let first = bytes.baseAddress else { return }
                        UnsafeMutableRawPointer(start).copyMemory(
                            from: first, byteCount: bytes.count)
                        rest += bytes.count
                    }
                    rest.pointee = 0
                    rest += 1
                    return UnsafePointer(start)
                }
                let starts = texts.map(copied)
                for (index, field) in fields.enumerated() {
                    headers[index] = restway_plugin_header(
                        name: copied(field.name), value: copied(field.value))
                }
                body(starts, UnsafePointer(headers.baseAddress), fields.count)
            }
        }
    }
}
