import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayOutcome

/// The fields of a failure, which is a value although its content is shared.
final class FailureTests: XCTestCase {
    private final class Cause: HostCause {
        var pointer: UnsafeMutableRawPointer? { nil }
    }

    private final class NoRedactor: RequestRedactor {
        func redacted(url: String) -> String { url }
        func redacted(_ field: HeaderField) -> String { field.value }
        func redacted(body: [UInt8], _ headers: [HeaderField]) -> [UInt8] { body }
    }

    /// The fields that are texts and numbers, in the order of their declaration.
    private func description(_ failure: Failure) -> String {
        [
            "\(failure.reason)", failure.message, "\(failure.domain)", failure.field ?? "-",
            "\(failure.httpStatus)", "\(failure.transportCode)", "\(failure.isRetryable)",
            failure.statedRetryable.map(String.init) ?? "-", failure.apiCode ?? "-",
            failure.apiMessage ?? "-", failure.details.map(\.path).joined(separator: ","),
            "\(failure.outboxID)", "\(failure.isOfBatchCall)", "\(failure.isOfProgram)",
            failure.attempts.map { "\($0.tookMicroseconds)" }.joined(separator: ","),
        ].joined(separator: " ")
    }

    func testEachFieldOfACopyIsItsOwn() {
        let original = Failure(.tls, "first", field: "f")
        let before = "tls first transport f 0 0 false - - -  0 false false "
        XCTAssertEqual(description(original), before)
        let response = Response(
            Answer(status: 503, headers: Headers(), url: "http://127.0.0.1/"))
        let request = OutgoingRequest(
            Exchange(method: "GET", url: "http://127.0.0.1/"), route: nil, NoRedactor())
        let cause = Cause()

        var copy = original
        copy.reason = .http
        copy.message = "second"
        copy.domain = .http
        copy.field = "g"
        copy.httpStatus = 503
        copy.transportCode = 28
        copy.isRetryable = true
        copy.statedRetryable = false
        copy.apiCode = "busy"
        copy.apiMessage = "later"
        copy.details = [Failure.Detail(path: "name", message: "is empty")]
        copy.response = response
        copy.request = request
        copy.outboxID = 7
        copy.isOfBatchCall = true
        copy.attempts = [CallAttempt(reason: .first, tookMicroseconds: 9)]
        copy.cause = cause

        XCTAssertEqual(
            description(copy),
            "http second http g 503 28 true false busy later name 7 true false 9")
        copy.isOfProgram = true
        XCTAssertEqual(
            description(copy),
            "http second http g 503 28 true false busy later name 7 true true 9")
        XCTAssertIdentical(copy.response, response)
        XCTAssertIdentical(copy.request, request)
        XCTAssertIdentical(copy.cause, cause)
        XCTAssertEqual(description(original), before)
        XCTAssertNil(original.response)
        XCTAssertNil(original.request)
        XCTAssertNil(original.cause)
    }

    func testControlCharactersOfAMessageAreEscapedWheneverItIsSet() {
        var failure = Failure(.http, "a\nb")
        XCTAssertEqual(failure.message, #"a\nb"#)
        failure.message += "\u{1B}[31m"
        XCTAssertEqual(failure.message, #"a\nb\u001b[31m"#)
    }
}
