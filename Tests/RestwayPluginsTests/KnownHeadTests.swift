import CRestwayPlugin
import Glibc
import RestwayHTTP
import XCTest

@testable import RestwayPlugins

final class KnownHeadTests: XCTestCase {
    private typealias Line = (name: String, value: String)

    /// Lends lines as a plugin gives them.
    private static func lend<Result>(
        _ lines: [Line], _ body: (UnsafePointer<restway_plugin_header>, Int) throws -> Result
    ) rethrows -> Result {
        let texts = lines.map { (strdup($0.name), strdup($0.value)) }
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        let headers = texts.map { restway_plugin_header(name: $0, value: $1) }
        return try headers.withUnsafeBufferPointer { try body($0.baseAddress!, $0.count) }
    }

    private static func known(_ lines: [Line]) -> KnownHead? {
        lend(lines) { lines, count in
            ForeignHeaders.read(lines, count).flatMap { KnownHead.of($0, lines, count) }
        }
    }

    func testOnlyTheSameLinesAreRead() throws {
        let lines: [Line] = [("Content-Type", "application/json"), ("X-Empty", ""), ("A", "bc")]
        let known = try XCTUnwrap(Self.known(lines))
        XCTAssertTrue(Self.lend(lines, known.reads))
        XCTAssertEqual(known.headers.fields.map(\.name), ["Content-Type", "X-Empty", "A"])
        XCTAssertEqual(known.headers.fields.map(\.value), ["application/json", "", "bc"])
        let others: [[Line]] = [
            [("Content-Type", "application/json"), ("X-Empty", "")],
            lines + [("B", "")],
            [("Content-Type", "application/jso"), ("X-Empty", ""), ("A", "bc")],
            [("Content-Type", "application/json"), ("X-Empty", "n"), ("A", "bc")],
            [("Content-Type", "application/json"), ("X-Empty", ""), ("Ab", "c")],
            [("Content-Type", "application/json"), ("X-Empty", ""), ("A", "bcd")],
            [("content-type", "application/json"), ("X-Empty", ""), ("A", "bc")],
            [("A", "bc"), ("X-Empty", ""), ("Content-Type", "application/json")],
        ]
        for other in others { XCTAssertFalse(Self.lend(other, known.reads), "\(other)") }
        XCTAssertFalse(known.reads(nil, 3))
        var broken = restway_plugin_header()
        XCTAssertFalse(known.reads(&broken, 3))
        XCTAssertFalse(KnownHead.none.reads(nil, 0))
    }

    func testWhatIsLargeIsNotKept() {
        XCTAssertNotNil(Self.known([("A", String(repeating: "x", count: 2_045))]))
        XCTAssertNil(Self.known([("A", String(repeating: "x", count: 2_046))]))
        XCTAssertNil(KnownHead.of(Headers(), nil, 0))
    }

    /// Whatever came before, a head has its own lines.
    func testHeadsThatDifferKeepTheirLines() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let heads: [[Line]] = [[("A", "1")], [("A", "1"), ("B", "2")], [("A", "3")], []]
        for round in 0..<40 {
            let lines = heads[(round * round / 3) % heads.count]
            let observer = WatchingObserver()
            let id = transport.start(
                Exchange(method: "GET", url: "http://a.example/"), observer: observer
            ).rawValue
            Self.lend(lines) { lines, count in
                var head = restway_plugin_head()
                head.struct_size = MemoryLayout<restway_plugin_head>.size
                head.status = 200
                head.headers = lines
                head.header_count = count
                plugin.host.pointee.exchange_head(plugin.host, id, &head)
            }
            plugin.complete(id)
            let fields = observer.record.withLock { $0.head?.headers.fields }
            XCTAssertEqual(fields, lines.map { HeaderField(name: $0.name, value: $0.value) })
        }
    }
}
