import RestwayClient
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Documents, apis and clients for tests.
enum TestAPI {
    static let document = """
        {
          "restway": 1,
          "environment": "test",
          "environments": {
            "test": {"baseURL": "http://api.test/v2", "headers": {"X-Key": "secret"},
                     "trustedOrigins": ["http://friend.test"]},
            "parts": {"server": "http://parts.test:81", "path": "a", "version": "v1",
                      "timeoutMilliseconds": 1500}
          },
          "headers": {"Accept-Language": "it"},
          "entities": {
            "Company": {
              "identity": "itemID",
              "attributes": {
                "itemID": {"source": "id", "type": "int"},
                "name": "name",
                "city": {"source": "address.city", "type": "string"},
                "since": {"type": "date", "format": "yyyy-MM-dd"}
              }
            },
            "Note": {"attributes": {"text": {"type": "string"}}}
          },
          "routes": {
            "companies": {"path": "companies", "parameters": {"per_page": 50},
                          "response": {"entity": "Company", "keyPath": "list"}},
            "company": {"method": ["GET", "PUT", "DELETE"], "path": "companies/:itemID",
                        "entity": "Company", "response": {"entity": "Company"},
                        "x-note": {"a": 1}},
            "addCompany": {"method": "POST", "path": "companies", "entity": "Company",
                           "response": {"entity": "Company"}, "headers": {"X-Route": "add"}},
            "reviews": {"parent": "company", "path": "reviews/:reviewID"},
            "elsewhere": {"path": ":baseURL/status", "absolute": true}
          },
          "responses": [
            {"method": "GET", "path": "companies/:itemID/notes", "keyPath": "notes",
             "entity": "Note"}
          ],
          "requests": [
            {"method": "GET", "path": "companies", "parameters": {"sort": "name", "per_page": 10}}
          ],
          "errors": {"code": "error.code", "message": "error.text"}
        }
        """

    static func load(_ document: String = document) throws -> API {
        let bytes = Array(document.utf8)
        let result: Result<API, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try API(document: bytes) }
        }
        return try result.get()
    }

    /// Returns every problem of a document, as "path: message".
    static func problems(_ document: String) -> [String] {
        do {
            _ = try load(document)
            return []
        } catch {
            return (error as? Failure)?.details.map { "\($0.path): \($0.message)" } ?? ["\(error)"]
        }
    }
}

extension API {
    func add(route name: String?, _ json: String, replaces: Bool = false) throws {
        let bytes = Array(json.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try addRoute(name, bytes, replaces: replaces) }
        }
        try result.get()
    }

    func add(entity name: String, _ json: String) throws {
        let bytes = Array(json.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try addEntity(name, bytes) }
        }
        try result.get()
    }

    func add(response json: String) throws {
        let bytes = Array(json.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try addResponse(bytes) }
        }
        try result.get()
    }
}

extension RequestSpec {
    static func get(_ path: String) -> RequestSpec { RequestSpec(target: .path(.get, path)) }

    static func route(_ name: String, _ method: RestwayRouting.Method? = nil) -> RequestSpec {
        RequestSpec(target: .route(name, method))
    }
}

/// Returns the reason of the failure that `body` throws.
func failure(
    _ body: () throws -> Void, file: StaticString = #filePath, line: UInt = #line
) -> Failure? {
    do {
        try body()
        XCTFail("nothing was thrown", file: file, line: line)
        return nil
    } catch {
        guard let failure = error as? Failure else {
            XCTFail("not a Failure: \(error)", file: file, line: line)
            return nil
        }
        return failure
    }
}

/// Sets one function of the program; `nil` removes it.
extension Client {
    typealias Modifier = @Sendable (RequestSpec) -> Result<RequestSpec, Failure>

    func setModifier(_ modifier: Modifier?) throws {
        try calls.setFunctions { functions in
            functions.pipeline = Pipeline()
            guard let modifier else { return }
            _ = functions.pipeline.add(.modify, routes: []) { context in
                switch modifier(context.request.withLock { $0 }) {
                case .success(let spec):
                    context.request.withLock { $0 = spec }
                    return nil
                case .failure(let failure):
                    return failure
                }
            }
        }
    }

    func setExclusion(_ exclusion: BodyQuestions.Exclusion?) throws {
        try calls.setFunctions { $0.exclusion = exclusion }
    }

    func setFailureReader(_ reader: CallFunctions.FailureReader?) throws {
        try calls.setFunctions { $0.failureReader = reader }
    }

    func setAttemptObserver(_ observer: CallFunctions.AttemptObserver?) throws {
        try calls.setFunctions { $0.attemptObserver = observer }
    }
}
