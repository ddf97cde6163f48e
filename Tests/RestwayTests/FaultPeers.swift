import Foundation
import Restway
import XCTest

/// The fault server, nginx and the servers for network settings of `Tests/Faults`, started once for
/// all tests.
final class FaultPeers: Sendable {
    static let shared = FaultPeers()

    /// The addresses and the faults; `nil` if the servers did not start.
    let servers: Servers?
    private let process: PeerProcess?

    private init() {
        process = PeerProcess("Tests/Faults/serve.py")
        servers = process?.line().flatMap {
            try? JSONDecoder().decode(Servers.self, from: Data($0.utf8))
        }
    }

    struct Servers: Decodable {
        /// The URL of the fault server.
        let url: String
        let faults: [Fault]
        let nginx: Nginx
        let network: Network
    }

    struct Nginx: Decodable {
        let url: String
        /// The same files over TLS, with HTTP/2.
        let secureURL: String
        /// The folder of the files that it serves.
        let files: String
        /// The folder for bodies that are PUT below `put/`.
        let put: String
        /// The file with the authority of its certificate.
        let authority: String
    }

    /// The servers for network settings. They say who connects (`X-Peer`, `X-Client`), and in which
    /// version of HTTP (`X-Protocol`).
    struct Network: Decodable {
        /// The port of HTTP/2 and HTTP/1.1 over TLS, for clients with a certificate.
        let securePort: Int
        /// HTTP/1.1 without TLS.
        let url: String
        /// HTTP/2 without TLS.
        let http2URL: String
        /// The path of a Unix-domain socket.
        let unixSocket: String
        /// The server of names: every name has the address 127.0.0.1.
        let dohURL: String
        /// The certificate of a client, and its key.
        let certificate, key: String
    }

    /// Lets the servers do something, and waits until it is done.
    func perform(
        _ command: String, file: StaticString = #filePath, line: UInt = #line
    ) async {
        let answer = await answer(to: command)
        XCTAssertEqual(answer, "done", command, file: file, line: line)
    }

    /// Asks the servers something.
    func answer(to command: String) async -> String {
        await process?.answer(to: command) ?? "the servers have ended"
    }
}

/// One way in which the fault server misbehaves, and the expected result.
struct Fault: Decodable {
    struct Outcome: Decodable {
        /// The name of the status in the C ABI.
        let status: String
        /// A pattern of the message.
        let says: String
        /// The codes that libcurl may give; 0 for an error of the library.
        let codes: Set<Int>
        let isRetryable: Bool
        let httpStatus: Int
        let body: Data?

        /// The kind of the error; `nil` for an answer.
        var kind: RestwayError.Kind? {
            get throws {
                switch status {
                case "OK": nil
                case "CONNECT": .connect
                case "CONNECTION_LOST": .connectionLost
                case "HTTP": .http
                case "INVALID_URL": .invalidURL
                case "PROTOCOL": .protocolViolation
                case "TIMEOUT": .timedOut
                case "TOO_LARGE": .tooLarge
                case "TOO_MANY_REDIRECTS": .tooManyRedirects
                default: throw Unknown(status: status)
                }
            }
        }
    }

    struct Unknown: Error { let status: String }

    let name: String
    let method: String
    let bodyBytes: Int?
    let seconds: Double
    /// Whether the fault is played on new connections, before a request.
    let isArmed: Bool
    let options: [String: Double]
    let outcome: Outcome

    /// The request that gets the fault. Its query must appear in no message.
    var request: Request {
        var request = Request(Method(rawValue: method), .path("\(name)?secret=1"))
        request.headers.omitted = ["Expect"]
        request.body = bodyBytes.map { .data(Data(count: $0), mediaType: "text/plain") }
        // Only where a time limit is expected to pass does it matter how long an exchange takes.
        let isLimited = outcome.status == "TIMEOUT"
        request.timeout = isLimited ? .milliseconds(Int(seconds * 1_000)) : .seconds(60)
        return request
    }

    /// Sets the options of a client that the fault is about.
    func apply(to options: inout Client.Options) throws {
        for (name, value) in self.options {
            switch name {
            case "idle_timeout": options.timeouts.idle = .milliseconds(Int(value * 1_000))
            case "first_byte_timeout":
                options.timeouts.firstByte = .milliseconds(Int(value * 1_000))
            case "body_bytes_max": options.limits.bodyBytes = Int(value)
            default: throw Unknown(status: name)
            }
        }
    }
}

/// Tests against the fault server and nginx.
class ServerTestCase: ClientTestCase {
    /// The JSON with which both servers repeat a good request.
    struct Echo: Decodable, Equatable {
        let method: String
        let target: String
        let bytes: Int
    }

    func servers() throws -> FaultPeers.Servers {
        try XCTUnwrap(FaultPeers.shared.servers, "the servers did not start (nginx, openssl)")
    }

    /// Makes a client that trusts the certificate of nginx, or only the system's authorities.
    func client(
        _ url: String, trusting isTrusting: Bool = true,
        _ change: (inout Client.Options) throws -> Void = { _ in }
    ) throws -> Client {
        var environment: [String: JSON] = ["baseURL": JSON(url)]
        if isTrusting { environment["tls"] = ["caFile": JSON(try servers().nginx.authority)] }
        var options = Client.Options()
        try change(&options)
        let document: JSON = ["restway": 1, "environments": ["here": .object(environment)]]
        return ending(try Client(API(document: document), options: options))
    }

    /// Checks that good requests succeed, one after the other and at the same time, each with its
    /// own answer.
    func expectHealth(
        of client: Client, _ about: String = "", file: StaticString = #filePath,
        line: UInt = #line
    ) async throws {
        for number in 0..<2 {
            let echo = try await Self.good(client, number)
            XCTAssertEqual(echo.target, "/good?n=\(number)", about, file: file, line: line)
        }
        try await withThrowingTaskGroup { group in
            for number in 2..<6 {
                group.addTask { (number, try await Self.good(client, number)) }
            }
            for try await (number, echo) in group {
                XCTAssertEqual(echo.target, "/good?n=\(number)", about, file: file, line: line)
            }
        }
    }

    /// Sends a request that is answered well.
    static func good(_ client: Client, _ number: Int) async throws(RestwayError) -> Echo {
        try await client.get("good", parameters: ["n": JSON(number)])
    }

    /// The result of a call.
    static func outcome<Value: Sendable>(
        _ body: () async throws(RestwayError) -> Value
    ) async -> Result<Value, RestwayError> {
        do throws(RestwayError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// Runs `body`, which must throw, and returns its error.
    func failure<Value: Sendable>(
        file: StaticString = #filePath, line: UInt = #line,
        _ body: () async throws(RestwayError) -> Value
    ) async throws -> RestwayError {
        switch await Self.outcome(body) {
        case .success(let value):
            XCTFail("expected an error, got \(value)", file: file, line: line)
            throw CancellationError()
        case .failure(let error): return error
        }
    }
}
