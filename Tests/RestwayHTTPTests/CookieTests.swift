import RestwayHTTP
import XCTest

final class CookieTests: XCTestCase {
    private func cookie(
        _ domain: String, path: String = "/", subdomains: Bool = false, secure: Bool = false
    ) -> Cookie {
        Cookie(
            name: "a", value: "1", domain: domain, path: path, includesSubdomains: subdomains,
            isSecure: secure)
    }

    func testAHostGetsItsOwnCookiesAndThoseOfItsParents() throws {
        let place = try CookiePlace(url: "https://API.example.com/v2")
        XCTAssertTrue(cookie("api.example.com").isSent(to: place))
        XCTAssertTrue(cookie("Example.com", subdomains: true).isSent(to: place))
        XCTAssertFalse(cookie("example.com").isSent(to: place))
        XCTAssertFalse(cookie("i.example.com", subdomains: true).isSent(to: place))
        XCTAssertFalse(cookie("www.api.example.com", subdomains: true).isSent(to: place))
    }

    func testAnAddressHasNoSubdomains() throws {
        let place = try CookiePlace(url: "http://10.0.0.1/")
        XCTAssertTrue(cookie("10.0.0.1", subdomains: true).isSent(to: place))
        XCTAssertFalse(cookie("0.0.1", subdomains: true).isSent(to: place))
        XCTAssertEqual(try CookiePlace(url: "http://[2001:DB8::1]:80/").host, "2001:db8::1")
    }

    func testAPathGetsTheCookiesOfTheFoldersAboveIt() throws {
        for (path, url, isSent) in [
            ("/", "/", true), ("/", "/v2?x=/", true), ("/v2", "/v2", true), ("/v2", "/v2/a", true),
            ("/v2/", "/v2/a", true), ("/v2/", "/v2", false), ("/v2", "/v21", false),
            ("/v2", "/", false), ("/v2", "/V2", false),
        ] {
            let place = try CookiePlace(url: "http://example.com\(url)")
            XCTAssertEqual(
                cookie("example.com", path: path).isSent(to: place), isSent, "\(path) \(url)")
        }
    }

    func testASecureCookieStaysWhereNobodyListens() throws {
        for (url, isSent) in [
            ("https://example.com/", true), ("http://example.com/", false),
        ] {
            let place = try CookiePlace(url: url)
            XCTAssertEqual(cookie("example.com", secure: true).isSent(to: place), isSent)
        }
        let place = try CookiePlace(url: "http://127.0.0.1:8080/")
        XCTAssertTrue(cookie("127.0.0.1", secure: true).isSent(to: place))
    }

    func testALineIsReadAsItIsWritten() throws {
        for line in [
            "example.com\tFALSE\t/\tFALSE\t0\ta\t1",
            "#HttpOnly_.example.com\tTRUE\t/v2\tTRUE\t4102444800\ta\t",
        ] {
            XCTAssertEqual(try XCTUnwrap(Cookie(line: line[...])).line, line)
        }
        for line in [
            "", "example.com", "example.com\tFALSE\t/\tFALSE\t0\ta", "a\tno\t/\tFALSE\t0\ta\t1",
            "a\tFALSE\t/\tFALSE\tsoon\ta\t1", "a\tFALSE\t/\tFALSE\t-1\ta\t1",
            "\tFALSE\t/\tFALSE\t0\ta\t1", "a\tFALSE\tv2\tFALSE\t0\ta\t1",
            "a\tFALSE\t/\tFALSE\t0\t\t1", "a\tFALSE\t/\tFALSE\t0\ta b\t1",
        ] {
            XCTAssertNil(Cookie(line: line[...]), line)
        }
    }

    func testAFileHasATitleAndAnOrderOfItsOwn() throws {
        let lines = ["b\tFALSE\t/\tFALSE\t0\ta\t1", "a\tFALSE\t/\tFALSE\t0\ta\t1"]
        let file = Cookie.file(lines)
        XCTAssertEqual(file, Cookie.file(lines.reversed()))
        XCTAssertEqual(try Cookie.cookies(file: file).map(\.domain), ["a", "b"])
        XCTAssertEqual(try Cookie.cookies(file: ""), [])
        XCTAssertEqual(
            try Cookie.cookies(file: "# HTTP Cookie File\r\n# x\r\n\r\n\(lines[0])\r\n").count, 1)
        XCTAssertThrowsError(try Cookie.cookies(file: lines[0]))
    }

    func testAnErrorOfAFileNamesTheLineAndQuotesNothing() {
        let text = Cookie.file([]) + "example.com\tFALSE\thunter2"
        XCTAssertThrowsError(try Cookie.cookies(file: text)) { error in
            let message = (error as? StateFileError)?.message ?? ""
            XCTAssertEqual(message, "line 4 is no cookie")
        }
    }

    func testAFileHasBoundsAndItsErrorSaysWhich() {
        let long = cookie("example.com", name: "abc", value: String(repeating: "x", count: 4_094))
        XCTAssertTrue(long.isTooLong)
        for (lines, expected) in [
            ([long.line], "the cookie of line 4 has more than 4096 bytes"),
            (
                (0...3_000).map { cookie("example.com", name: "n\($0)", value: "").line },
                "it has more than 3000 cookies"
            ),
        ] {
            XCTAssertThrowsError(try Cookie.cookies(file: Cookie.file(lines))) { error in
                XCTAssertEqual((error as? StateFileError)?.message, expected)
            }
        }
        let short = cookie("example.com", name: "abc", value: String(repeating: "x", count: 4_093))
        XCTAssertEqual(try Cookie.cookies(file: Cookie.file([short.line])), [short])
    }

    private func cookie(
        _ domain: String, name: String, value: String, expires: Int64 = 0
    ) -> Cookie {
        Cookie(name: name, value: value, domain: domain, path: "/", expires: expires)
    }

    func testTheHostsWithTheMostCookiesLoseThoseThatExpireFirst() {
        let many = (1...6).map { index in
            cookie("many.example", name: "\(index)", value: "", expires: Int64(index % 6))
        }
        let some = (1...3).map { cookie("some.example", name: "\($0)", value: "", expires: 9) }
        XCTAssertEqual(Cookie.excess(of: many + some, countMax: 9), [])
        XCTAssertEqual(
            Cookie.excess(of: many + some, countMax: 7).map(\.description),
            ["1 of many.example/", "2 of many.example/"])
        let left = Set((many + some).map(\.description)).subtracting(
            Cookie.excess(of: many + some, countMax: 4).map(\.description))
        XCTAssertEqual(left.filter { $0.contains("many") }.count, 2)
        XCTAssertTrue(left.contains("6 of many.example/"), "it does not expire")
    }

    func testALineThatMaySetACookieForAFolderIsFound() {
        func mayHaveOne(_ line: String) -> Bool {
            Array(line.utf8).withUnsafeBufferPointer { Cookie.mayHaveFolderPath($0) }
        }
        for line in [
            "a=1; Path=/p/", "a=1; path=/p/; Secure", "a=1; PATH=/p/ ;x", "a=1;path=/p/\r\n",
        ] {
            XCTAssertTrue(mayHaveOne("Set-Cookie: " + line), line)
        }
        for line in ["a=1", "a=1; Path=/", "a=1; Path=/; Secure", "a=1; Path=/p\r\n", "a=x/y"] {
            XCTAssertFalse(mayHaveOne("Set-Cookie: " + line), line)
        }
    }

    func testADescriptionHasNoValue() {
        let cookie = Cookie(name: "a", value: "hunter2", domain: "example.com", path: "/")
        XCTAssertEqual("\(cookie)", "a of example.com/")
    }
}
