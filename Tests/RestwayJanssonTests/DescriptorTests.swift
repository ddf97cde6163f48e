import RestwayMapping
import RestwayObjects
import XCTest

final class DescriptorTests: XCTestCase {
    private let person = Model.mapping([("id", .int), ("name", .string)])
    private let company = Model.mapping([
        ("id", .int), ("owner.name", .string), ("name", .string), ("owner", .json),
    ])

    func testOverlappingDescriptorsEachGetTheirObjects() throws {
        let json = #"""
            {"id":1,"owner":{"id":7,"name":"Ann"},"name":"Acme",
             "staff":[{"id":8,"name":"Bo"},{"id":9,"name":"Cy"}]}
            """#
        let result = try map(
            json,
            [
                Model.descriptor("", company), Model.descriptor("staff", person),
                Model.descriptor("owner", person), Model.descriptor("staff", company),
                Model.descriptor("absent", person),
            ])
        XCTAssertEqual(result.issueCount, 0)
        let store = MemoryStore(keyBefore: 0)
        let (objects, ranges) = result.objects(of: try store.commit(result.changeSet))
        XCTAssertEqual(ranges, [0..<1, 1..<3, 3..<4, 4..<6, 6..<6])
        XCTAssertEqual(
            objects[0].present,
            [
                "id": .int64(1), "owner.name": .string("Ann"), "name": .string("Acme"),
                "owner": .json(#"{"id":7,"name":"Ann"}"#),
            ])
        XCTAssertEqual(
            objects.map { $0.value(named: "id") }, [1, 8, 9, 7, 8, 9].map { .int64($0) })
        XCTAssertEqual(
            objects.map { $0.entity === person.entity }, [false, true, true, true, false, false])
        XCTAssertEqual(objects[3].present, ["id": .int64(7), "name": .string("Ann")])
        XCTAssertEqual(store.count(person.entity), 3)
        XCTAssertEqual(store.count(company.entity), 3)
    }

    func testTwoDescriptorsOfOneEntityAtOnePlaceGiveTheSameObjectTwice() throws {
        let descriptor = Model.descriptor("", person)
        let result = try map(#"[{"id":1,"name":"a"}]"#, [descriptor, descriptor])
        let store = MemoryStore(keyBefore: 0)
        let (objects, ranges) = result.objects(of: try store.commit(result.changeSet))
        XCTAssertEqual(ranges, [0..<1, 1..<2])
        XCTAssertTrue(objects[0] === objects[1])
        XCTAssertEqual(store.count(nil), 1)
    }

    func testTextOfAnOuterRowSurvivesRowsInsideIt() throws {
        let people = (0..<200).map { #"{"id":\#($0),"name":"person \#($0)"}"# }
        let json =
            #"""
            {"id":1,"name":"outer","owner":{"name":"Ann","id":5},
             "list":[\#(people.joined(separator: ","))],"last":"z"}
            """#
        let outer = Model.mapping([
            ("id", .int), ("name", .string), ("owner.name", .string), ("list", .json),
            ("last", .string),
        ])
        let result = try map(
            json,
            [
                Model.descriptor("", outer), Model.descriptor("owner", person),
                Model.descriptor("list", person),
            ])
        let row = result.rows[result.results[0][0]]
        XCTAssertEqual(row.value(named: "name"), .string("outer"))
        XCTAssertEqual(row.value(named: "owner.name"), .string("Ann"))
        XCTAssertEqual(row.value(named: "last"), .string("z"))
        XCTAssertEqual(row.value(named: "list"), .json("[\(people.joined(separator: ","))]"))
        XCTAssertEqual(result.results[2].count, 200)
        for (index, row) in result.results[2].enumerated() {
            XCTAssertEqual(result.rows[row].value(named: "name"), .string("person \(index)"))
        }
    }

    func testAnObjectInsideAnObjectOfTheSameDescriptorsTreeIsFoundThroughItsOwnKeyPath() throws {
        let result = try map(
            #"{"id":1,"name":"a","child":{"id":2,"name":"b","child":{"id":3,"name":"c"}}}"#,
            [
                Model.descriptor("", person), Model.descriptor("child", person),
                Model.descriptor("child.child", person),
            ])
        XCTAssertEqual(
            result.results.map { $0.map { result.rows[$0].value(named: "id") } },
            [[.int64(1)], [.int64(2)], [.int64(3)]])
    }

    func testNoDescriptorsMapNothing() throws {
        let result = try map(#"[{"id":1}]"#, [])
        XCTAssertTrue(result.results.isEmpty)
        XCTAssertTrue(result.rows.isEmpty)
        XCTAssertEqual(result.issueCount, 0)
    }

    func testIssuesOfOneDescriptorDoNotTouchTheOthers() throws {
        let result = try map(
            #"{"a":[{"id":1}],"b":7}"#,
            [Model.descriptor("a", person), Model.descriptor("b", person)])
        XCTAssertEqual(result.results.map(\.count), [1, 0])
        XCTAssertEqual(result.paths, ["b"])
    }
}
