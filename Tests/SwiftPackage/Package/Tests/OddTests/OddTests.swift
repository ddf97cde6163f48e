import Foundation
import Restway
import XCTest

/// The types that `restway-stubs --swift` writes for a document whose names are keywords, names of
/// Swift and of this library, and texts that are no names.
final class OddTests: XCTestCase {
    private func client() throws -> Client {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try Client(API(file: folder.appendingPathComponent("odd.json").path))
    }

    func testOddNamesAreSetAndRead() throws {
        let client = try client()
        let draft = try ClassDraft(client)
        try draft.set(int_of: 1)
        try draft.set(class: "keyword")
        try draft.set(self_: "reserved")
        try draft.set(aB: "camel case")
        try draft.set(aB_2: "as it is")
        try draft.set(CodingKeys: "of Codable")
        try draft.set(rawValue: "of an enum")
        try draft.set(value: "of the function")
        try draft.set(json_of: ["list": [1, nil]])
        let object = try draft.draft.insert()
        XCTAssertEqual(object["a-b"], "camel case")
        XCTAssertEqual(object["self"], "reserved")
        let read: Class = try object.decode()
        XCTAssertEqual(read.int_of, 1)
        XCTAssertEqual(read.class, "keyword")
        XCTAssertEqual(read.self_, "reserved")
        XCTAssertEqual(read.aB_2, "as it is")
        XCTAssertEqual(read.CodingKeys_2, "of Codable")
        XCTAssertEqual(read.rawValue, "of an enum")
        XCTAssertEqual(read.json_of, ["list": [1, nil]])
        XCTAssertNil(read.description)
        let query = try client.store.query(Class.self).filter(\.aB, .equal, "camel case")
        XCTAssertEqual(try query.count(), 1)
    }

    func testListsAndMapsAreSetAndRead() throws {
        let draft = try ClassDraft(client())
        let date = Date(timeIntervalSince1970: 1_772_701_200)
        try draft.set(lists: [[1.5], []])
        try draft.set(maps: ["start": date])
        try draft.set(texts: ["a", "b"])
        try draft.set(date_of: date)
        try draft.set(bytes_of: Data([0, 255]))
        let read: Class = try draft.draft.snapshot().decode()
        XCTAssertEqual(read.lists, [[1.5], []])
        XCTAssertEqual(read.maps, ["start": date])
        XCTAssertEqual(read.texts, ["a", "b"])
        XCTAssertEqual(read.date_of, date)
        XCTAssertEqual(read.bytes_of, Data([0, 255]))
        try draft.set(texts: nil)
        XCTAssertEqual(draft.draft.snapshot().value("texts"), .null)
    }

    func testARelationshipThatClosesACircleIsReadFromAnObject() throws {
        let client = try client()
        let (owner, owned) = (try ClassDraft(client), try StringDraft(client))
        try owner.set(int_of: 1)
        try owned.set(int: 2)
        let ownerObject = try owner.draft.insert()
        try owned.set(owner: ownerObject)
        let ownedObject = try owned.draft.insert()
        XCTAssertEqual(try String_.owner(of: ownedObject)?.int_of, 1)
        let change = try XCTUnwrap(ClassDraft(of: ownerObject, client))
        try change.set(operator: [ownedObject])
        try change.set(in: ownerObject)
        let read: Class = try change.draft.insert().decode()
        XCTAssertEqual(read.operator?.map(\.int), [2])
    }

    func testVariablesWithOddNamesStandInThePath() throws {
        let client = try client()
        let first = try client.inspect(Routes.class(int_of: 7, self_: "s", in: 1, aB: "a b"))
        XCTAssertEqual(first.url, "http://127.0.0.1:1/classes/7?self=s&in=1&a.b=a%20b")
        let second = try client.inspect(
            Routes.init_(
                method_2: "1", parameters_2: "2", body_2: "3", request_2: "4", variables_2: "5",
                JSON_2: "6", Values_2: "7"))
        XCTAssertEqual(second.url, "http://127.0.0.1:1/a/1/2/3/4/5/6/7")
    }
}
