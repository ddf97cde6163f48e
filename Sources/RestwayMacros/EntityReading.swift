#if Macros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The result of reading a struct for `@Entity`: the entity, or the problems at its declaration.
struct EntityReading {
    /// A stored property, and the attribute or the relationship that it stands for.
    struct Property {
        /// The identifier as it is written, perhaps in backticks.
        let identifier: String
        let name: String
        var isRenamed: Bool { name != identifier.withoutBackticks }
    }

    struct Entity {
        let name: String
        /// The access modifier that the members of the conformance need.
        let access: String?
        let properties: [Property]
        /// Whether the synthesised `CodingKeys` would have other names or other properties.
        let needsCodingKeys: Bool
    }

    /// `nil` if there are problems.
    private(set) var entity: Entity?
    private(set) var problems: [Diagnostic] = []

    private var properties: [(Property, Syntax)] = []
    private var leavesOut = false

    init(_ node: AttributeSyntax, _ declaration: some DeclGroupSyntax) {
        guard let type = declaration.as(StructDeclSyntax.self) else {
            report(.noStruct(Self.kind(of: declaration)), at: node)
            return
        }
        let name = name(in: node) ?? type.name.text.withoutBackticks
        let members = type.memberBlock.members
        let keys = keys(in: members)
        for member in members { read(member.decl, keys) }
        reportSameNames()
        if properties.isEmpty, problems.isEmpty { report(.noProperties, at: type.name) }
        guard problems.isEmpty else { return }
        let found = properties.map(\.0)
        entity = Entity(
            name: name, access: type.modifiers.access, properties: found,
            needsCodingKeys: keys == nil && (leavesOut || found.contains(where: \.isRenamed)))
    }

    private static func kind(of declaration: some DeclGroupSyntax) -> String {
        switch declaration.kind {
        case .classDecl: "a class"
        case .enumDecl: "an enum"
        case .actorDecl: "an actor"
        case .protocolDecl: "a protocol"
        default: "an extension"
        }
    }

    private mutating func report(_ problem: EntityProblem, at node: some SyntaxProtocol) {
        problems.append(problem.diagnostic(at: node))
    }

    // MARK: Names

    /// The name in an attribute; `nil` if it has no argument, or one that is reported.
    private mutating func name(in node: AttributeSyntax) -> String? {
        guard let argument = node.arguments?.as(LabeledExprListSyntax.self)?.first else {
            return nil
        }
        let attribute = node.attributeName.trimmedDescription
        guard
            let text = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        else {
            report(.noLiteral(attribute), at: argument.expression)
            return nil
        }
        if text.isEmpty { report(.emptyName(attribute), at: argument.expression) }
        return text
    }

    private mutating func reportSameNames() {
        var seen: Set<String> = []
        for (property, node) in properties where !seen.insert(property.name).inserted {
            report(.sameName(property.name), at: node)
        }
    }

    // MARK: Properties

    private mutating func read(_ member: DeclSyntax, _ keys: [String: String]?) {
        if let block = member.as(IfConfigDeclSyntax.self) {
            if block.hasStoredProperty {
                report(.conditional, at: block.clauses.first!.poundKeyword)
            }
            return
        }
        guard let variable = member.as(VariableDeclSyntax.self), variable.isStored else { return }
        if let marker = variable.attribute(UnmappedMacro.name) {
            leavesOut = true
            return checkDefaults(variable, marker)
        }
        for binding in variable.bindings where binding.accessorBlock.isStored {
            guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
                report(.pattern, at: binding.pattern)
                continue
            }
            read(pattern.identifier, binding, of: variable, keys)
        }
    }

    private mutating func read(
        _ identifier: TokenSyntax, _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax,
        _ keys: [String: String]?
    ) {
        let plain = identifier.text.withoutBackticks
        if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
            return report(.lazyProperty(plain), at: identifier)
        }
        // A constant with a value is not decoded.
        if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
            leavesOut = true
            return
        }
        let marker = variable.attribute(NamedMacro.name)
        if let marker, keys != nil {
            return report(.namedBesideKeys(NamedMacro.name), at: marker)
        }
        if let marker, variable.bindings.count > 1 { return report(.pattern, at: marker) }
        if let keys, keys[plain] == nil { return }
        let name = marker.flatMap { self.name(in: $0) } ?? keys?[plain] ?? plain
        properties.append(
            (Property(identifier: identifier.text, name: name), Syntax(identifier)))
    }

    private mutating func checkDefaults(_ variable: VariableDeclSyntax, _ marker: AttributeSyntax) {
        let isLazy = variable.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
        for binding in variable.bindings where binding.initializer == nil && !isLazy {
            let isVariable = variable.bindingSpecifier.tokenKind == .keyword(.var)
            if isVariable, binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true {
                continue
            }
            report(.withoutDefault(binding.pattern.trimmedDescription), at: marker)
        }
    }

    // MARK: CodingKeys

    /// The names in the `CodingKeys` of the program, by property; `nil` if the
    /// program has written no `CodingKeys`.
    private mutating func keys(in members: MemberBlockItemListSyntax) -> [String: String]? {
        let types = members.map(\.decl)
        if let alias = types.first(where: {
            $0.as(TypeAliasDeclSyntax.self)?.name.text == "CodingKeys"
                || $0.as(StructDeclSyntax.self)?.name.text == "CodingKeys"
        }) {
            report(.keysOfAnotherForm, at: alias)
            return [:]
        }
        guard
            let keys = types.compactMap({ $0.as(EnumDeclSyntax.self) })
                .first(where: { $0.name.text == "CodingKeys" })
        else { return nil }
        var names: [String: String] = [:]
        let cases = keys.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
        for element in cases.flatMap(\.elements) {
            let plain = element.name.text.withoutBackticks
            let value = element.rawValue?.value
            let text = value?.as(StringLiteralExprSyntax.self)?.representedLiteralValue
            if let value, text == nil { report(.keysOfAnotherForm, at: value) }
            names[plain] = text ?? plain
        }
        return names
    }
}

extension VariableDeclSyntax {
    /// Whether a binding is stored in each instance.
    var isStored: Bool {
        let isStatic = modifiers.contains { modifier in
            modifier.name.tokenKind == .keyword(.static)
        }
        return !isStatic && bindings.contains { $0.accessorBlock.isStored }
    }

    fileprivate func attribute(_ name: String) -> AttributeSyntax? {
        attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
            let written = attribute.attributeName.trimmedDescription
            return written == name || written == "Restway.\(name)"
        }
    }
}

extension AccessorBlockSyntax? {
    /// Whether a property with these accessors is stored: it has no accessor, or only observers.
    fileprivate var isStored: Bool {
        guard let accessors = self?.accessors else { return true }
        guard case .accessors(let list) = accessors else { return false }
        return list.allSatisfy { accessor in
            [.keyword(.willSet), .keyword(.didSet)].contains(accessor.accessorSpecifier.tokenKind)
        }
    }
}

extension IfConfigDeclSyntax {
    /// Whether a stored property stands in one of the clauses.
    fileprivate var hasStoredProperty: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { member in
                member.decl.as(VariableDeclSyntax.self)?.isStored == true
                    || member.decl.as(IfConfigDeclSyntax.self)?.hasStoredProperty == true
            }
        }
    }
}

extension DeclModifierListSyntax {
    /// The access modifier that makes a member as visible as the type; `nil` if it needs none.
    fileprivate var access: String? {
        let names = compactMap { modifier in
            modifier.detail == nil ? modifier.name.text : nil
        }
        return names.first { ["public", "package"].contains($0) }
    }
}

extension String {
    /// An identifier as a name.
    fileprivate var withoutBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 1 ? String(dropFirst().dropLast()) : self
    }
}
#endif
