import CRestwayPlugin
import Glibc
import RestwayHTTP
import RestwayThreads

/// Builds the tables that are lent to a plugin during a call, and reads the headers in a plugin's.
/// The texts of a table that is lent lie in one block.
///
/// The code avoids closures where it can and borrows structures: a closure that keeps a string
/// counts its references twice, which costs more than copying the text.
enum ExchangeTables {
    private typealias Header = restway_plugin_header
    private typealias Text = UnsafePointer<CChar>

    /// Starts an exchange at a plugin's transport.
    static func start(
        _ exchange: borrowing Exchange, id: UInt64, _ transports: PluginTransportTable,
        _ transport: UnsafeMutableRawPointer
    ) {
        var table = restway_plugin_exchange()
        table.struct_size = MemoryLayout<restway_plugin_exchange>.size
        table.id = id
        table.body_length = exchange.body.count ?? -1
        table.total_milliseconds = exchange.timeouts.totalMilliseconds
        table.connect_milliseconds = exchange.timeouts.connectMilliseconds
        table.idle_milliseconds = exchange.timeouts.idleMilliseconds
        table.first_byte_milliseconds = exchange.timeouts.firstByteMilliseconds
        table.priority = exchange.priority
        table.uses_cookies = exchange.usesCookies ? 1 : 0
        let digest = exchange.digest
        let textBytes =
            exchange.method.utf8.count + exchange.url.utf8.count
            + (digest?.user.utf8.count ?? 0) + 3
        let block = allocate(exchange.headers, andBytes: textBytes)
        defer { free(block) }
        var rest = fill(block, exchange.headers)
        table.headers = UnsafePointer(block.assumingMemoryBound(to: Header.self))
        table.header_count = exchange.headers.count
        table.method = copy(exchange.method, to: &rest)
        table.url = copy(exchange.url, to: &rest)
        if let digest { table.digest_user = copy(digest.user, to: &rest) }
        Secret.lend(digest?.password) { password in
            table.digest_password = password
            transports.functions.start(transport, &table)
        }
    }

    /// Passes `head` to `body` as a table.
    static func lend(_ head: ResponseHead, _ body: (UnsafePointer<restway_plugin_head>) -> Void) {
        var table = restway_plugin_head()
        table.struct_size = MemoryLayout<restway_plugin_head>.size
        table.status = Int32(clamping: head.status)
        table.http_version = head.httpVersion.rawValue
        lend(head.headers) { headers, count in
            table.headers = headers
            table.header_count = count
            withUnsafePointer(to: table, body)
        }
    }

    /// Passes header lines to `body` as a table.
    static func lend(
        _ headers: Headers, _ body: (UnsafePointer<restway_plugin_header>?, Int) -> Void
    ) {
        let block = allocate(headers.fields, andBytes: 0)
        defer { free(block) }
        _ = fill(block, headers.fields)
        body(UnsafePointer(block.assumingMemoryBound(to: Header.self)), headers.fields.count)
    }

    // MARK: One block

    /// Allocates space for lines and their texts, each text with its NUL, and for `count` more
    /// bytes.
    private static func allocate(
        _ fields: [HeaderField], andBytes count: Int
    ) -> UnsafeMutableRawPointer {
        var count = count + fields.count * MemoryLayout<Header>.stride
        for index in fields.indices {
            count += fields[index].name.utf8.count + fields[index].value.utf8.count + 2
        }
        // `malloc` is used because `allocate` takes a slow path for aligned memory.
        guard let block = malloc(count) else { fatalError("out of memory") }
        return block
    }

    /// Writes the lines, then their texts.
    ///
    /// - Returns: The rest of the block.
    private static func fill(
        _ block: UnsafeMutableRawPointer, _ fields: [HeaderField]
    ) -> UnsafeMutablePointer<CChar> {
        let lines = block.bindMemory(to: Header.self, capacity: fields.count)
        var rest = UnsafeMutableRawPointer(lines + fields.count)
            .assumingMemoryBound(to: CChar.self)
        for index in fields.indices {
            let name = copy(fields[index].name, to: &rest)
            let value = copy(fields[index].value, to: &rest)
            lines[index] = Header(name: name, value: value)
        }
        return rest
    }

    @inline(never)
    private static func copy(_ text: String, to rest: inout UnsafeMutablePointer<CChar>) -> Text {
        let start = rest
        // Every string of ours is stored in one piece.
        _ = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let first = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(start).copyMemory(from: first, byteCount: bytes.count)
            rest += bytes.count
        }
        rest.pointee = 0
        rest += 1
        return UnsafePointer(start)
    }

    // MARK: Tables of a plugin

    private static let linesMax = 2_000

    /// Reads header lines.
    ///
    /// - Parameter owner: The name of the owner of the lines, for the error.
    static func headers(
        _ pointer: UnsafePointer<restway_plugin_header>?, _ count: Int, of owner: String
    ) throws(OpenedTransport.Problem) -> Headers {
        guard count != 0 else { return Headers() }
        var fields: [HeaderField] = []
        if let pointer, (1...linesMax).contains(count) {
            fields = UnsafeBufferPointer(start: pointer, count: count).compactMap { line in
                guard let name = line.name, let value = line.value else { return nil }
                return HeaderField(name: name, value: value)
            }
        }
        guard fields.count == count else {
            throw .breach("gives \(owner) with a line that is no header")
        }
        return Headers(fields)
    }
}
