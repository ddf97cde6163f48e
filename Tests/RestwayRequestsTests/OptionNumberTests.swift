import RestwayHTTP
import RestwayOutcome
import XCTest

@testable import RestwayDocument
@testable import RestwayRequests

/// The numbers of options: their defaults and ranges, which the headers state.
final class OptionNumberTests: XCTestCase {
    private func refusal(_ act: () throws -> Void) -> String? {
        do {
            try act()
            return nil
        } catch {
            return (error as? Failure)?.message
        }
    }

    func testZeroTakesTheDefaultAndMinusOneMeansNone() throws {
        var numbers = ClientNumbers()
        try numbers.read(.nestingDepthMax, 0, "depth")
        XCTAssertNil(numbers.stated(.nestingDepthMax))
        XCTAssertEqual(numbers[.nestingDepthMax], 512)
        try numbers.read(.redirectsMax, -1, "redirects")
        XCTAssertEqual(numbers.stated(.redirectsMax), 0)
        try numbers.read(.saveBytesMax, -1, "save")
        XCTAssertEqual(numbers[.saveBytesMax], 0)
        try numbers.read(.nestingDepthMax, 2_048, "depth")
        XCTAssertEqual(numbers[.nestingDepthMax], 2_048)
    }

    func testANumberOutOfItsRangeIsRefusedWithTheRange() {
        var numbers = ClientNumbers()
        XCTAssertEqual(
            refusal { try numbers.read(.nestingDepthMax, 2_049, "depth") },
            "depth is out of range: 2049 (1 to 2048 is allowed)")
        XCTAssertEqual(
            refusal { try numbers.read(.bodyBytesMax, -1, "body") },
            "body is out of range: -1 (1 or more is allowed)")
        XCTAssertEqual(
            refusal { try numbers.read(.redirectsMax, 1_001, "redirects") },
            "redirects is out of range: 1001 (-1, or 1 to 1000, is allowed)")
        XCTAssertEqual(
            refusal { try numbers.take(.redirectsMax, -1, "redirects") },
            "redirects is out of range: -1 (0, or 1 to 1000, is allowed)")
        XCTAssertEqual(
            refusal { try numbers.take(.saveBytesMax, 0, "saved") },
            "saved is out of range: 0 (1 or more is allowed)")
        XCTAssertTrue(ClientNumber.allCases.allSatisfy { numbers.stated($0) == nil })
    }

    func testTheDefaultsOfTheDocumentAreThoseOfTheHeaders() {
        let cache = CacheDefinition()
        XCTAssertEqual(cache.bytesMax, ClientNumber.cacheBytesMax.bounds.standard)
        XCTAssertEqual(cache.memoryBytesMax, ClientNumber.cacheMemoryBytesMax.bounds.standard)
        XCTAssertEqual(
            ClientNumber.cacheBytesMax.bounds.allowed,
            DocumentObject.cache.range("maxBytes"))
        let timeouts = CallOptions(userAgent: "").timeouts
        XCTAssertEqual(timeouts.totalMilliseconds, 60_000)
        XCTAssertEqual(timeouts.firstByteMilliseconds, 0)
    }
}
