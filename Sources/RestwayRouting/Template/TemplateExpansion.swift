package import RestwayText

/// Inserts values into a path template, as in RFC 6570, section 3.
struct TemplateExpansion {
    /// The place in the path where a value was inserted.
    private struct Mark {
        let name: String
        let start: Int
        let end: Int
        /// Whether an empty value may not be a whole segment.
        let needsText: Bool
    }

    private let template: PathTemplate
    private var output: [UInt8] = []
    private var marks: [Mark] = []
    /// The end of the base URL at the beginning of an absolute path.
    private var baseEnd: Int?

    /// The variables of `{+name}` and `{#name}` whose values are data.
    private let data: Set<String>

    init(of template: PathTemplate, _ isData: (String) -> Bool) {
        self.template = template
        var data: Set<String> = []
        for case .expression(let expression) in template.parts where expression.kept == .reserved {
            for variable in expression.variables where isData(variable.name) {
                data.insert(variable.name)
            }
        }
        self.data = data
    }

    mutating func run(
        absolute: Bool, _ value: (String) -> VariableValue?
    ) throws(RoutingError) -> String {
        for (index, part) in template.parts.enumerated() {
            switch part {
            case .literal(let bytes):
                append(literal: bytes[...])
            case .variable(let name):
                try append(name, isBase: absolute && index == 0, value)
            case .expression(let expression):
                if let name = expression.simpleName, absolute && index == 0 {
                    try append(name, isBase: true, value)
                } else {
                    try append(expression, value)
                }
            }
        }
        try checkSegments()
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a literal. Characters that are allowed in a URL are kept, all other characters are
    /// encoded (RFC 6570, section 3.1).
    private mutating func append(literal bytes: ArraySlice<UInt8>) {
        // A base URL may end with the same slash that the template begins with.
        let isDoubled =
            baseEnd == output.count && output.last == ASCII.slash && bytes.first == ASCII.slash
        PercentEncoding.append(bytes.dropFirst(isDoubled ? 1 : 0), keeping: .reserved, to: &output)
    }

    /// Appends `:name`, or the base URL of an absolute path.
    private mutating func append(
        _ name: String, isBase: Bool, _ value: (String) -> VariableValue?
    ) throws(RoutingError) {
        guard let value = defined(value(name)) else { throw missing(name) }
        guard case .string(let text) = value else {
            throw unusable(name, "a list or an object cannot stand here")
        }
        let start = output.count
        if isBase {
            if text.utf8.contains(where: { ASCII.endsPath($0) || ASCII.isControl($0) }) {
                throw unusable(
                    name, "a base URL has no query, no fragment and no control character")
            }
            output.append(contentsOf: text.utf8)
            baseEnd = output.count
        } else {
            PercentEncoding.append(text, keeping: .unreserved, to: &output)
        }
        marks.append(Mark(name: name, start: start, end: output.count, needsText: true))
    }

    private mutating func append(
        _ expression: TemplateExpression, _ value: (String) -> VariableValue?
    ) throws(RoutingError) {
        let mustBeDefined = expression.kind == nil && expression.variables.count == 1
        let isSimple = expression.simpleName != nil
        var prefix = expression.first
        for variable in expression.variables {
            guard let value = defined(value(variable.name)) else {
                if mustBeDefined { throw missing(variable.name) }
                continue
            }
            let start = output.count
            output.append(contentsOf: prefix)
            prefix = [expression.separator]
            try append(value, of: variable, in: expression)
            if !expression.endsPath {
                marks.append(
                    Mark(name: variable.name, start: start, end: output.count, needsText: isSimple))
            }
        }
    }

    private mutating func append(
        _ value: VariableValue, of variable: TemplateExpression.Variable,
        in expression: TemplateExpression
    ) throws(RoutingError) {
        let explodes = variable.modifier == .explode
        let kept = kept(variable.name, in: expression)
        switch value {
        case .string(let text):
            let shown =
                if case .prefix(let length) = variable.modifier {
                    Self.prefix(length, of: text, triplets: kept.keepsTriplets)
                } else {
                    Array(text.utf8)
                }
            appendName(variable.name, isEmpty: shown.isEmpty, of: expression)
            PercentEncoding.append(shown[...], keeping: kept, to: &output)
            return
        case .list(let values) where explodes:
            for (index, text) in values.enumerated() {
                if index > 0 { output.append(expression.separator) }
                appendName(variable.name, isEmpty: text.isEmpty, of: expression)
                PercentEncoding.append(text, keeping: kept, to: &output)
            }
            return
        case .map(let pairs) where explodes:
            for (index, pair) in pairs.enumerated() {
                if index > 0 { output.append(expression.separator) }
                PercentEncoding.append(pair.name, keeping: kept, to: &output)
                let isBare = expression.isNamed && !expression.keepsEqualsOfEmpty
                if !pair.value.isEmpty || !isBare { output.append(UInt8(ascii: "=")) }
                PercentEncoding.append(pair.value, keeping: kept, to: &output)
            }
            return
        case .list(let values):
            try appendJoined(values, of: variable, in: expression)
        case .map(let pairs):
            try appendJoined(pairs.flatMap { [$0.name, $0.value] }, of: variable, in: expression)
        }
    }

    /// Appends a list or map that is not exploded: one value, joined by commas.
    private mutating func appendJoined(
        _ values: [String], of variable: TemplateExpression.Variable,
        in expression: TemplateExpression
    ) throws(RoutingError) {
        if case .prefix = variable.modifier {
            throw unusable(variable.name, "a list or an object has no prefix")
        }
        let kept = kept(variable.name, in: expression)
        let isEmpty = values.count == 1 && values[0].isEmpty
        appendName(variable.name, isEmpty: isEmpty, of: expression)
        for (index, text) in values.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            PercentEncoding.append(text, keeping: kept, to: &output)
        }
    }

    private func kept(
        _ name: String, in expression: TemplateExpression
    ) -> PercentEncoding.Kept {
        let kept = expression.kept
        return kept == .reserved && data.contains(name) ? .reservedData : kept
    }

    private mutating func appendName(
        _ name: String, isEmpty: Bool, of expression: TemplateExpression
    ) {
        guard expression.isNamed else { return }
        output.append(contentsOf: name.utf8)
        if !isEmpty || expression.keepsEqualsOfEmpty { output.append(UInt8(ascii: "=")) }
    }

    /// The first characters of a value. If triplets are kept, each one counts as one (section
    /// 2.4.1).
    private static func prefix(_ length: Int, of text: String, triplets: Bool) -> [UInt8] {
        if !triplets {
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: text.unicodeScalars.prefix(length))
            return Array(String(scalars).utf8)
        }
        let bytes = Array(text.utf8)
        var end = 0
        for _ in 0..<length where end < bytes.count {
            if PercentEncoding.isTriplet(bytes[end...]) {
                end += 3
            } else {
                end += 1
                while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
            }
        }
        return Array(bytes[..<end])
    }

    /// Refuses segments that a value turned into "", "." or "..", because they would name another
    /// resource.
    private func checkSegments() throws(RoutingError) {
        let end = output.firstIndex(where: ASCII.endsPath) ?? output.count
        var start = 0
        var first = 0
        while start <= end {
            let stop = output[start..<end].firstIndex(of: ASCII.slash) ?? end
            while first < marks.count, marks[first].end < start { first += 1 }
            let touching = marks[first...].prefix { $0.start <= stop }
            if start == stop,
                let mark = touching.first(where: { $0.needsText && $0.start == $0.end })
            {
                throw unusable(
                    mark.name,
                    "the value is empty, and without it the path would name another resource: give "
                        + "the variable a value, or use a path without this segment")
            }
            if let mark = touching.first, PathSegment.isDots(output[start..<stop]) {
                throw unusable(mark.name, "\".\" or \"..\" cannot be a whole segment")
            }
            start = stop + 1
        }
    }

    private func defined(_ value: VariableValue?) -> VariableValue? {
        switch value {
        case nil: nil
        case .list(let values) where values.isEmpty: nil
        case .map(let pairs) where pairs.isEmpty: nil
        case .some(let value): value
        }
    }

    private func missing(_ name: String) -> RoutingError {
        .missingVariable(name: name, template: template.text)
    }

    private func unusable(_ name: String, _ reason: String) -> RoutingError {
        .unusableVariable(name: name, template: template.text, reason: reason)
    }
}

/// The value of a variable, as text.
///
/// An empty list and an empty map count as undefined (RFC 6570, section 2.3).
package enum VariableValue: Equatable, Sendable {
    case string(String)
    case list([String])
    case map([Pair])
}
