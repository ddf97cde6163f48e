#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Entity`: the conformance of a struct to `Mapped`, and its `CodingKeys` where the names of
/// properties differ from the names in the document.
enum EntityMacro: ExtensionMacro, MemberMacro {
    /// Writes the conformance to `Mapped`. This is the one expansion that reports problems.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [ExtensionDeclSyntax] {
        let reading = EntityReading(node, declaration)
        for problem in reading.problems { context.diagnose(problem) }
        guard let entity = reading.entity else { return [] }
        // The compiler leaves out a conformance that the program has written.
        let conformance = protocols.isEmpty ? "" : ": Restway.Mapped"
        let access = entity.access.map { "\($0) " } ?? ""
        let names = entity.properties.map { property in
            "\\Self.\(property.identifier): \(literal(property.name)),"
        }
        let text: DeclSyntax = """
            extension \(type.trimmed)\(raw: conformance) {
                \(raw: access)static var entity: String { \(raw: literal(entity.name)) }

                \(raw: access)static var names: [PartialKeyPath<Self>: String] {
                    [
                        \(raw: names.joined(separator: "\n            "))
                    ]
                }
            }
            """
        return text.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }

    /// Writes the `CodingKeys`, unless the names of the properties are enough.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let entity = EntityReading(node, declaration).entity, entity.needsCodingKeys else {
            return []
        }
        let cases = entity.properties.map { property in
            property.isRenamed
                ? "case \(property.identifier) = \(literal(property.name))"
                : "case \(property.identifier)"
        }
        return [
            """
            private enum CodingKeys: String, CodingKey {
                \(raw: cases.joined(separator: "\n    "))
            }
            """
        ]
    }

    private static func literal(_ text: String) -> String {
        StringLiteralExprSyntax(content: text).description
    }
}

/// A macro that only `@Entity` reads. It reports where it cannot stand.
protocol PropertyMarker: PeerMacro {}

extension PropertyMarker {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        if let variable = declaration.as(VariableDeclSyntax.self), variable.isStored { return [] }
        let name = node.attributeName.trimmedDescription
        context.diagnose(EntityProblem.markerElsewhere(name).diagnostic(at: node))
        return []
    }
}

/// `@Named`: the name of what a property stands for.
enum NamedMacro: PropertyMarker {
    static let name = "Named"
}

/// `@Unmapped`: a property that stands for nothing.
enum UnmappedMacro: PropertyMarker {
    static let name = "Unmapped"
}
#endif
