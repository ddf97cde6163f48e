import Foundation
import RestwayHTTP
import RestwayText
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests how the body of an answer is saved in a file, with a transport that the test controls.
final class DownloadTests: AuthTestCase {
    private static let policy = #"{"attempts": 3, "baseMilliseconds": 100}"#
    private static let tag = HeaderField(name: "ETag", value: "\"v1\"")

    private var folder = ""
    private var path: String { folder + "/report.pdf" }

    override func setUp() {
        super.setUp()
        var template = Array("/tmp/restway-download-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        chmod(folder, 0o700)
        try? FileManager.default.removeItem(atPath: folder)
        super.tearDown()
    }

    // MARK: Steps

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    }

    private func content(_ suffix: String = "") -> String? {
        FileManager.default.contents(atPath: path + suffix).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func write(_ text: String, to path: String) {
        XCTAssertTrue(
            FileManager.default.createFile(atPath: path, contents: Data(text.utf8)), path)
    }

    private func mode() -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func spec(keepsPart: Bool = false, digest: Bool = false) -> RequestSpec {
        var spec = RequestSpec.get("things")
        spec.reception.bodyDestination = .file(
            SavePlan(path: path, keepsPart: keepsPart, computesDigest: digest))
        return spec
    }

    private func header(_ name: String, _ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: name]
    }

    /// Sends the head and a part of the body, and then fails.
    private func breakOff(
        _ status: Int = 200, after body: String, headers: [HeaderField] = [tag]
    ) -> Exchange {
        let started = transport.begin(status, headers)
        _ = Array(body.utf8).withUnsafeBytes { started.observer.receivedBody($0) }
        started.fail(.connectionLost)
        return started.exchange
    }

    private func range(_ text: String) -> [HeaderField] {
        [HeaderField(name: "Content-Range", value: text), Self.tag]
    }

    // MARK: Whole bodies

    func testABodyIsSavedWithItsLengthAndDigestAndIsNotMapped() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec(digest: true))
        let exchange = transport.answer(200, #"[{"id": 1}]"#)
        XCTAssertNil(header("Range", exchange))
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(content(), #"[{"id": 1}]"#)
        XCTAssertEqual(files, ["report.pdf"])
        let saved = try XCTUnwrap(response.saved)
        XCTAssertEqual(saved.path, path)
        XCTAssertEqual(saved.length, 11)
        XCTAssertEqual(saved.resumedFrom, 0)
        XCTAssertEqual(saved.digest, sha256(#"[{"id": 1}]"#))
        XCTAssertEqual(response.bodyCount, 0)
        XCTAssertFalse(response.isMapped)
    }

    func testTheFileReplacesAnotherAndGetsTheUsualPermissions() throws {
        write("old", to: path)
        let usual = mode()
        chmod(path, 0o600)
        let client = try client(auth: "{}")
        let call = try client.send(spec())
        transport.answer(200, "new")
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(content(), "new")
        XCTAssertEqual(mode(), usual)
    }

    func testAnEmptyBodyIsAnEmptyFile() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec())
        transport.answer(204)
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 0)
        XCTAssertEqual(content(), "")
    }

    func testTheBodyOfAnErrorIsReadIntoMemoryAndNeverSaved() throws {
        write("old", to: path)
        let client = try client(auth: "{}")
        let call = try client.send(spec())
        transport.answer(404, #"{"error": {"code": "gone"}}"#)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.httpStatus, 404)
        XCTAssertGreaterThan(failure?.response?.bodyCount ?? 0, 0)
        XCTAssertNil(failure?.response?.saved)
        XCTAssertEqual(files, ["report.pdf"])
        XCTAssertEqual(content(), "old")
    }

    func testACodedBodyIsDecodedAndItsDamageLeavesNothing() throws {
        let client = try client(auth: "{}")
        let gzip = [HeaderField(name: "Content-Encoding", value: "gzip")]
        let call = try client.send(spec())
        transport.answer(200, "no gzip at all", headers: gzip)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .protocolViolation)
        XCTAssertEqual(files, [])
    }

    // MARK: Failures

    func testACancelLeavesNothing() throws {
        let client = try client(auth: "{}")
        let call = try client.send(spec())
        let started = transport.begin()
        _ = Array("half".utf8).withUnsafeBytes { started.observer.receivedBody($0) }
        call.cancel()
        started.fail(.cancelled)
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertEqual(files, [])
    }

    func testAPlaceThatCannotBeWrittenIsNamedBeforeAnythingIsSent() throws {
        let client = try client(auth: "{}")
        var spec = spec()
        for (wrong, why) in [
            (folder + "/none/report.pdf", "No such file"), (folder, "Is a directory"),
            (folder + "/", "does not name a file"), (folder + "/..", "does not name a file"),
        ] {
            spec.reception.bodyDestination = .file(SavePlan(path: wrong))
            let failure = failure(of: try client.send(spec))
            XCTAssertEqual(failure?.reason, .io)
            XCTAssertEqual(failure?.field, wrong)
            XCTAssertTrue(failure?.message.contains(why) ?? false, failure?.message ?? "")
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAFullDiskEndsTheExchangeAndNamesThePath() throws {
        let client = try client(auth: "{}")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        signal(SIGXFSZ, SIG_IGN)
        var small = limit
        small.rlim_cur = 4
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
        let call = try client.send(spec())
        let started = transport.begin()
        _ = Array("more than fits".utf8).withUnsafeBytes { started.observer.receivedBody($0) }
        transport.waitForCancels()
        started.fail(.cancelled)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertTrue(failure?.message.contains(path) ?? false)
        XCTAssertEqual(files, [])
    }

    // MARK: Going on within a call

    func testARetryGoesOnFromTheBytesThatAreThere() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(spec(digest: true))
        _ = breakOff(after: "0123")
        _ = advanceToNext()
        let second = transport.answer(206, "456789", headers: range("bytes 4-9/10"))
        XCTAssertEqual(header("Range", second), "bytes=4-")
        XCTAssertEqual(header("If-Range", second), "\"v1\"")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(content(), "0123456789")
        XCTAssertEqual(response.saved?.resumedFrom, 4)
        XCTAssertEqual(response.saved?.length, 10)
        XCTAssertEqual(response.saved?.digest, sha256("0123456789"))
        XCTAssertEqual(files, ["report.pdf"])
    }

    func testABodyThatHasChangedComesWhole() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(spec())
        _ = breakOff(after: "0123")
        _ = advanceToNext()
        transport.answer(200, "abc", headers: [HeaderField(name: "ETag", value: "\"v2\"")])
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(content(), "abc")
        XCTAssertEqual(response.saved?.resumedFrom, 0)
    }

    func testARangeThatDoesNotFitIsAskedForAgainAsAWhole() throws {
        for (status, headers) in [
            (206, range("bytes 3-9/10")), (206, range("bytes 4-9/11")), (206, []),
            (416, [HeaderField(name: "Content-Range", value: "bytes */2")]),
            (200, range("bytes 4-9/10")),
        ] {
            let client = try client(auth: "{}", retry: Self.policy)
            let call = try client.send(spec())
            _ = breakOff(after: "0123")
            _ = advanceToNext()
            transport.answer(status, "456789", headers: headers)
            let third = transport.answer(200, "whole", headers: [Self.tag])
            XCTAssertNil(header("Range", third))
            XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 5)
            XCTAssertEqual(content(), "whole")
        }
    }

    func testADamagedBodyNamesItsAnswerWhereverItGoes() throws {
        let client = try client(auth: "{}")
        let coded = [HeaderField(name: "Content-Encoding", value: "gzip")]
        // The first byte of gzip, and bytes that are not gzip.
        for (body, reason) in [
            ("\u{1f}", Failure.Reason.connectionLost), ("no", .protocolViolation),
        ] {
            for request in [spec(), RequestSpec.get("things")] {
                let call = try client.send(request)
                transport.answer(200, body, headers: coded)
                let failure = failure(of: call)
                XCTAssertEqual(failure?.reason, reason)
                XCTAssertEqual(failure?.httpStatus, 200)
                XCTAssertEqual(failure?.response?.headers[first: "Content-Encoding"], "gzip")
                XCTAssertEqual(failure?.isRetryable, reason == .connectionLost)
            }
        }
        XCTAssertEqual(files, [])
    }

    func testAPartThatNobodyAskedForIsNotTheFile() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        var call = try client.send(spec())
        transport.answer(206, "456789", headers: range("bytes 4-9/10"))
        XCTAssertEqual(failure(of: call)?.reason, .protocolViolation)
        XCTAssertEqual(files, [])

        call = try client.send(spec())
        _ = breakOff(after: "0123")
        _ = advanceToNext()
        transport.answer(206, "56789", headers: range("bytes 5-9/10"))
        transport.answer(206, "56789", headers: range("bytes 5-9/10"))
        XCTAssertEqual(failure(of: call)?.reason, .protocolViolation)
        XCTAssertEqual(files, [])
    }

    func testWithoutAStrongValidatorARetryBeginsAnew() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(spec())
        _ = breakOff(after: "0123", headers: [HeaderField(name: "ETag", value: "W/\"v1\"")])
        _ = advanceToNext()
        let second = transport.answer(200, "whole")
        XCTAssertNil(header("Range", second))
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 5)
        XCTAssertEqual(content(), "whole")
    }

    // MARK: Going on in a later call

    func testAPartStaysAndALaterClientGoesOn() throws {
        let first = try client(auth: "{}")
        var call = try first.send(spec(keepsPart: true))
        _ = breakOff(after: "0123")
        XCTAssertEqual(failure(of: call)?.reason, .connectionLost)
        XCTAssertEqual(files, ["report.pdf.part", "report.pdf.part.info"])
        XCTAssertEqual(content(".part"), "0123")
        XCTAssertFalse(content(".part.info")?.contains("things") ?? true, "a URL may hold secrets")

        let later = try client(auth: "{}")
        call = try later.send(spec(keepsPart: true))
        let exchange = transport.answer(206, "456789", headers: range("bytes 4-9/10"))
        XCTAssertEqual(header("Range", exchange), "bytes=4-")
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.resumedFrom, 4)
        XCTAssertEqual(content(), "0123456789")
        XCTAssertEqual(files, ["report.pdf"])
    }

    func testAPartOfAnotherURLAndADamagedDescriptionAreNotContinued() throws {
        for damage in ["url", "description"] {
            let client = try client(auth: "{}")
            let first = try client.send(spec(keepsPart: true))
            _ = breakOff(after: "0123")
            XCTAssertEqual(failure(of: first)?.reason, .connectionLost)
            var again = spec(keepsPart: true)
            if damage == "url" {
                again.target = .path(.get, "things?other=1")
            } else {
                write("restway part 1\n", to: path + ".part.info")
            }
            let call = try client.send(again)
            let exchange = transport.answer(200, "whole")
            XCTAssertNil(header("Range", exchange), damage)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(content(), "whole")
            XCTAssertEqual(files, ["report.pdf"])
        }
    }

    func testTwoDownloadsDoNotWriteTheSamePart() throws {
        let client = try client(auth: "{}")
        let first = try client.send(spec(keepsPart: true))
        let started = transport.next()
        let second = failure(of: try client.send(spec(keepsPart: true)))
        XCTAssertEqual(second?.reason, .io)
        XCTAssertEqual(second?.field, path + ".part")
        started.answer(200, "whole")
        XCTAssertEqual(try first.wait(milliseconds: 0).saved?.length, 5)
        XCTAssertEqual(files, ["report.pdf"])
    }

    func testAnErrorLeavesAPartForLater() throws {
        let client = try client(auth: "{}")
        var call = try client.send(spec(keepsPart: true))
        _ = breakOff(after: "0123")
        _ = failure(of: call)
        call = try client.send(spec(keepsPart: true))
        transport.answer(503)
        XCTAssertEqual(failure(of: call)?.httpStatus, 503)
        XCTAssertEqual(content(".part"), "0123")
    }
}

/// The SHA-256 digest of `text` in hexadecimal digits.
private func sha256(_ text: String) -> String? {
    let digest = DigestComputation(.sha256)
    Array(text.utf8).withUnsafeBytes { digest?.add($0) }
    return digest?.finishAsText()
}
