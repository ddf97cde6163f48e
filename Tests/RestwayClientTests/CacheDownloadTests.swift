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

/// Downloads and the response cache.
final class CacheDownloadTests: XCTestCase {
    private static let url = "http://api.test/v1/reports/7"
    private static let tag = HeaderField(name: "ETag", value: "\"v1\"")

    /// Keeps a file of the cache, and tells when it may be collected.
    private final class Keeper: Sendable {
        private let ended: @Sendable () -> Void
        init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
        deinit { ended() }
    }

    private let transport = FakeTransport()
    private let clock = ManualClock()
    private let cache = ScriptedCache()
    private let collected = Monitor(0)
    private var folder = ""
    private var path: String { folder + "/report.pdf" }
    private var keptPath: String { folder + "/.kept" }

    override func setUp() {
        var template = Array("/tmp/restway-kept-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func client(bodyBytesMax: Int = 256 << 20) throws -> Client {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
             "retry": {"attempts": 3, "baseMilliseconds": 100},
             "routes": {"saved": {"path": "reports/:id", "saveAsResource": true}}}
            """
        var options = ClientOptions()
        options.randomSeed = 1
        options.calls.bodyBytesMax = bodyBytesMax
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport, clock: clock,
            cache: cache)
        addTeardownBlock { client.close() }
        return client
    }

    private func spec(
        keepsPart: Bool = false, digest: Bool = false, bytesMax: Int64? = nil
    ) -> RequestSpec {
        var spec = RequestSpec(target: .path(.get, "reports/7"))
        spec.reception.bodyDestination = .file(
            SavePlan(path: path, keepsPart: keepsPart, computesDigest: digest))
        spec.reception.saveBytesMax = bytesMax
        return spec
    }

    /// Makes the cache answer with a body that is in memory or in a file.
    private func keep(
        _ text: String, inFile: Bool = true, status: Int = 200,
        headers: [HeaderField] = [CacheDownloadTests.tag], state: CacheNote.State = .hit
    ) {
        cache.set(
            .answer(kept(text, inFile: inFile, status: status, headers: headers, state: state)),
            for: "GET \(Self.url)")
    }

    private func kept(
        _ text: String, inFile: Bool = true, status: Int = 200,
        headers: [HeaderField] = [CacheDownloadTests.tag], state: CacheNote.State = .hit
    ) -> Answer {
        guard inFile else {
            return .kept(Self.url, text, status: status, headers: headers, state: state)
        }
        write(text, to: keptPath)
        let collected = collected
        let file = CachedBodyFile(
            path: keptPath, length: Int64(text.utf8.count),
            keeper: Keeper { collected.update { $0 += 1 } })
        return .kept(
            Self.url, "", status: status, headers: headers, state: state, file: file)
    }

    private func write(_ text: String, to path: String) {
        XCTAssertTrue(
            FileManager.default.createFile(atPath: path, contents: Data(text.utf8)), path)
    }

    /// The files besides the cache's own.
    private var files: [String] {
        let all = try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return (all ?? []).filter { $0 != ".kept" }
    }

    private func content() -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func failure(
        of call: Call, file: StaticString = #filePath, line: UInt = #line
    ) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    // MARK: Hits

    func testAHitIsSavedLikeADownload() throws {
        let client = try client()
        for inFile in [true, false] {
            write("old", to: path)
            keep("0123456789", inFile: inFile)
            let response = try client.perform(spec(digest: true), milliseconds: 0)
            XCTAssertEqual(content(), "0123456789")
            XCTAssertEqual(response.saved?.path, path)
            XCTAssertEqual(response.saved?.length, 10)
            XCTAssertEqual(response.saved?.resumedFrom, 0)
            XCTAssertEqual(response.saved?.digest, sha256("0123456789"))
            XCTAssertEqual(response.bodyCount, 0)
            XCTAssertEqual(response.cache.state, .hit)
            XCTAssertEqual(response.headers[first: "ETag"], "\"v1\"")
            XCTAssertEqual(files, ["report.pdf"])
        }
        XCTAssertEqual(transport.waitingCount, 0)
        // Nothing holds the cache's file any longer than the call.
        cache.set(nil, for: "GET \(Self.url)")
        collected.wait { $0 > 0 ? () : nil }
    }

    func testALargeHitIsWholeAndReportsItsProgress() throws {
        let client = try client()
        let text = String(repeating: "0123456789abcdef", count: 300_000)
        keep(text)
        let told = Monitor<[CallProgress]>([])
        var spec = spec(keepsPart: true)
        spec.reception.progress = ProgressRequest(intervalMilliseconds: 0) { _, progress in
            told.update { $0.append(progress) }
        }
        let ended = Monitor(false)
        _ = try client.send(spec) { _, _ in ended.update { $0 = true } }
        ended.wait { $0 ? () : nil }
        XCTAssertTrue(content() == text)
        XCTAssertEqual(files, ["report.pdf"])
        let all = told.withLock { $0 }
        XCTAssertEqual(all.last?.download.done, Int64(text.utf8.count))
        XCTAssertEqual(all.last?.fraction, 1)
        XCTAssertEqual(all.map(\.download.done), all.map(\.download.done).sorted())
    }

    func testAKeptFileIsReadIntoMemoryIfTheProgramWantsItThere() throws {
        let client = try client(bodyBytesMax: 10)
        let get = RequestSpec(target: .path(.get, "reports/7"))
        keep("0123456789")
        let response = try client.perform(get, milliseconds: 0)
        XCTAssertEqual(Array(response.bodyWithNUL.dropLast()), Array("0123456789".utf8))
        XCTAssertNil(response.saved)
        keep("0123456789a")
        XCTAssertEqual(failure(of: try client.send(get))?.reason, .tooLarge)
    }

    func testACodedAnswerIsKeptDecoded() throws {
        let client = try client()
        keep(
            "plain text",
            headers: [
                HeaderField(name: "Content-Encoding", value: "gzip"),
                HeaderField(name: "Content-Length", value: "4"),
            ])
        let response = try client.perform(spec(), milliseconds: 0)
        XCTAssertEqual(content(), "plain text")
        XCTAssertEqual(response.headers[first: "Content-Encoding"], "gzip")
    }

    func testAKeptFailureDoesNotTouchTheFile() throws {
        let client = try client()
        write("old", to: path)
        keep("not there", inFile: false, status: 404)
        XCTAssertEqual(failure(of: try client.send(spec()))?.httpStatus, 404)
        XCTAssertEqual(content(), "old")
    }

    func testATemporaryFileAndADescriptorTakeAHit() throws {
        let client = try client()
        keep("0123456789")
        var route = RequestSpec(target: .route("saved", nil))
        route.variables["id"] = .value(.string("7"))
        do {
            let response = try client.perform(route, milliseconds: 0)
            let saved = try XCTUnwrap(response.saved?.path)
            XCTAssertEqual(
                FileManager.default.contents(atPath: saved), Data("0123456789".utf8))
        }
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        var spec = spec()
        spec.reception.bodyDestination = .descriptor(
            try SaveDescriptor(duplicating: descriptor))
        XCTAssertEqual(try client.perform(spec, milliseconds: 0).saved?.length, 10)
        XCTAssertEqual(content(), "0123456789")
    }

    func testAReceiverThatPausesGetsTheRestWhenItIsResumed() throws {
        let client = try client()
        let text = String(repeating: "0123456789abcdef", count: 100_000)
        keep(text)
        let state = Monitor<(bytes: [UInt8], pauses: Int)>(([], 0))
        var spec = spec()
        spec.reception.bodyDestination = .receiver(
            BodyReceiver(receiveHead: nil) { bytes in
                state.update { state in
                    state.bytes += bytes
                    state.pauses += 1
                }
                return .success(.pause)
            })
        let call = try client.send(spec)
        var seen = (count: 0, pauses: 0)
        repeat {
            let before = seen.pauses
            let next = state.wait { $0.pauses > before ? ($0.bytes.count, $0.pauses) : nil }
            seen = try XCTUnwrap(next)
            call.resume()
        } while seen.count < text.utf8.count
        XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, Int64(text.utf8.count))
        XCTAssertTrue(state.withLock { $0.bytes == Array(text.utf8) })
    }

    // MARK: Failures

    func testACancelInTheMiddleLeavesNothing() throws {
        let client = try client()
        keep(String(repeating: "0123456789abcdef", count: 300_000))
        let isInside = Monitor(false)
        var spec = spec()
        // The receiver holds the body until the call has been cancelled.
        spec.reception.bodyDestination = .receiver(
            BodyReceiver(receiveHead: nil) { _ in
                isInside.update { $0 = true }
                return .success(.pause)
            })
        let call = try client.send(spec)
        isInside.wait { $0 ? () : nil }
        call.cancel()
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        cache.set(nil, for: "GET \(Self.url)")
        collected.wait { $0 > 0 ? () : nil }
    }

    func testTheTimeLimitEndsAHitThatIsHeldUp() throws {
        let client = try client()
        keep("0123456789")
        let isInside = Monitor(false)
        var spec = spec()
        spec.timeouts.totalMilliseconds = 1_000
        spec.reception.bodyDestination = .receiver(
            BodyReceiver(receiveHead: nil) { _ in
                isInside.update { $0 = true }
                return .success(.pause)
            })
        let call = try client.send(spec)
        isInside.wait { $0 ? () : nil }
        clock.advance(milliseconds: 1_001)
        XCTAssertEqual(failure(of: call)?.reason, .timedOut)
    }

    func testAFullDiskIsAnErrorAndLeavesNoPart() throws {
        let client = try client()
        keep("more than fits")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        signal(SIGXFSZ, SIG_IGN)
        var small = limit
        small.rlim_cur = 4
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
        defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
        let failure = failure(of: try client.send(spec()))
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertTrue(failure?.message.contains(path) ?? false, failure?.message ?? "")
        XCTAssertEqual(files, [])
    }

    func testTheSizeLimitHoldsForAHit() throws {
        let client = try client()
        keep("0123456789")
        XCTAssertEqual(failure(of: try client.send(spec(bytesMax: 9)))?.reason, .tooLarge)
        XCTAssertEqual(files, [])
        XCTAssertEqual(try client.perform(spec(bytesMax: 10), milliseconds: 0).saved?.length, 10)
    }

    func testAKeptFileThatIsLostLetsTheServerAnswer() throws {
        let client = try client()
        for damage in ["gone", "shorter"] {
            keep("0123456789")
            if damage == "gone" { unlink(keptPath) } else { write("0123", to: keptPath) }
            let call = try client.send(spec())
            transport.answer(200, "new")
            XCTAssertEqual(try call.wait(milliseconds: 0).saved?.length, 3)
            XCTAssertEqual(content(), "new")
            var only = spec()
            only.reception.caching.mode = .only
            XCTAssertEqual(try client.perform(only, milliseconds: 0).cache.state, .missing)
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    // MARK: Keeping

    func testTheCacheGetsTheFileOfADownload() throws {
        let client = try client()
        let call = try client.send(spec())
        transport.answer(200, "0123456789", headers: [Self.tag])
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(cache.learned.map(\.what), ["answered 200 \(Self.url) 0123456789"])
        XCTAssertNil(response.saved?.content?.number, "the descriptor is given back")
        // What the program receives itself is out of reach.
        var streamed = spec()
        streamed.reception.bodyDestination = .receiver(
            BodyReceiver(receiveHead: nil) { _ in .success(.proceed) })
        let second = try client.send(streamed)
        transport.answer(200, "0123456789")
        XCTAssertNil(try second.wait(milliseconds: 0).saved?.content)
        XCTAssertEqual(cache.learned.last?.what, "answered 200 \(Self.url)")
    }

    func testAResumedDownloadIsKeptAsAWhole() throws {
        let client = try client()
        let call = try client.send(spec())
        let first = transport.begin(200, [Self.tag])
        _ = Array("0123".utf8).withUnsafeBytes { first.observer.receivedBody($0) }
        first.fail(.connectionLost)
        while transport.waitingCount == 0 {
            clock.advance(milliseconds: 100)
            sched_yield()
        }
        let range = HeaderField(name: "Content-Range", value: "bytes 4-9/10")
        let second = transport.answer(206, "456789", headers: [range, Self.tag])
        XCTAssertEqual(Headers(second.headers)[first: "Range"], "bytes=4-")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(cache.learned.map(\.what), ["answered 200 \(Self.url) 0123456789"])
        XCTAssertEqual(response.status, 206)
        XCTAssertEqual(response.headers[first: "Content-Range"], "bytes 4-9/10")
        XCTAssertEqual(response.saved?.resumedFrom, 4)
        XCTAssertEqual(content(), "0123456789")
    }

    func testARangeOfTheProgramIsNoWholeBody() throws {
        let client = try client()
        var spec = spec()
        spec.headers = [("Range", "bytes=4-9")]
        let call = try client.send(spec)
        let range = HeaderField(name: "Content-Range", value: "bytes 4-9/10")
        transport.answer(206, "456789", headers: [range])
        XCTAssertNil(try call.wait(milliseconds: 0).saved?.content)
        XCTAssertEqual(cache.learned.map(\.what), ["answered 206 \(Self.url)"])
    }

    func testA304SavesTheKeptFile() throws {
        let client = try client()
        let condition = HeaderField(name: "If-None-Match", value: "\"v1\"")
        let kept = kept("0123456789", state: .validated)
        cache.set(
            .send(ScriptedTicket(cache, conditions: [condition], kept: kept)),
            for: "GET \(Self.url)")
        var call = try client.send(spec())
        let exchange = transport.answer(304)
        XCTAssertEqual(Headers(exchange.headers)[first: "If-None-Match"], "\"v1\"")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.cache.state, .validated)
        XCTAssertEqual(response.saved?.length, 10)
        XCTAssertEqual(content(), "0123456789")
        // If the file is lost, the request goes out again without a condition.
        unlink(keptPath)
        call = try client.send(spec())
        transport.answer(304)
        let again = transport.answer(200, "new")
        XCTAssertNil(Headers(again.headers)[first: "If-None-Match"])
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(content(), "new")
    }

    func testA304ForAKeptErrorShowsTheProgramTheKeptBody() throws {
        let client = try client()
        let read = Lock<[String]>([])
        let type = HeaderField(name: "Content-Type", value: "text/plain")
        let kept = kept(
            "There is no report 7", status: 404, headers: [Self.tag, type], state: .validated)
        cache.set(
            .send(ScriptedTicket(cache, kept: kept, standsIn: false)), for: "GET \(Self.url)")
        for asksProgram in [false, true] {
            if asksProgram {
                try client.calls.setFunctions { functions in
                    functions.failureReader = { failure in
                        read.withLock { $0.append(failure.message) }
                        return failure
                    }
                }
            }
            let call = try client.send(RequestSpec(target: .path(.get, "reports/7")))
            transport.answer(304)
            let message = try XCTUnwrap(failure(of: call)?.message)
            XCTAssertTrue(message.hasSuffix(": There is no report 7"), message)
        }
        XCTAssertEqual(read.withLock { $0.count }, 1)
    }

    func testAKeptFileStandsInForAFailure() throws {
        let client = try client()
        let kept = kept("0123456789", state: .stale)
        cache.set(.send(ScriptedTicket(cache, kept: kept)), for: "GET \(Self.url)")
        let call = try client.send(spec())
        transport.next().fail(.tls)
        XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .stale)
        XCTAssertEqual(content(), "0123456789")
        XCTAssertEqual(files, ["report.pdf"])
    }

    func testARefreshInTheBackgroundDoesNotTouchTheProgramsFile() throws {
        let client = try client()
        cache.set(
            .staleAnswer(kept("old one", state: .stale), refresh: ScriptedTicket(cache)),
            for: "GET \(Self.url)")
        _ = try client.perform(spec(), milliseconds: 0)
        transport.answer(200, "new one")
        XCTAssertEqual(
            cache.waitForLearned(1).map(\.what), ["answered 200 \(Self.url) new one"])
        XCTAssertEqual(content(), "old one")
        XCTAssertEqual(files, ["report.pdf"])
    }

    func testARefreshOfADownloadIsNotSharedWithACallInMemory() throws {
        let client = try client()
        let cache = cache
        cache.set(
            .staleAnswer(
                kept("old one", state: .stale),
                refresh: ScriptedTicket(cache, flightKey: Self.url, isShareable: true)),
            for: "GET \(Self.url)")
        _ = try client.perform(spec(), milliseconds: 0)
        _ = try client.perform(spec(), milliseconds: 0)
        let refresh = transport.next()
        XCTAssertEqual(transport.waitingCount, 0, "one refresh at a time")
        cache.set(
            .send(ScriptedTicket(cache, flightKey: Self.url, isShareable: true)),
            for: "GET \(Self.url)")
        let call = try client.send(RequestSpec(target: .path(.get, "reports/7")))
        transport.answer(200, "new one")
        XCTAssertEqual(try call.wait(milliseconds: 0).bodyCount, 7)
        refresh.answer(200, "new one")
        XCTAssertEqual(cache.waitForLearned(2).count, 2)
    }

    func testDownloadsShareNoExchange() throws {
        let client = try client()
        cache.setForAll { ScriptedTicket($0, flightKey: $1, isShareable: true) }
        let first = try client.send(spec())
        let other = try client.send(RequestSpec(target: .path(.get, "reports/7")))
        transport.answer(200, "0123456789")
        transport.answer(200, "0123456789")
        XCTAssertEqual(try first.wait(milliseconds: 0).saved?.length, 10)
        XCTAssertEqual(try other.wait(milliseconds: 0).bodyCount, 10)
    }
}

/// The SHA-256 digest of `text` in hexadecimal digits.
private func sha256(_ text: String) -> String? {
    let digest = DigestComputation(.sha256)
    Array(text.utf8).withUnsafeBytes { digest?.add($0) }
    return digest?.finishAsText()
}
