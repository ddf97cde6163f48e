import RestwayMapping
import RestwayObjects
import RestwayRouting
import XCTest

final class ResponseDescriptorTests: XCTestCase {
    private let mapping = EntityMapping(
        entity: Entity(name: "A", index: 0, attributes: [Attribute(name: "id")], identityIndex: 0),
        attributes: [AttributeMapping(attribute: 0, source: ["id"], conversion: .any)])

    func testStatusRangesAreReadStrictly() {
        let good: [(String, ClosedRange<Int>)] = [
            ("2xx", 200...299), ("4XX", 400...499), ("404", 404...404), ("200-299", 200...299),
            ("100-599", 100...599), ("201-201", 201...201),
        ]
        for (text, codes) in good { XCTAssertEqual(StatusRange(text)?.codes, codes, text) }
        for text in [
            "", "2", "20", "2x", "20x", "6xx", "0xx", "xxx", "099", "600", "2000", "300-200",
            "200-", "-299", "200-299-", "200-2xx", " 200", "+20", "２xx",
        ] {
            XCTAssertNil(StatusRange(text), text)
        }
    }

    func testADescriptorAppliesWhereMethodPathAndStatusFit() throws {
        let descriptor = ResponseDescriptor(
            methods: [.get], template: try PathTemplate("companies/:id"), mapping: mapping)
        XCTAssertTrue(descriptor.matches(method: .get, path: "companies/1", status: 200))
        XCTAssertTrue(descriptor.matches(method: .get, path: "/companies/1/?x=1", status: 204))
        XCTAssertFalse(descriptor.matches(method: .put, path: "companies/1", status: 200))
        XCTAssertFalse(descriptor.matches(method: .get, path: "companies", status: 200))
        XCTAssertFalse(descriptor.matches(method: .get, path: "companies/1", status: 404))
        let any = ResponseDescriptor(statuses: StatusRange("404")!, mapping: mapping)
        XCTAssertTrue(any.matches(method: .delete, path: "x", status: 404, routeName: "r"))
        XCTAssertFalse(any.matches(method: .delete, path: "x", status: 200))
    }

    func testARoutesOwnResponseAppliesByRouteAndByPath() throws {
        let own = ResponseDescriptor(
            template: try PathTemplate("a/:id"), mapping: mapping, routeName: "r")
        XCTAssertTrue(own.matches(method: .get, path: "elsewhere", status: 200, routeName: "r"))
        XCTAssertTrue(own.matches(method: .get, path: "a/1", status: 200))
        XCTAssertFalse(own.matches(method: .get, path: "elsewhere", status: 200, routeName: "q"))
        let pathless = ResponseDescriptor(mapping: mapping, routeName: "r")
        XCTAssertFalse(pathless.matches(method: .get, path: "a/1", status: 200))
        XCTAssertTrue(pathless.matches(method: .get, path: "a/1", status: 200, routeName: "r"))
    }

    func testEqualMeansTheSameEffectOnTheSameAnswers() throws {
        func make(
            _ methods: [RestwayRouting.Method] = [.get, .put], _ path: String = "a",
            _ status: String = "2xx",
            _ keyPath: [String] = ["x"], route: String? = nil
        ) throws -> ResponseDescriptor {
            ResponseDescriptor(
                methods: methods, template: try PathTemplate(path),
                statuses: StatusRange(status)!, keyPath: keyPath, mapping: mapping,
                routeName: route)
        }
        let one = try make()
        XCTAssertTrue(one.isEqual(to: try make([.put, .get])))
        XCTAssertTrue(one.isEqual(to: try make(route: "r")))
        XCTAssertTrue(one.isEqual(to: try make([.get, .put], "a", "200-299")))
        XCTAssertFalse(one.isEqual(to: try make([.get])))
        XCTAssertFalse(one.isEqual(to: try make([.get, .put], "b")))
        XCTAssertFalse(one.isEqual(to: try make([.get, .put], "a", "4xx")))
        XCTAssertFalse(one.isEqual(to: try make([.get, .put], "a", "2xx", [])))
    }
}
