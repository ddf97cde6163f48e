import RestwayHTTP
import XCTest

final class ResponseFramingTests: XCTestCase {
    private func problem(_ fields: [(String, String)]) -> String? {
        ResponseFraming.problem(
            in: Headers(fields.map { HeaderField(name: $0.0, value: $0.1) }))
    }

    func testALengthIsANumberThatACounterHolds() {
        for value in ["0", "10", "9223372036854775807", "0000000000000000000000010"] {
            XCTAssertNil(problem([("content-LENGTH", value)]), value)
        }
        for value in [
            "9223372036854775808", "18446744073709551616", "99999999999999999999999", "", "-1",
            "+1", "1 2", "10, 10", "0x10", "1.0", "ten",
        ] {
            XCTAssertNotNil(problem([("Content-Length", value)]), value)
        }
    }

    func testSeveralLengthsMustBeEqual() {
        XCTAssertNil(problem([("Content-Length", "10"), ("content-length", "010")]))
        XCTAssertNotNil(problem([("Content-Length", "10"), ("A", "b"), ("Content-Length", "11")]))
        let large = "99999999999999999999"
        XCTAssertNotNil(problem([("Content-Length", large), ("Content-Length", large)]))
    }

    func testChunkedIsTheOnlyTransferCoding() {
        for value in ["chunked", "Chunked", " chunked ,", "identity", "identity, chunked", ""] {
            XCTAssertNil(problem([("Transfer-Encoding", value)]), value)
        }
        for value in [
            "rot13", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "chunked;a=b",
            "chunked, identity", "rot13, chunked",
        ] {
            XCTAssertNotNil(problem([("Transfer-Encoding", value)]), value)
        }
        XCTAssertNotNil(problem([("Transfer-Encoding", "gzip"), ("transfer-encoding", "chunked")]))
    }

    func testAnEndlessNameOfACodingIsCutOff() {
        let name = String(repeating: "x", count: 10_000)
        XCTAssertLessThan(problem([("Transfer-Encoding", name)])?.utf8.count ?? .max, 200)
    }
}
