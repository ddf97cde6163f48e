import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// Tests of a store in a file that they can close, inspect and open again.
class SQLiteTestCase: XCTestCase {
    private(set) lazy var file: StoreFile = {
        let file = StoreFile()
        addTeardownBlock { file.remove() }
        return file
    }()

    /// An entity with one attribute of each type, behind the identity.
    let all = Entity(
        name: "All", index: 0,
        attributes: [Attribute(name: "id")]
            + AttributeType.allCases.map { Attribute(name: $0.rawValue, type: $0) },
        identityIndex: 0)

    func commit(_ store: SQLiteStore, _ rows: Snapshot...) throws {
        _ = try store.commit(ChangeSet(rows: rows))
    }

    /// Returns the error of a commit of one row.
    func refusal(_ store: SQLiteStore, _ row: Snapshot) -> StoreError? {
        do {
            _ = try store.commit(ChangeSet(rows: [row]))
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error of opening.
    func refusal(
        _ entities: [Entity], _ change: (inout SQLiteStore.Options) -> Void = { _ in }
    ) -> StoreError? {
        do {
            _ = try file.open(entities, change)
            return nil
        } catch {
            return error as? StoreError
        }
    }
}
