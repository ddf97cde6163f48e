import Dispatch
import Glibc
import LoopbackServer
import RestwayHTTP
import XCTest

@testable import RestwayCurl

final class CookieJarTests: CurlTransportTestCase {
    private var folder = ""
    private var path: String { folder + "/cookies.txt" }

    override func setUp() {
        super.setUp()
        var name = Array("/tmp/restway-cookies-XXXXXX".utf8CString)
        folder = String(cString: mkdtemp(&name))
    }

    override func tearDown() {
        for name in names { unlink("\(folder)/\(name)") }
        rmdir(folder)
        super.tearDown()
    }

    private var names: [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private var text: String {
        (try? StateFile(path: path, field: "cookie_file").read().text) ?? ""
    }

    private func write(_ text: String) {
        let file = fopen(path, "w")
        fputs(text, file)
        fclose(file)
    }

    private var mode: UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func open() throws -> CookieJar {
        try XCTUnwrap(try CookieJar.open(path: path))
    }

    private let cookie = Cookie(name: "a", value: "1", domain: "example.com", path: "/")

    func testANewFileBelongsToItsOwnerAlone() throws {
        _ = try open()
        XCTAssertEqual(mode, 0o600)
        XCTAssertEqual(names, ["cookies.txt"])
    }

    func testCookiesAreLoadedAndSaved() throws {
        var jar = try open()
        let other = Cookie(
            name: "b", value: "", domain: "example.org", path: "/v2", expires: 4_102_444_800,
            includesSubdomains: true, isSecure: true, isHTTPOnly: true)
        XCTAssertEqual(jar.set(cookie), true)
        XCTAssertEqual(jar.set(other), true)
        jar.close()
        chmod(path, 0o644)
        jar = try open()
        XCTAssertEqual(mode, 0o600)
        XCTAssertEqual(jar.cookies?.sorted { $0.name < $1.name }, [cookie, other])
    }

    func testCookiesAreCleared() throws {
        let jar = try open()
        var other = cookie
        other.domain = "example.org"
        XCTAssertEqual(jar.set(cookie), true)
        XCTAssertEqual(jar.set(other), true)
        XCTAssertEqual(jar.clear { $0.domain == "example.com" }, 1)
        XCTAssertEqual(jar.clear { $0.domain == "example.com" }, 0)
        XCTAssertEqual(jar.cookies, [other])
        jar.close()
        XCTAssertEqual(try open().cookies, [other])
    }

    func testACookieThatHasEndedIsNotKept() throws {
        let jar = try open()
        var ended = cookie
        ended.expires = 5
        XCTAssertEqual(jar.set(ended), false)
        var wrong = cookie
        wrong.name = "__Host-a"
        XCTAssertEqual(jar.set(wrong), false)
        XCTAssertEqual(jar.cookies, [])
    }

    func testTheCookiesOfAnswersAreSavedBeforeTheTransportIsClosed() throws {
        let server = try TestServer.answering { request in
            response(headers: "Set-Cookie: a=\(request.path.utf8.count); Path=/\r\n")
        }
        let transport = CurlTransport(cookies: try open())
        XCTAssertNil(perform(.get(server.url("/x")), on: transport).error)
        eventually { self.text.hasSuffix("\ta\t2\n") }
        XCTAssertNil(perform(.get(server.url("/xx")), on: transport).error)
        transport.close()
        XCTAssertTrue(text.hasSuffix("\ta\t3\n"), text)
        XCTAssertEqual(names, ["cookies.txt"])
    }

    func testAnAnswerThatChangesNothingWritesNothing() throws {
        let jar = try open()
        XCTAssertEqual(jar.set(cookie), true)
        eventually { self.text.hasSuffix("\ta\t1\n") }
        unlink(path)
        XCTAssertEqual(jar.set(cookie), true)
        jar.close()
        XCTAssertEqual(names, [])
    }

    func testAFileThatCannotBeUsedIsAnError() throws {
        func refusal(of path: String) -> String {
            do throws(NetworkSettingError) {
                _ = try CookieJar.open(path: path)
                return ""
            } catch {
                XCTAssertEqual(error.field, "cookie_file")
                return error.message
            }
        }
        XCTAssertEqual(refusal(of: folder), "cookie_file \(folder): it is no regular file")
        XCTAssertEqual(
            refusal(of: folder + "/none/x"),
            "cookie_file \(folder)/none/x: the folder \"\(folder)/none\" does not exist")
        XCTAssertTrue(refusal(of: "/proc/self/none").hasPrefix("cookie_file /proc/self/none: "))
        write("hunter2")
        XCTAssertTrue(refusal(of: path).hasPrefix("cookie_file \(path): it is no file of cookies"))
        XCTAssertEqual(text, "hunter2")
        write("# Netscape HTTP Cookie File\nhunter2")
        XCTAssertEqual(refusal(of: path), "cookie_file \(path): line 2 is no cookie")
        let file = fopen(path, "w")
        fputc(0x80, file)
        fclose(file)
        XCTAssertEqual(refusal(of: path), "cookie_file \(path): it is no text in UTF-8")
    }

    func testTheCookiesThatARequestSends() throws {
        let jar = try XCTUnwrap(try CookieJar.open(path: nil))
        let url = "http://example.com/v2/things?page=2"
        XCTAssertEqual(jar.sent(to: url), "")
        var other = cookie
        (other.name, other.path, other.isSecure) = ("b", "/v2", true)
        XCTAssertEqual(jar.set(other), true)
        XCTAssertEqual(jar.sent(to: url), "b=1", "HSTS may have the request sent with TLS")
        XCTAssertEqual(jar.set(cookie), true)
        XCTAssertEqual(jar.sent(to: url), "a=1; b=1")
        XCTAssertEqual(jar.sent(to: "http://example.com/"), "a=1")
        XCTAssertEqual(jar.sent(to: "http://www.example.com/v2"), "")
        XCTAssertNil(jar.sent(to: "no URL"))
        var changed = cookie
        changed.value = "2"
        XCTAssertEqual(jar.set(changed), true)
        XCTAssertEqual(jar.sent(to: url), "a=2; b=1")
        XCTAssertEqual(jar.clear { $0.name == "a" }, 1)
        XCTAssertEqual(jar.sent(to: url), "b=1")
    }

    func testTheCookiesOfEachAnswerAreKnown() throws {
        let early = "HTTP/1.1 103 Early Hints\r\nSet-Cookie: e=1; Path=/\r\n\r\n"
        let server = try TestServer.answering { request in
            switch request.path {
            case "/none": response()
            case "/early": early + response()
            default: response(headers: "SET-COOKIE: a=\(request.path.utf8.count); Path=/\r\n")
            }
        }
        let jar = try XCTUnwrap(try CookieJar.open(path: nil))
        let transport = CurlTransport(cookies: jar)
        defer { transport.close() }
        let url = server.url("/")
        for (path, cookies) in [
            ("/none", ""), ("/", "a=1"), ("/none", "a=1"), ("/x", "a=2"), ("/early", "a=2; e=1"),
        ] {
            XCTAssertNil(perform(.get(server.url(path)), on: transport).error)
            XCTAssertEqual(jar.sent(to: url), cookies, path)
        }
    }

    func testAPathThatEndsWithASlashIsNotThePathWithoutIt() throws {
        let server = try TestServer.answering { request in
            let sent = request.header("Cookie") ?? ""
            let cookie =
                switch request.path {
                case "/set": "Set-Cookie: p=1; Path=/p/\r\nSet-Cookie: q=2; Path=/\r\n"
                case "/p": "Set-Cookie: r=3; Path=/\r\nSet-Cookie: q=4; Path=/\r\n"
                case "/p?end": "Set-Cookie: r=; Path=/; Max-Age=0\r\n"
                default: ""
                }
            return response(sent, headers: cookie)
        }
        let jar = try open()
        let transport = CurlTransport(cookies: jar)
        func sent(to path: String) -> [String] {
            let text = perform(.get(server.url(path)), on: transport).text
            return text.split(separator: ";").map { $0.filter { $0 != " " } }.sorted()
        }
        XCTAssertEqual(sent(to: "/set"), [])
        XCTAssertEqual(sent(to: "/p/"), ["p=1", "q=2"])
        XCTAssertEqual(sent(to: "/p/x"), ["p=1", "q=2"])
        XCTAssertEqual(sent(to: "/p"), ["q=2"])
        XCTAssertEqual(sent(to: "/p/x"), ["p=1", "q=4", "r=3"], "the answer's cookies are kept")
        XCTAssertEqual(sent(to: "/p?end"), ["q=4", "r=3"])
        XCTAssertEqual(sent(to: "/p/x"), ["p=1", "q=4"], "a cookie that has ended is gone")
        XCTAssertEqual(sent(to: "/x"), ["q=4"])
        transport.close()
        let again = CurlTransport(cookies: try open())
        defer { again.close() }
        XCTAssertEqual(perform(.get(server.url("/p")), on: again).text, "q=4")
        // The next exchange of the same handle has no cookies.
        var exchange = Exchange.get(server.url("/p"))
        exchange.usesCookies = false
        XCTAssertEqual(perform(exchange, on: again).text, "")
    }

    func testALongURLAndACookieNeverSwallowAnotherField() throws {
        let server = try TestServer.answering { request in
            response(request.header("X-Next") ?? "swallowed")
        }
        let jar = try open()
        let transport = CurlTransport(cookies: jar)
        defer { transport.close() }
        var kept = cookie
        kept.domain = "127.0.0.1"
        kept.value = String(repeating: "x", count: 300)
        XCTAssertEqual(jar.set(kept), true)
        var failures = 0
        for length in stride(from: 7_000, through: 9_000, by: 50) {
            let exchange = Exchange(
                method: "GET", url: server.url("/" + String(repeating: "p", count: length)),
                headers: [HeaderField(name: "X-Next", value: "there")])
            let record = perform(exchange, on: transport)
            if let error = record.error {
                XCTAssertEqual(error.kind, .tooLarge)
                failures += 1
            } else {
                XCTAssertEqual(record.text, "there", "\(length)")
            }
        }
        XCTAssertTrue((1..<41).contains(failures), "\(failures)")
        var without = Exchange.get(server.url("/" + String(repeating: "p", count: 9_000)))
        without.usesCookies = false
        XCTAssertNil(perform(without, on: transport).error)
    }

    func testTheNumberOfCookiesHasABound() throws {
        let server = try TestServer.answering { request in
            response(
                headers: (0..<40).map { "Set-Cookie: \(request.path.dropFirst())-\($0)=1\r\n" }
                    .joined())
        }
        let jar = try CookieJar.open(path: path, countMax: 200)
        let transport = CurlTransport(cookies: jar)
        XCTAssertEqual(jar.set(cookie), true)
        for index in 0..<15 {
            XCTAssertNil(perform(.get(server.url("/\(index)")), on: transport).error)
        }
        XCTAssertLessThanOrEqual(try XCTUnwrap(jar.cookies).count, 200 + 256 + 40)
        XCTAssertTrue(try XCTUnwrap(jar.cookies).contains(cookie), "another host keeps its own")
        transport.close()
        XCTAssertEqual(try open().cookies?.count, 200)
    }

    func testACookieOfTheFileIsKnownUntilItExpires() throws {
        let expires: Int64 = 4_102_444_800
        write(
            Cookie.file([
                Cookie(name: "a", value: "1", domain: "example.com", path: "/").line,
                Cookie(name: "b", value: "2", domain: "example.com", path: "/", expires: expires)
                    .line,
            ]))
        let jar = try open()
        XCTAssertEqual(jar.sent(to: "http://example.com/"), "a=1; b=2")
        XCTAssertEqual(jar.sent(to: "http://example.com/", at: expires), "a=1; b=2")
        XCTAssertEqual(jar.sent(to: "http://example.com/", at: expires + 1), "a=1")
    }

    func testAnySharingThreadMayUseTheJar() throws {
        let server = try TestServer.answering { _ in
            response(headers: "Set-Cookie: b=2; Path=/\r\n")
        }
        let jar = try XCTUnwrap(try CookieJar.open(path: nil))
        let transport = CurlTransport(cookies: jar)
        defer { transport.close() }
        let cookie = cookie
        let exchange = Exchange.get(server.url("/"))
        let recorders = (0..<50).map { _ in Recorder() }
        for recorder in recorders { _ = transport.start(exchange, observer: recorder) }
        DispatchQueue.concurrentPerform(iterations: 3) { _ in
            for _ in 0..<50 {
                XCTAssertEqual(jar.set(cookie), true)
                XCTAssertNotNil(jar.cookies)
            }
        }
        for recorder in recorders {
            _ = recorder.record.wait { $0.result }
        }
        XCTAssertEqual(jar.cookies?.map(\.name).sorted(), ["a", "b"])
    }
}
