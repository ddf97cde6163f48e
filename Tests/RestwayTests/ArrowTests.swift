import CRestway
import Foundation
import LoopbackServer
import XCTest

@testable import Restway

/// Objects as tables, read as a consumer of the Arrow C Stream Interface reads them.
final class ArrowTests: ClientTestCase {
    private struct Person: Mapped {
        static let entity = "Person"
        static var names: [PartialKeyPath<Person>: String] { [\.id: "id", \.name: "name"] }

        let id: Int
        let name: String?
    }

    /// A text, because the columns have the order of the document, which a literal does not keep.
    private static let document = """
        {
         "restway": 1,
         "entities": {
          "Company": {
           "identity": "id", "attributes": {"id": {"type": "int"}, "title": "title"}
          },
          "Person": {
           "identity": "id",
           "attributes": {
            "id": {"type": "int"}, "name": {"type": "string"}, "rating": {"type": "double"},
            "born": {"type": "date"}
           },
           "relationships": {
            "company": {"entity": "Company"},
            "friends": {"entity": "Person", "many": true, "byIdentity": true},
            "rival": {"entity": "Person", "byIdentity": true}
           }
          }
         },
         "routes": {
          "people": {
           "path": "people", "response": {"entity": "Person", "keyPath": "items"},
           "pages": {"next": "link"}
          },
          "both": {"path": "both"}
         },
         "responses": [
          {"path": "both", "entity": "Person", "keyPath": "people"},
          {"path": "both", "entity": "Company", "keyPath": "companies"}
         ]
        }
        """

    private static let people = """
        {"items": [
         {"id": 1, "name": "Zoë", "rating": 0.5, "born": "1970-01-01T00:00:01Z", "friends": [2, 3],
          "company": {"id": 9, "title": "Octo"}},
         {"id": 2, "name": null, "friends": []},
         {"id": 9007199254740993, "name": "c", "rating": 3}]}
        """

    private static let both = #"{"people": [{"id": 5}], "companies": [{"id": 6}, {"id": 7}]}"#

    /// A server that gives the people, and on their second page one more person.
    private func server() throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() {
                let type = "Content-Type: application/json"
                if request.path.contains("page=2") {
                    connection.answer(#"{"items": [{"id": 4, "name": "d"}]}"#, headers: [type])
                } else {
                    connection.answer(
                        request.path.hasSuffix("both") ? Self.both : Self.people,
                        headers: [type, "Link: <people?page=2>; rel=\"next\""])
                }
            }
        }
    }

    private func client(
        _ server: TestServer, _ change: (inout Client.Options) throws -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options(baseURL: server.url("/v2"))
        try change(&options)
        return try ending(Client(API(json: Self.document), options: options))
    }

    // MARK: Responses

    func testAResponseHasAColumnForEachAttribute() async throws {
        let server = try server()
        let response = try await client(server).get(.route("people"))
        let table = try ArrowTable { try response.exportArrowStream(to: $0) }
        XCTAssertEqual(table.fields, ["id:l", "name:u", "rating:g", "born:tsu:UTC"])
        XCTAssertEqual(table.rowCount, 3)
        XCTAssertEqual(table["id"].values(Int64.self), [1, 2, 9_007_199_254_740_993])
        XCTAssertEqual(table["name"].texts, ["Zoë", nil, "c"])
        XCTAssertEqual(table["rating"].values(Double.self), [0.5, nil, 3])
        XCTAssertEqual(table["born"].values(Int64.self), [1_000_000, nil, nil])
    }

    func testRelationshipsAreStructsAndListsOfStructs() async throws {
        let server = try server()
        let response = try await client(server).get(.route("people"))
        let table = try ArrowTable { try response.exportArrowStream(to: $0, depth: 1) }
        XCTAssertEqual(
            table.fields,
            [
                "id:l", "name:u", "rating:g", "born:tsu:UTC", "company:+s", "friends:+l",
                "rival:+s",
            ])
        XCTAssertEqual(table["company"]["title"].texts, ["Octo", nil, nil])
        XCTAssertEqual(table["company"].isValid, [true, false, false])
        XCTAssertEqual(table["friends"].offsets, [0, 2, 2, 2])
        XCTAssertEqual(table["friends"]["item"]["id"].values(Int64.self), [2, 3])
        XCTAssertEqual(table["friends"]["item"].fields.count, 4, "depth 1 ends at the friends")
    }

    func testATableOutlivesItsClient() async throws {
        let server = try server()
        weak var core: AnyObject?
        weak var store: AnyObject?
        let table = try await { () async throws in
            let client = try client(server)
            (core, store) = (client.core, client.core.store)
            let response = try await client.get(.route("people"))
            return try ArrowTable { try response.exportArrowStream(to: $0, depth: 1) }
        }()
        let deadline = ContinuousClock.now + .seconds(20)
        // A worker may hold the client for a moment longer.
        while core != nil || store != nil, ContinuousClock.now < deadline { await Task.yield() }
        XCTAssertNil(core, "a table holds no client")
        XCTAssertNil(store, "a table holds no store")
        XCTAssertEqual(table["name"].texts, ["Zoë", nil, "c"])
        XCTAssertEqual(table["company"]["title"].texts, ["Octo", nil, nil])
    }

    func testObjectsOfSeveralEntitiesAreTablesOfTheirOwn() async throws {
        let server = try server()
        let response = try await client(server).get(.route("both"))
        let error = try refusal { try response.exportArrowStream(to: $0) }
        XCTAssertEqual(error.kind, .invalidArgument)
        XCTAssertTrue(error.message.contains("Person and Company"), error.message)
        let tables = try response.results.map { objects in
            try ArrowTable { try objects.exportArrowStream(to: $0) }
        }
        XCTAssertEqual(tables.map { $0["id"].values(Int64.self) }, [[5], [6, 7]])
    }

    // MARK: Objects, queries and lists

    func testSomeObjectsOfOneClientAreATable() async throws {
        let server = try server()
        let client = try client(server)
        let objects = try await client.get(.route("people")).objects
        let table = try ArrowTable { try objects[1...].exportArrowStream(to: $0) }
        XCTAssertEqual(table["name"].texts, [nil, "c"])
        let empty = try ArrowTable { try objects.prefix(0).exportArrowStream(to: $0) }
        XCTAssertEqual(empty.fields, [])
        XCTAssertEqual(empty.rowCount, 0)
        let others = try await self.client(server).get(.route("people")).objects
        let error = try refusal { try (objects + others).exportArrowStream(to: $0) }
        XCTAssertEqual(error.field, "objects")
    }

    func testAQueryIsATableInMemoryAndInAFile() async throws {
        let server = try server()
        let path = try temporaryFile("people.db")
        for file in [nil, path] {
            let client = try client(server) { $0.files.store = file }
            try await client.get(.route("people"))
            let query = try client.store.query("Person").filter("id != ?", 2)
                .order(by: "id", descending: true)
            // Person 3 is known by the identity alone.
            let loaded = try ArrowTable { try query.exportArrowStream(to: $0) }
            XCTAssertEqual(loaded["id"].values(Int64.self), [9_007_199_254_740_993, 1])
            let all = try query.unloaded(nil)
            for depth in 0...1 {
                let table = try ArrowTable { try all.exportArrowStream(to: $0, depth: depth) }
                XCTAssertEqual(
                    table["id"].values(Int64.self), [9_007_199_254_740_993, 3, 1], "\(depth)")
                XCTAssertEqual(table["name"].texts, ["c", nil, "Zoë"], "\(depth)")
                XCTAssertEqual(table.fields.count, depth == 0 ? 4 : 7)
            }
            let mapped = try client.store.query(Person.self).filter(\.id, .equal, 1)
            let table = try ArrowTable { try mapped.exportArrowStream(to: $0) }
            XCTAssertEqual(table["name"].texts, ["Zoë"])
            let none = try ArrowTable { try query.limit(0).exportArrowStream(to: $0) }
            XCTAssertEqual(none.rowCount, 0)
            XCTAssertEqual(none.fields, ["id:l", "name:u", "rating:g", "born:tsu:UTC"])
        }
    }

    func testAListOfPagesIsATableOfWhatTheStoreHas() async throws {
        let server = try server()
        let list = try client(server).list(.route("people"))
        var ids: [[Int64?]] = []
        for _ in 0..<2 {
            try await list.loadMore()
            let table = try ArrowTable { try list.exportArrowStream(to: $0) }
            ids.append(table["id"].values(Int64.self))
        }
        let first: [Int64?] = [1, 2, 9_007_199_254_740_993]
        XCTAssertEqual(ids, [first, first + [4]])
        XCTAssertEqual(server.requests.count, 2, "a table sends nothing")
    }

    // MARK: Errors

    func testADepthOutOfRangeLeavesAReleasedStream() async throws {
        let server = try server()
        let client = try client(server)
        let response = try await client.get(.route("people"))
        let list = try client.list(.route("people"))
        for depth in [-1, 17] {
            for export: (UnsafeMutableRawPointer) throws -> Void in [
                { try response.exportArrowStream(to: $0, depth: depth) },
                { try response.objects.exportArrowStream(to: $0, depth: depth) },
                { try client.store.query("Person").exportArrowStream(to: $0, depth: depth) },
                { try list.exportArrowStream(to: $0, depth: depth) },
            ] {
                let error = try refusal(export)
                XCTAssertEqual(error.kind, .invalidArgument)
                XCTAssertEqual(error.field, "depth")
            }
        }
        let error = try refusal { try response.exportArrowStream(to: $0, depth: 16) }
        XCTAssertEqual(error.kind, .tooLarge)
    }

    /// Runs an export that must fail, and checks that it leaves nothing to release.
    private func refusal(
        _ export: (UnsafeMutableRawPointer) throws -> Void,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> RestwayError {
        var stream = ArrowArrayStream()
        stream.release = { _ in XCTFail("a stream that is not there was released") }
        do {
            try export(&stream)
        } catch let error as RestwayError {
            XCTAssertNil(stream.release, file: file, line: line)
            return error
        }
        XCTFail("expected an error", file: file, line: line)
        throw CancellationError()
    }
}

/// A table that has been taken from a stream, which is released with the table.
private final class ArrowTable {
    private var schema = ArrowSchema()
    private var array = ArrowArray()

    /// - Parameter export: Writes a stream to an address, and overwrites what stands there.
    init(_ export: (UnsafeMutableRawPointer) throws -> Void) throws {
        var stream = ArrowArrayStream()
        try export(&stream)
        XCTAssertEqual(stream.get_schema(&stream, &schema), 0)
        XCTAssertEqual(stream.get_next(&stream, &array), 0)
        var end = ArrowArray()
        XCTAssertEqual(stream.get_next(&stream, &end), 0)
        XCTAssertNil(end.release, "a stream has one table")
        stream.release(&stream)
        XCTAssertNil(stream.release)
    }

    deinit {
        schema.release?(&schema)
        array.release?(&array)
        XCTAssertNil(schema.release)
        XCTAssertNil(array.release)
    }

    private var column: ArrowColumn { ArrowColumn(schema: schema, array: array) }
    var rowCount: Int { Int(array.length) }
    var fields: [String] { column.fields }
    subscript(name: String) -> ArrowColumn { column[name] }
}

/// A column of a table; it is read while the table lives.
private struct ArrowColumn {
    let schema: ArrowSchema
    let array: ArrowArray

    /// The names and the formats of the children.
    var fields: [String] {
        (0..<Int(schema.n_children)).map { index in
            let child = schema.children[index]!.pointee
            return String(cString: child.name) + ":" + String(cString: child.format)
        }
    }

    subscript(name: String) -> ArrowColumn {
        XCTAssertEqual(schema.n_children, array.n_children)
        let index = fields.firstIndex { $0.hasPrefix(name + ":") }!
        return ArrowColumn(
            schema: schema.children[index]!.pointee, array: array.children[index]!.pointee)
    }

    /// Whether each row has a value.
    var isValid: [Bool] {
        guard let bitmap = array.buffers[0]?.assumingMemoryBound(to: UInt8.self) else {
            XCTAssertEqual(array.null_count, 0)
            return Array(repeating: true, count: Int(array.length))
        }
        let isValid = (0..<Int(array.length)).map { bitmap[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
        XCTAssertEqual(Int(array.null_count), isValid.count { !$0 })
        return isValid
    }

    /// The numbers of the rows.
    func values<Number>(_ type: Number.Type) -> [Number?] {
        XCTAssertEqual(array.n_buffers, 2)
        let values = array.buffers[1]!.assumingMemoryBound(to: type)
        return isValid.enumerated().map { $1 ? values[$0] : nil }
    }

    /// Where the values of a column of texts or lists begin and end.
    var offsets: [Int] {
        let offsets = array.buffers[1]!.assumingMemoryBound(to: Int32.self)
        return (0...Int(array.length)).map { Int(offsets[$0]) }
    }

    /// The texts of the rows.
    var texts: [String?] {
        XCTAssertEqual(array.n_buffers, 3)
        let (offsets, bytes) = (offsets, array.buffers[2]!)
        return isValid.enumerated().map { row, isValid in
            let length = offsets[row + 1] - offsets[row]
            let text = UnsafeRawBufferPointer(start: bytes + offsets[row], count: length)
            return isValid ? String(decoding: text, as: UTF8.self) : nil
        }
    }
}
