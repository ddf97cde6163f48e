import RestwayHTTP
import XCTest

final class BodyCollectorTests: XCTestCase {
    private func append(_ bytes: [UInt8], to collector: inout BodyCollector) -> BodyReply {
        bytes.withUnsafeBytes { collector.append($0) }
    }

    private func announcing(_ length: String) -> Headers {
        Headers([HeaderField(name: "Content-Length", value: length)])
    }

    func testPiecesAreJoinedUpToTheBound() {
        var collector = BodyCollector(bytesMax: 4)
        XCTAssertEqual(append([1, 2], to: &collector), .proceed)
        XCTAssertEqual(append([3, 4], to: &collector), .proceed)
        guard case .stop(let error) = append([5], to: &collector) else { return XCTFail() }
        XCTAssertEqual(error.kind, .tooLarge)
        XCTAssertTrue(error.message.contains("4 bytes"))
        XCTAssertEqual(collector.take(), [1, 2, 3, 4])
        XCTAssertEqual(collector.take(), [])
    }

    func testAnAnnouncedLengthIsAHintThatIsNotTrusted() {
        for length in ["9223372036854775807", "-5", "x", "999999999999999999999", "1000000000"] {
            var collector = BodyCollector(bytesMax: .max)
            collector.expect(announcing(length))
            XCTAssertEqual(append([1], to: &collector), .proceed)
            XCTAssertLessThanOrEqual(collector.bytes.capacity, 2 << 20)
        }
        var collector = BodyCollector(bytesMax: 10)
        collector.expect(announcing("11"))
        guard case .stop = append([1], to: &collector) else { return XCTFail() }
    }
}
