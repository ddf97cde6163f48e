import RestwayOutcome
import XCTest

@testable import RestwayDocument

/// The errors that a policy can list are those that the table of failures lets it retry.
final class RetrySectionTests: XCTestCase {
    private func policy(_ text: String) throws -> RetryPolicy {
        var text = text
        return try text.withUTF8 { try RetryPolicy(document: UnsafeRawBufferPointer($0)) }
    }

    private func reasons(_ retries: FailureTraits.Retry...) -> Set<Failure.Reason> {
        Set(Failure.Reason.allCases.filter { retries.contains($0.traits.retry) })
    }

    func testEachErrorThatMayBeRetriedHasAName() throws {
        let all = try policy("""
            {"transport": ["connect", "connectionLost", "noResources", "protocol", "resolve",
                           "timeout", "tls"]}
            """)
        XCTAssertEqual(all.transport, reasons(.usual, .ifListed))
    }

    func testAPolicyThatListsNoneHasTheTemporaryOnes() throws {
        XCTAssertEqual(try policy("{}").transport, reasons(.usual))
    }
}
