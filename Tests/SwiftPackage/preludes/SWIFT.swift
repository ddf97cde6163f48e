import Restway

/// The view of a program.
func show(_ issues: [Object]) {}

/// The key of a program.
func readKey() throws -> String { "" }

/// A second client.
let fast: Client = try! Client(API(file: "search.json"))

struct NoVersion: Error {}

struct TrackerError: Error {
    init(_ error: RestwayError) {}
}

actor Statistics {
    func add(_ result: Result<Response, RestwayError>) {}
}

let statistics = Statistics()
