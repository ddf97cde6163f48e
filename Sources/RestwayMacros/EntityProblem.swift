#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The problems that the macros report at a declaration.
enum EntityProblem {
    case noStruct(String)
    case noLiteral(String)
    case emptyName(String)
    case noProperties
    case pattern
    case conditional
    case lazyProperty(String)
    case sameName(String)
    case markerElsewhere(String)
    case withoutDefault(String)
    case namedBesideKeys(String)
    case keysOfAnotherForm

    func diagnostic(at node: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(node: Syntax(node), message: Message(problem: self))
    }

    private struct Message: DiagnosticMessage {
        let problem: EntityProblem
        var message: String { problem.message }
        var diagnosticID: MessageID { MessageID(domain: "RestwayMacros", id: problem.id) }
        var severity: DiagnosticSeverity { .error }
    }

    private var id: String {
        switch self {
        case .noStruct: "noStruct"
        case .noLiteral: "noLiteral"
        case .emptyName: "emptyName"
        case .noProperties: "noProperties"
        case .pattern: "pattern"
        case .conditional: "conditional"
        case .lazyProperty: "lazyProperty"
        case .sameName: "sameName"
        case .markerElsewhere: "markerElsewhere"
        case .withoutDefault: "withoutDefault"
        case .namedBesideKeys: "namedBesideKeys"
        case .keysOfAnotherForm: "keysOfAnotherForm"
        }
    }

    private var message: String {
        switch self {
        case .noStruct(let kind):
            "@Entity can only be attached to a struct; this is \(kind)"
        case .noLiteral(let name):
            "the name in @\(name) must be a string literal without interpolation"
        case .emptyName(let name): "the name in @\(name) is empty"
        case .noProperties:
            "@Entity needs a stored property that stands for an attribute or a relationship"
        case .pattern: "@Entity needs each stored property to have a declaration with one name"
        case .conditional: "@Entity cannot see stored properties inside of #if"
        case .lazyProperty(let name):
            "the lazy property '\(name)' cannot stand for an attribute; mark it with @Unmapped"
        case .sameName(let name):
            "another property stands for \"\(name)\" already; give this one a name with @Named"
        case .markerElsewhere(let name):
            "@\(name) can only be attached to a stored property of an instance"
        case .withoutDefault(let name):
            "the property '\(name)' needs a default value, because @Unmapped leaves it out"
        case .namedBesideKeys(let name):
            "@\(name) has no effect beside CodingKeys; change the CodingKeys instead"
        case .keysOfAnotherForm:
            "@Entity can only read CodingKeys that are an enum of String with literal values"
        }
    }
}
#endif
