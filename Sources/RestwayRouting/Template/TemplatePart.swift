/// A piece of a path template.
enum TemplatePart: Equatable, Sendable {
    /// Literal text, with escapes resolved.
    case literal([UInt8])
    /// A variable `:name`.
    case variable(String)
    /// An expression `{...}`.
    case expression(TemplateExpression)

    var variableNames: [String] {
        switch self {
        case .literal: []
        case .variable(let name): [name]
        case .expression(let expression): expression.variables.map(\.name)
        }
    }
}
