/// A piece of a path template.
enum TemplatePart: Equatable, Sendable {
    /// Text that stands for itself, escapes resolved.
    case literal([UInt8])
    /// `:name`.
    case variable(String)
    /// `{...}`.
    case expression(TemplateExpression)

    var variableNames: [String] {
        switch self {
        case .literal: []
        case .variable(let name): [name]
        case .expression(let expression): expression.variables.map(\.name)
        }
    }
}
