import RestwayObjects
import XCTest

/// Tests for every store: each runs once with each kind of store.
class StoreTestCase: XCTestCase {
    enum Kind: CaseIterable {
        case memory
        case sqlite
        /// A store with a cache that is always too small.
        case uncachedSQLite
    }

    private(set) var kind = Kind.memory
    private var files: [StoreFile] = []

    /// An empty store for these entities, whose first object has key 1.
    func makeStore(_ entities: [Entity]) throws -> any ObjectStore {
        switch kind {
        case .memory: MemoryStore(keyBefore: 0)
        case .sqlite: try newFile().open(entities)
        case .uncachedSQLite: try newFile().open(entities) { $0.cachedObjectsMax = 1 }
        }
    }

    private func newFile() -> StoreFile {
        files.append(StoreFile())
        return files.last!
    }

    /// Whether a store returns the same snapshot again, not an equal one.
    var keepsSnapshots: Bool { kind != .uncachedSQLite }

    /// XCTest on Linux runs no inherited tests, and no test twice, so each test calls this.
    func withEachStore(_ body: () throws -> Void) throws {
        for kind in Kind.allCases {
            self.kind = kind
            defer {
                for file in files { file.remove() }
                files = []
            }
            try body()
        }
    }

    override func recordFailure(
        withDescription description: String, inFile file: String, atLine line: Int,
        expected: Bool
    ) {
        super.recordFailure(
            withDescription: "\(kind): \(description)", inFile: file, atLine: line,
            expected: expected)
    }
}
