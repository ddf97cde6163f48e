import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosTestSupport
import XCTest

@testable import EntityMacros

/// The source that `@Entity` writes, and the problems that it reports.
final class EntityMacroTests: XCTestCase {
    private static let macros: [String: any Macro.Type] = [
        "Entity": EntityMacro.self, "Named": NamedMacro.self, "Unmapped": UnmappedMacro.self,
    ]

    private func check(
        _ source: String, writes expected: String, _ diagnostics: [DiagnosticSpec] = [],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        // The compiler says which conformances are missing.
        let specs = Self.macros.mapValues { MacroSpec(type: $0, conformances: ["Mapped"]) }
        assertMacroExpansion(
            source, expandedSource: expected, diagnostics: diagnostics, macroSpecs: specs,
            file: file, line: line)
    }

    /// Expects one problem, and no extension.
    private func refuses(
        _ source: String, leaving rest: String, _ message: String, line: Int, column: Int,
        file: StaticString = #filePath, testLine: UInt = #line
    ) {
        let problem = DiagnosticSpec(message: message, line: line, column: column)
        check(source, writes: rest, [problem], file: file, line: testLine)
    }

    // MARK: Written source

    func testStoredPropertiesStandForAttributesOfTheSameName() {
        check(
            """
            @Entity
            struct Issue {
                let number: Int
                var title: String, state: String?
                var labels: [Label] { didSet { change() } }
                static let shared = 1
                var isOpen: Bool { state == "open" }
            }
            """,
            writes: """
                struct Issue {
                    let number: Int
                    var title: String, state: String?
                    var labels: [Label] { didSet { change() } }
                    static let shared = 1
                    var isOpen: Bool { state == "open" }
                }

                extension Issue: Restway.Mapped {
                    static var entity: String {
                        "Issue"
                    }

                    static var names: [PartialKeyPath<Self>: String] {
                        [
                            \\Self.number: "number",
                            \\Self.title: "title",
                            \\Self.state: "state",
                            \\Self.labels: "labels",
                        ]
                    }
                }
                """)
    }

    func testRenamedAndUnmappedPropertiesNeedCodingKeys() {
        check(
            """
            @Entity("Firm")
            public struct Company {
                @Named("itemID") let id: Int
                var `default`: String
                @Unmapped var isSelected = false
                let kind = "company"
            }
            """,
            writes: """
                public struct Company {
                    let id: Int
                    var `default`: String
                    var isSelected = false
                    let kind = "company"

                    private enum CodingKeys: String, CodingKey {
                        case id = "itemID"
                        case `default`
                    }
                }

                extension Company: Restway.Mapped {
                    public static var entity: String {
                        "Firm"
                    }

                    public static var names: [PartialKeyPath<Self>: String] {
                        [
                            \\Self.id: "itemID",
                            \\Self.`default`: "default",
                        ]
                    }
                }
                """)
    }

    func testCodingKeysOfTheProgramGiveTheNames() {
        check(
            """
            @Entity
            struct Company {
                let id: Int
                var note = ""
                enum CodingKeys: String, CodingKey {
                    case id = "itemID"
                }
            }
            """,
            writes: """
                struct Company {
                    let id: Int
                    var note = ""
                    enum CodingKeys: String, CodingKey {
                        case id = "itemID"
                    }
                }

                extension Company: Restway.Mapped {
                    static var entity: String {
                        "Company"
                    }

                    static var names: [PartialKeyPath<Self>: String] {
                        [
                            \\Self.id: "itemID",
                        ]
                    }
                }
                """)
    }

    // MARK: Problems

    func testOnlyAStructCanBeAnEntity() {
        refuses(
            "@Entity\nclass Issue {\n    var title: String\n}",
            leaving: "class Issue {\n    var title: String\n}",
            "@Entity can only be attached to a struct; this is a class", line: 1, column: 1)
    }

    func testANameMustBeALiteralThatIsNotEmpty() {
        let rest = "struct Issue {\n    var title: String\n}"
        refuses(
            "@Entity(name)\n\(rest)", leaving: rest,
            "the name in @Entity must be a string literal without interpolation",
            line: 1, column: 9)
        refuses(
            "@Entity(\"\")\n\(rest)", leaving: rest, "the name in @Entity is empty",
            line: 1, column: 9)
    }

    func testAStructWithoutPropertiesIsRefused() {
        refuses(
            "@Entity\nstruct Issue {\n}", leaving: "struct Issue {\n}",
            "@Entity needs a stored property that stands for an attribute or a relationship",
            line: 2, column: 8)
    }

    func testTwoPropertiesCannotHaveOneName() {
        refuses(
            "@Entity\nstruct A {\n    var b: Int\n    @Named(\"b\")\n    var c: Int\n}",
            leaving: "struct A {\n    var b: Int\n    var c: Int\n}",
            "another property stands for \"b\" already; give this one a name with @Named",
            line: 5, column: 9)
    }

    func testPropertiesThatItCannotSeeAreReported() {
        refuses(
            "@Entity\nstruct A {\n    var (b, c): (Int, Int)\n}",
            leaving: "struct A {\n    var (b, c): (Int, Int)\n}",
            "@Entity needs each stored property to have a declaration with one name",
            line: 3, column: 9)
        refuses(
            "@Entity\nstruct A {\n    var b: Int\n    #if X\n    var c: Int\n    #endif\n}",
            leaving: "struct A {\n    var b: Int\n    #if X\n    var c: Int\n    #endif\n}",
            "@Entity cannot see stored properties inside of #if", line: 4, column: 5)
        refuses(
            "@Entity\nstruct A {\n    var b: Int\n    lazy var c = 1\n}",
            leaving: "struct A {\n    var b: Int\n    lazy var c = 1\n}",
            "the lazy property 'c' cannot stand for an attribute; mark it with @Unmapped",
            line: 4, column: 14)
    }

    func testAnUnmappedPropertyNeedsADefaultValue() {
        refuses(
            "@Entity\nstruct A {\n    var b: Int\n    @Unmapped\n    var c: Int\n}",
            leaving: "struct A {\n    var b: Int\n    var c: Int\n}",
            "the property 'c' needs a default value, because @Unmapped leaves it out",
            line: 4, column: 5)
    }

    func testNamesBesideCodingKeysAreRefused() {
        let keys = "    enum CodingKeys: String, CodingKey {\n        case b\n    }\n}"
        refuses(
            "@Entity\nstruct A {\n    @Named(\"c\")\n    var b: Int\n\(keys)",
            leaving: "struct A {\n    var b: Int\n\(keys)",
            "@Named has no effect beside CodingKeys; change the CodingKeys instead",
            line: 3, column: 5)
    }

    func testAMarkerElsewhereIsRefused() {
        refuses(
            "struct A {\n    @Named(\"c\")\n    static var b: Int = 1\n}",
            leaving: "struct A {\n    static var b: Int = 1\n}",
            "@Named can only be attached to a stored property of an instance", line: 2, column: 5)
    }
}
