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

/// The entity that these tests store.
enum Companies {
    static func entity(identity: Int? = 0, index: Int = 0) -> Entity {
        Entity(
            name: index == 0 ? "Company" : "Company\(index)", index: index,
            attributes: [
                Attribute(name: "id"), Attribute(name: "name", type: .string),
                Attribute(name: "rating", type: .double), Attribute(name: "tags", type: .json),
            ],
            identityIndex: identity)
    }

    static func row(_ entity: Entity, _ values: Value...) -> Snapshot {
        Snapshot.make(entity, values)
    }
}

extension Snapshot {
    var values: [Value] { (0..<cellCount).map(value(at:)) }
}
