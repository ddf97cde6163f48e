import LoopbackServer
import Restway
import XCTest

/// Operations, and each of their steps replaced.
final class OperationTests: DemoTestCase {
    private struct Enterprise: Decodable, Equatable, Sendable {
        let itemID: Int
    }

    private struct Refusal: Error, Equatable {
        let text: String
    }

    /// What middleware was told, in its order.
    private actor Told {
        var statuses: [Int] = []
        var kinds: [RestwayError.Kind] = []

        func add(_ result: Result<Response, RestwayError>) {
            switch result {
            case .success(let response): statuses.append(response.status)
            case .failure(let error): kinds.append(error.kind)
            }
        }
    }

    func testTheDefaultsSendAndDecode() async throws {
        let operation = try client().operation(
            Request(.get, "enterprises/3"), as: Enterprise.self)
        let enterprise = try await operation.execute()
        XCTAssertEqual(enterprise, Enterprise(itemID: 3))
    }

    func testARouteMakesAnOperation() async throws {
        let operation = try client().operation(Route("enterprises/3"), as: Enterprise.self)
        let enterprise = try await operation.execute()
        XCTAssertEqual(enterprise, Enterprise(itemID: 3))
    }

    func testMiddlewareHearsOfSuccessesAndFailures() async throws {
        let told = Told()
        var operation = try client().operation(
            Request(.get, "enterprises/3"), parser: .response)
        operation.middleware.append { request, result in await told.add(result) }
        _ = try await operation.execute()
        var failing = operation
        failing.request.target = "bad/status/404"
        let error = try await failure { () throws(RestwayError) in
            try await failing.execute()
        }
        XCTAssertEqual(error.httpStatus, 404)
        let (statuses, kinds) = (await told.statuses, await told.kinds)
        XCTAssertEqual(statuses, [200])
        XCTAssertEqual(kinds, [.http])
    }

    func testAValidatorAcceptsAStatusOrRefusesASuccess() async throws {
        let client = try client()
        var operation = client.operation(Request(.get, "bad/status/404"), parser: .response)
        operation.validator = .accepting(404, 410)
        let response = try await operation.execute()
        XCTAssertEqual(response.status, 404)

        operation.request.target = "bad/status/403"
        let other = try await failure { () throws(RestwayError) in try await operation.execute() }
        XCTAssertEqual(other.httpStatus, 403)

        operation.request.target = "status"
        operation.validator = .checking { _ in throw Refusal(text: "unsigned") }
        let refused = try await failure { () throws(RestwayError) in try await operation.execute() }
        XCTAssertEqual(refused.underlyingError as? Refusal, Refusal(text: "unsigned"))
    }

    func testTheParserIsNotCalledForARefusedAnswer() async throws {
        let operation = try client().operation(
            Request(.get, "bad/status/404"),
            parser: AnswerParser<Int> { _ in
                XCTFail("a refused answer was parsed")
                return 0
            })
        let error = try await failure { () throws(RestwayError) in try await operation.execute() }
        XCTAssertEqual(error.kind, .http)
    }

    func testAnotherSenderSendsTheRequest() async throws {
        let server = try TestServer { connection in
            while connection.readRequest() != nil { connection.answer("there") }
        }
        let request = Request(.get, "status/:part")
        var operation = try client().operation(request, parser: .text)
        operation.sender = try client(of: server).scope(["part": "disk"])
        let text = try await operation.execute()
        XCTAssertEqual(text, "there")
        XCTAssertEqual(server.requests.map(\.path), ["/v2/status/disk"])
    }

    func testEachMiddlewareIsAwaitedBeforeTheNextOne() async throws {
        let told = Told()
        var operation = try client().operation(Request(.get, "status"), parser: .nothing)
        operation.middleware.append { request, result in
            await Task.yield()
            await told.add(result)
        }
        operation.middleware.append { request, result in
            let statuses = await told.statuses
            XCTAssertEqual(statuses, [200])
            await told.add(result)
        }
        try await operation.execute()
        let statuses = await told.statuses
        XCTAssertEqual(statuses, [200, 200])
    }

    func testAnExecutorMayAnswerWithoutTheServer() async throws {
        let client = try client()
        let kept = try await client.get("enterprises/3")
        var operation = client.operation(Request(.get, "nowhere"), as: Enterprise.self)
        operation.executor = RequestExecutor { _, _ in kept }
        let enterprise = try await operation.execute()
        XCTAssertEqual(enterprise.itemID, 3)
        XCTAssertEqual(try client.metrics().startedCalls, 1)
    }

    func testParsersForTextAndNothing() async throws {
        let client = try client()
        let text = try await client.operation(Request(.get, "status"), parser: .text).execute()
        XCTAssertTrue(text.hasPrefix("{"), text)
        try await client.operation(Request(.get, "status"), parser: .nothing).execute()
    }

    func testErrorsAreMappedToErrorsOfTheProgram() async throws {
        let operation = try client().operation(
            Request(.get, "bad/status/409"), parser: .response)
        do throws(Refusal) {
            _ = try await operation.execute { error in Refusal(text: "\(error.httpStatus ?? 0)") }
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error, Refusal(text: "409"))
        }
    }
}
