import Restway
import XCTest

/// The calls that docs/SWIFT-PIPELINE.md shows beside the calls of JNetworkingKit and
/// Badger.
final class ComingFromTests: DemoTestCase {
    private struct Enterprise: Decodable, Sendable {
        let itemID: Int
    }

    private struct AppError: Error, Equatable {
        let status: Int?
    }

    private enum Router: RouteType {
        case enterprise(Int)
        case missing

        var target: Target {
            switch self {
            case .enterprise(let id): "enterprises/\(id)"
            case .missing: "bad/status/404"
            }
        }

        var modifiers: [RequestModifier] { [.header("X-Trace", "7")] }
    }

    func testJNetworkingKit() async throws {
        let client = try client()
        let route = Route("enterprises/:id", variables: ["id": 3])
        let operation = client.operation(try Request(route), as: Enterprise.self)
        let enterprise = try await operation.execute()
        XCTAssertEqual(enterprise.itemID, 3)

        let joined = Route("enterprises") + Route("\(3)")
        XCTAssertEqual(
            try client.inspect(Request(joined)), try client.inspect(Request(.get, "enterprises/3")))
        XCTAssertNotEqual(
            try client.inspect(Request(joined)), try client.inspect(Request(.get, "enterprises/4")))

        var failing = try client.operation(Router.missing, as: Enterprise.self)
        failing.parser = AnswerParser { _ in
            XCTFail("a failed answer was parsed")
            return Enterprise(itemID: 0)
        }
        do throws(AppError) {
            _ = try await failing.execute { AppError(status: $0.httpStatus) }
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error, AppError(status: 404))
        }
    }

    func testBadger() async throws {
        let client = try client()
        let enterprise = try await client.send(Router.enterprise(4), as: Enterprise.self)
        XCTAssertEqual(enterprise.itemID, 4)
        XCTAssertEqual(
            try client.inspect(Request(Router.enterprise(4))).headers["X-Trace"], "7")
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Router.missing)
        }
        XCTAssertEqual(error.apiCode, "40499")
        XCTAssertNotNil(error.apiMessage)
        let bytes = try await client.get(.path(url() + "/status")).body
        XCTAssertFalse(bytes.isEmpty)
    }
}
