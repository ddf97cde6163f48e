import Glibc
import RestwayJSON
import RestwayText
import XCTest

@testable import RestwayDocument
@testable import RestwayRouting

/// The published test cases for RFC 6570, which are not in this repository.
final class URITemplateSuiteTests: XCTestCase {
    /// Expansions that Restway refuses on purpose: a variable that stands alone needs a value.
    private static let refused: Set<String> = ["O{undef}X"]

    private struct Case {
        let template: String
        let variables: [String: VariableValue]
        /// The allowed expansions; empty if the template or its expansion is an error.
        let expansions: [String]
    }

    private func cases(_ name: String) throws -> [Case] {
        let given = getenv("RESTWAY_CONFORMANCE").map { String(cString: $0) }
        let path = (given ?? Self.sibling) + "/uritemplate-\(name).json"
        guard let bytes = try? FileText.read(path) else {
            throw XCTSkip("there is no \(path); RESTWAY_CONFORMANCE can name its folder")
        }
        let groups = try JSONValue.parse(String(decoding: bytes, as: UTF8.self)).members ?? []
        return groups.flatMap { _, group in
            let members = group["variables"]?.members ?? []
            let variables = members.reduce(into: [String: VariableValue]()) { variables, member in
                variables[member.key] = Self.variable(member.value)
            }
            return (group["testcases"]?.elements ?? []).map { pair in
                let parts = pair.elements ?? []
                let allowed = parts[1].elements ?? [parts[1]]
                return Case(
                    template: parts[0].string ?? "", variables: variables,
                    expansions: allowed.compactMap(\.string))
            }
        }
    }

    private static func variable(_ value: JSONValue) -> VariableValue? {
        if value.isNull { return nil }
        if let elements = value.elements { return .list(elements.map(text)) }
        if let members = value.members {
            return .map(members.map { Pair(name: $0.key, value: text($0.value)) })
        }
        return .string(text(value))
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.text(), as: UTF8.self)
    }

    /// The folder beside this repository.
    private static var sibling: String {
        var parts = #filePath.split(separator: "/").dropLast(3)
        parts.removeLast()
        return "/" + parts.joined(separator: "/") + "/shared/conformance"
    }

    private func check(_ name: String) throws {
        let cases = try cases(name)
        XCTAssertFalse(cases.isEmpty)
        for example in cases {
            let expansion = try? PathTemplate(example.template).expand { example.variables[$0] }
            if Self.refused.contains(example.template) || example.expansions.isEmpty {
                XCTAssertNil(expansion, example.template)
            } else {
                XCTAssertTrue(
                    expansion.map(example.expansions.contains) ?? false,
                    "\(example.template) gave \(expansion ?? "an error")")
            }
        }
    }

    func testTheExamplesOfTheSpecification() throws {
        try check("spec-examples")
    }

    func testTheExamplesOfTheSpecificationBySection() throws {
        try check("spec-examples-by-section")
    }

    func testWrongTemplatesAreErrors() throws {
        try check("negative-tests")
    }
}
