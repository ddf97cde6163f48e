import RestwayText

/// An expression of RFC 6570.
struct TemplateExpression: Equatable, Sendable {
    /// The operators of RFC 6570, section 2.2. The values are in appendix A.
    enum Operator: UInt8, Sendable {
        case reserved = 0x2B  // +
        case fragment = 0x23  // #
        case label = 0x2E  // .
        case segment = 0x2F  // /
        case parameter = 0x3B  // ;
        case query = 0x3F  // ?
        case continuation = 0x26  // &
    }

    /// The modifiers of RFC 6570, section 2.4.
    enum Modifier: Equatable, Sendable {
        case none
        case prefix(Int)
        case explode
    }

    struct Variable: Equatable, Sendable {
        let name: String
        let modifier: Modifier
    }

    let kind: Operator?
    let variables: [Variable]

    /// The name of the variable if the expression is `{name}`, without operator, modifier or second
    /// variable.
    var simpleName: String? {
        guard kind == nil, variables.count == 1, variables[0].modifier == .none else { return nil }
        return variables[0].name
    }

    /// Whether the expansion is, or belongs to, a query or a fragment.
    var endsPath: Bool {
        kind == .query || kind == .continuation || kind == .fragment
    }

    /// The text before the expansion if any variable is defined.
    var first: [UInt8] {
        guard let kind, kind != .reserved else { return [] }
        return [kind.rawValue]
    }

    var separator: UInt8 {
        switch kind {
        case nil, .reserved, .fragment: UInt8(ascii: ",")
        case .label: UInt8(ascii: ".")
        case .segment: UInt8(ascii: "/")
        case .parameter: UInt8(ascii: ";")
        case .query, .continuation: UInt8(ascii: "&")
        }
    }

    /// Whether a value is written with the name of its variable.
    var isNamed: Bool {
        kind == .parameter || kind == .query || kind == .continuation
    }

    /// Whether a named empty value keeps its "=".
    var keepsEqualsOfEmpty: Bool {
        kind == .query || kind == .continuation
    }

    var kept: PercentEncoding.Kept {
        kind == .reserved || kind == .fragment ? .reserved : .unreserved
    }
}
