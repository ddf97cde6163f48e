import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// Loads documents for tests.
enum TestAPI {
    static func load(_ document: String) throws -> API {
        let bytes = Array(document.utf8)
        let result: Result<API, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try API(document: bytes) }
        }
        return try result.get()
    }

    /// Every problem of a document, as "path: message".
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
}

/// The reason of the failure that `body` throws.
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
