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

    private func byPath(_ path: String?) -> DescriptorChoice {
        DescriptorChoice(route: nil, path: path)
    }

    private func byRoute(_ name: String, _ template: String) throws -> DescriptorChoice {
        DescriptorChoice(
            route: Route(name: name, template: try PathTemplate(template)), path: "elsewhere")
    }

    func testADescriptorAppliesWhereMethodPathAndStatusFit() throws {
        let descriptor = ResponseDescriptor(
            methods: [.get], template: try PathTemplate("companies/:id"), mapping: mapping)
        XCTAssertTrue(descriptor.fits(method: .get, status: 200, byPath("companies/1")))
        XCTAssertTrue(descriptor.fits(method: .get, status: 204, byPath("/companies/1/?x=1")))
        XCTAssertFalse(descriptor.fits(method: .put, status: 200, byPath("companies/1")))
        XCTAssertFalse(descriptor.fits(method: .get, status: 200, byPath("companies")))
        XCTAssertFalse(descriptor.fits(method: .get, status: 404, byPath("companies/1")))
        XCTAssertFalse(descriptor.fits(method: .get, status: 200, byPath(nil)))
        let any = ResponseDescriptor(statuses: StatusRange("404")!, mapping: mapping)
        XCTAssertTrue(any.fits(method: .delete, status: 404, try byRoute("r", "x")))
        XCTAssertTrue(any.fits(method: .delete, status: 404, byPath("x")))
        XCTAssertTrue(any.fits(method: .delete, status: 404, byPath(nil)))
        XCTAssertFalse(any.fits(method: .delete, status: 200, byPath("x")))
    }

    func testARoutesOwnResponseAppliesByRouteAndByPathAndNotByAnotherRoute() throws {
        let own = ResponseDescriptor(
            template: try PathTemplate("a/:id"), mapping: mapping, routeKey: "name r")
        XCTAssertTrue(own.fits(method: .get, status: 200, try byRoute("r", "a/:id")))
        XCTAssertTrue(own.fits(method: .get, status: 200, byPath("a/1")))
        XCTAssertFalse(own.fits(method: .get, status: 200, try byRoute("q", "a/:id")))
    }

    func testARequestByRouteTakesDescriptorsOfNoRouteWithTheSameTemplate() throws {
        let listed = ResponseDescriptor(template: try PathTemplate("a/:id"), mapping: mapping)
        XCTAssertTrue(listed.fits(method: .get, status: 200, try byRoute("r", "/a/{key}{?q}")))
        XCTAssertFalse(listed.fits(method: .get, status: 200, try byRoute("r", "a/b")))
        XCTAssertFalse(listed.fits(method: .get, status: 200, try byRoute("r", "a/:id\\.json")))
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
                routeKey: route)
        }
        let one = try make()
        XCTAssertEqual(one.essence, try make([.put, .get]).essence)
        XCTAssertEqual(one.essence, try make(route: "r").essence)
        XCTAssertEqual(one.essence, try make([.get, .put], "a", "200-299").essence)
        XCTAssertNotEqual(one.essence, try make([.get]).essence)
        XCTAssertNotEqual(one.essence, try make([.get, .put], "b").essence)
        XCTAssertNotEqual(one.essence, try make([.get, .put], "a", "4xx").essence)
        XCTAssertNotEqual(one.essence, try make([.get, .put], "a", "2xx", []).essence)
        XCTAssertEqual(
            try make([.get], "a/:b").essence, try make([.get], "a/{c}").essence,
            "the names of variables do not count")
    }
}
