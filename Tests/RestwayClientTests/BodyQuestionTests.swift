import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Functions of the program that are called while a body is written, always on a worker.
final class BodyQuestionTests: SubmissionTestCase {
    /// The calls of the functions, and their threads.
    private final class Notes: Sendable {
        private let state = Lock<(texts: [String], threads: Set<UInt>)>(([], []))

        func add(_ text: String) {
            state.withLock { state in
                state.texts.append(text)
                state.threads.insert(pthread_self())
            }
        }

        var texts: [String] { state.withLock { $0.texts } }
        var threads: Set<UInt> { state.withLock { $0.threads } }
    }

    private let notes = Notes()

    private func excludeEmployers() throws {
        try client.setExclusion { [notes] method, path, entity, relationship in
            notes.add("\(method.rawValue) \(path ?? "") \(entity.name).\(relationship.name)")
            return relationship.name == "employer"
        }
    }

    /// A company and the person who works for it; each refers to the other.
    private func circle() throws -> Draft {
        let (company, person) = (try draft("Company"), try draft("Person", ["key": .int64(1)]))
        try person.add(.draft(company), relationship: 0)
        try company.set([.draft(person)], relationship: 0)
        return company
    }

    private func elsewhere(_ draft: Draft) -> RequestSpec {
        RequestSpec(target: .path(.post, "elsewhere"), subject: .draft(draft, client.store))
    }

    private func sentBody(_ spec: RequestSpec) throws -> String? {
        let call = try client.send(spec)
        let exchange = transport.answer(204)
        _ = try call.wait(milliseconds: 0)
        guard case .bytes(let bytes) = exchange.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func testTheHostIsAskedOnAWorkerAboutEachRelationshipOfTheRealEntity() throws {
        try excludeEmployers()
        let spec = elsewhere(try circle())
        XCTAssertEqual(try sentBody(spec), #"{"staff":[{"key":1}]}"#)
        let questions = [
            "POST elsewhere Company.staff", "POST elsewhere Person.employer",
            "POST elsewhere Company.owner",
        ]
        XCTAssertEqual(notes.texts, questions, "once for each call")
        // "key" is a name of secrets, which a command shows only if `reveal` is set.
        let command = try client.curlCommand(spec, reveals: true)
        XCTAssertTrue(command.hasSuffix(#"'{"staff":[{"key":1}]}' 'http://api.test/v2/elsewhere'"#))
        XCTAssertEqual(notes.texts, questions + questions)
        XCTAssertFalse(notes.threads.contains(pthread_self()))
        try client.setExclusion(nil)
        XCTAssertEqual(
            try sentBody(spec), #"{"staff":[{"key":1}]}"#, "the circle ends at a new object")
    }

    func testInsideACallbackTheCommandOfABodyThatAsksWouldBlock() throws {
        let spec = elsewhere(try circle())
        func command() -> Result<String, Failure> {
            CallbackScope.run {
                Result { () throws(Failure) in try client.curlCommand(spec, reveals: false) }
            }
        }
        XCTAssertNoThrow(try command().get())
        try excludeEmployers()
        XCTAssertEqual(failure { _ = try command().get() }?.reason, .wouldBlock)
        XCTAssertEqual(notes.texts, [])
    }

    func testWhatTheSenderDidWrongIsSaidAtOnceAndTheRestByTheCall() throws {
        let company = try draft("Company")
        try company.add(.draft(try draft("Person")), relationship: 1)
        try client.setExclusion { _, _, _, _ in false }
        let spec = spec(.post, company)
        let call = try client.send(spec)
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .mapping)
        XCTAssertEqual(failure?.field, "owner")
        XCTAssertEqual(
            RestwayClientTests.failure {
                _ = try client.curlCommand(spec, reveals: false)
            }?.reason, .mapping)
        XCTAssertEqual(
            RestwayClientTests.failure { _ = try client.send(self.spec(.put, company)) }?.reason,
            .missingVariable)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACallKeepsTheExclusionOfItsTimeAndTheModifierIsAskedBefore() throws {
        try excludeEmployers()
        let client = try XCTUnwrap(client)
        try client.setModifier { [notes] spec in
            notes.add("modifier")
            try? client.setExclusion(nil)
            var spec = spec
            spec.parameters.append(Parameter(keys: ["added"], value: .integer(1)))
            return .success(spec)
        }
        XCTAssertEqual(
            try sentBody(elsewhere(try circle())), #"{"staff":[{"key":1}],"added":1}"#)
        XCTAssertEqual(notes.texts.first, "modifier")
        XCTAssertEqual(notes.texts.count, 4)
    }

    func testACallThatWasCancelledMeanwhileIsAskedNoFurtherAndNeverGoesOut() throws {
        // With a single worker the next job begins when the worker has finished with the call.
        try replaceClient { transport in
            try Client(
                api: try TestAPI.load(Self.document), options: ClientOptions(),
                transport: transport, pool: WorkerPool(threadsMax: 1))
        }
        let calls = Monitor<(call: Call?, count: Int)>((nil, 0))
        try client.setExclusion { _, _, _, _ in
            let call: Call? = calls.wait { $0.call }
            calls.withLock { $0.count += 1 }
            call?.cancel()
            return false
        }
        let call = try client.send(elsewhere(try circle()))
        calls.update { $0.call = call }
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .cancelled)
        let isThrough = Monitor(false)
        client.calls.pool.submit { isThrough.update { $0 = true } }
        _ = isThrough.wait { $0 ? true : nil }
        XCTAssertEqual(calls.withLock { $0.count }, 1)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testTransformsAreAskedOnAWorkerWhenABodyIsWritten() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {"Person": {"identity": "key",
                                     "attributes": {"key": {"transform": "t"}}}},
             "routes": {"people": {"method": "POST", "path": "people", "entity": "Person"}}}
            """)
        try api.addTransform(
            "t",
            CustomTransform(
                decode: nil,
                encode: { [notes] value throws(TransformError) in
                    notes.add("\(value)")
                    if value == .string("bad") { throw TransformError("no") }
                    return .string("out")
                }))
        try replaceClient { try Client(api: api, options: ClientOptions(), transport: $0) }
        XCTAssertEqual(
            try sentBody(spec(.post, try draft("Person", ["key": .int64(1)]))), #"{"key":"out"}"#)
        let call = try client.send(spec(.post, try draft("Person", ["key": .string("bad")])))
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.field, "key")
        XCTAssertEqual(notes.texts.count, 2)
        XCTAssertFalse(notes.threads.contains(pthread_self()))
    }
}
