import XCTest

@testable import RestwayHTTP

final class SuggestedNameTests: XCTestCase {
    private func name(_ disposition: String?, url: String = "http://a.test/") -> String? {
        let fields = disposition.map { [HeaderField(name: "Content-Disposition", value: $0)] } ?? []
        return SuggestedName.find(Headers(fields), url: url)
    }

    func testTheFormsOfTheHeader() {
        XCTAssertEqual(name("attachment; filename=example.html"), "example.html")
        XCTAssertEqual(name("INLINE; FILENAME= \"an example.html\""), "an example.html")
        XCTAssertEqual(name("attachment;filename=\"a \\\"b\\\".txt\""), "a \"b\".txt")
        XCTAssertEqual(name("attachment; filename=\"a;b.txt\"; x=y"), "a;b.txt")
        XCTAssertEqual(
            name("attachment; filename*=UTF-8''%e2%82%ac%20rates; filename=rates"), "€ rates")
        XCTAssertEqual(
            name("attachment; filename=\"EURO\"; filename*=utf-8'en'%e2%82%ac"), "€")
        XCTAssertEqual(name("attachment; filename*=iso-8859-1''%A3.txt"), "£.txt")
        XCTAssertEqual(name("attachment; filename*=UTF-8''%zz; filename=plain"), "plain")
        XCTAssertEqual(name("attachment; filename*=UTF-8''%ff; filename=plain"), "plain")
        XCTAssertEqual(name("attachment; filename=a; filename=b"), "a")
        XCTAssertNil(name("attachment"))
        XCTAssertNil(name("attachment; filename"))
        XCTAssertNil(name("filename=a"))
        XCTAssertNil(name(nil))
    }

    func testWithoutTheHeaderTheURLNamesTheFile() {
        XCTAssertEqual(name(nil, url: "http://a.test/x/report%201.pdf?token=s#f"), "report 1.pdf")
        XCTAssertEqual(name("inline", url: "http://a.test/x/report.pdf"), "report.pdf")
        XCTAssertEqual(name(nil, url: "http://a.test/x/..%2F..%2Fetc%2Fpasswd"), "passwd")
        XCTAssertNil(name(nil, url: "http://a.test/x/"))
        XCTAssertNil(name(nil, url: "http://a.test"))
    }

    func testANameIsSafeInAnyFolder() {
        let cases: [(String, String?)] = [
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("/", nil),
            ("..", nil),
            (".bashrc", "bashrc"),
            ("a\u{0}b\nc\u{7F}d", "abcd"),
            ("invoice\u{202E}fdp.exe", "invoicefdp.exe"),
            ("trailing. . ", "trailing"),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("com7.tar.gz", "_com7.tar.gz"),
            ("COM1 .txt", "_COM1 .txt"),
            ("lpt².txt", "_lpt².txt"),
            ("aux:x", "_aux:x"),
            ("console.txt", "console.txt"),
            ("", nil),
            ("\u{1}", nil),
        ]
        for (given, expected) in cases {
            XCTAssertEqual(SuggestedName.safe(given), expected, given)
        }
    }

    func testALongNameKeepsItsExtension() throws {
        let long = try XCTUnwrap(SuggestedName.safe(String(repeating: "é", count: 300) + ".pdf"))
        XCTAssertLessThanOrEqual(long.utf8.count, 200)
        XCTAssertTrue(long.hasSuffix("é.pdf"))
        let dotted = try XCTUnwrap(SuggestedName.safe("a." + String(repeating: "b", count: 300)))
        XCTAssertEqual(dotted.utf8.count, 200)
    }
}
