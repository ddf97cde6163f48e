import RestwayObjects
import RestwayRouting
import RestwayText
import RestwayThreads

/// A value without members, as a mapper pushes it.
enum Scalar {
    case null
    case bool(Bool)
    case int64(Int64)
    case double(Double)
    case string(UnsafeRawBufferPointer)
    /// A number as its text; see `EventSink.numberText`.
    case digits(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    case date(Int64)

    /// The name of the kind in issues.
    var found: StaticString {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int64: "an integer"
        case .double: "a number with a fraction or an exponent"
        case .string: "a string"
        case .digits(let digits):
            NumberForm.isWhole(digits[...]) || NumberText.double(digits) == nil
                ? "a number out of range" : "a number with a fraction or an exponent"
        case .bytes: "bytes"
        case .date: "a date"
        }
    }
}

/// Why a value does not become the cell of an attribute.
enum Misfit: Error {
    /// It is of another kind than the attribute takes.
    case found(StaticString, by: PlanTarget)
    case other(String)
    /// The host's transform failed.
    indirect case failed(String, cause: (any HostCause)?)
    /// The host's transform left the attribute unchanged.
    case untouched

    static func form(_ target: PlanTarget) -> Misfit {
        .found("a string of another form", by: target)
    }
    static func range(_ target: PlanTarget) -> Misfit {
        .found("a number out of range", by: target)
    }
}

/// Turns values into the cells of attributes. It knows no rows, but collects the text of their
/// cells.
struct ValueConverter {
    /// Memory that stays valid until the end, so that its text needs no copy in `bytes`.
    var lasting = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The text of the cells. It is kept until no row is open, because nested rows share it.
    private(set) var bytes = ScratchStack<UInt8>()
    private let details: TreeDetails
    private let customTransforms: [String: CustomTransform]

    init(_ plan: MappingPlan) {
        details = plan.details
        customTransforms = plan.customTransforms
    }

    func destroy() {
        bytes.destroy()
    }

    /// Forgets the text of cells that begins at `start`.
    mutating func forget(from start: Int) {
        bytes.pop(to: start)
    }

    /// Forgets the text of all cells.
    mutating func clear() {
        bytes.pop(to: 0)
    }

    /// The cell of `target` for `scalar`.
    ///
    /// - Parameter mapping: The mapping of the target's row; nil for a value of the answer.
    mutating func cell(
        _ scalar: Scalar, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        switch (target.conversion, scalar) {
        case (_, .null) where target.takesNull: .null
        case (.custom, _): try custom(scalar, target, mapping)
        case (.firstOf, _), (.among, _):
            try composite(target, mapping) { (values, target) throws(Misfit) in
                try values.cell(scalar, target, mapping)
            }
        case (.json, _): try json(scalar)
        case (_, .string(let text)): try string(text, target, mapping)
        case (_, .int64(let value)): try integer(value, target, mapping)
        case (_, .double(let value)): try number(value, target, mapping)
        case (.any, .bool(let value)), (.bool, .bool(let value)), (.boolWords, .bool(let value)):
            .bool(value)
        case (_, .digits(let digits)): try number(digits, target, mapping)
        // A date is a date, whatever date format the attribute has for text.
        case (.any, .date(let date)), (.iso8601, .date(let date)), (.day, .date(let date)),
            (.pattern, .date(let date)), (.epoch, .date(let date)):
            try Self.date(date, target)
        case (.string, .date(let date)): try text(DateFormat.iso8601.format(date), .string)
        case (.any, .bytes(let content)), (.bytes, .bytes(let content)):
            try text(content, .bytes)
        case (.base64Text, .bytes(let content)):
            // These are the bytes that base64 would have encoded.
            if String(validating: content, as: UTF8.self) != nil {
                try text(content, .string)
            } else {
                throw .found("bytes that are no text", by: target)
            }
        default: throw .found(scalar.found, by: target)
        }
    }

    private mutating func string(
        _ content: UnsafeRawBufferPointer, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        switch target.conversion {
        case .int where target.isIdentity, .intText:
            // The declared type is applied before identities are compared: 7 and "7" are equal.
            return .int64(try fitting(NumberText.integer(content), target))
        case .any, .string, .numberAsText: return try text(of: content)
        case .doubleText: return .double(try fitting(NumberText.double(content), target))
        case .iso8601:
            let date = try? ISO8601.parse(content.bindMemory(to: UInt8.self))
            return .date(try fitting(date, target))
        case .day: return .date(try fitting(DatePattern.day(content), target))
        case .pattern, .epoch:
            let format = details[mapping].format(of: target)
            return .date(try fitting(format.parse(content.bindMemory(to: UInt8.self)), target))
        case .boolWords:
            return .bool(try fitting(words(target, mapping)?.read(content), target))
        case .url:
            guard AbsoluteURL.isValid(content) else { throw .form(target) }
            return try text(of: content)
        case .bytes, .base64Text: return try base64(content, target)
        default: throw .found("a string", by: target)
        }
    }

    private func fitting<Value>(_ value: Value?, _ target: PlanTarget) throws(Misfit) -> Value {
        guard let value else { throw .form(target) }
        return value
    }

    private mutating func integer(
        _ value: Int64, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        switch target.conversion {
        case .any, .int, .intText: return .int64(value)
        case .double, .doubleText: return .double(Double(value))
        case .epoch:
            guard let date = details[mapping].format(of: target).date(value) else {
                throw .range(target)
            }
            return .date(date)
        case .boolWords:
            guard let truth = words(target, mapping)?.read(value) else {
                throw .found("another integer", by: target)
            }
            return .bool(truth)
        case .string where target.isIdentity, .numberAsText:
            return try text(String(value), .string)
        default: throw .found("an integer", by: target)
        }
    }

    private mutating func number(
        _ value: Double, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        switch target.conversion {
        case .any, .double, .doubleText: return .double(value)
        case .int, .intText:
            guard let whole = Int64(exactly: value) else {
                throw .found("a number with a fraction, or out of range", by: target.as(.int))
            }
            return .int64(whole)
        case .epoch:
            guard let date = details[mapping].format(of: target).date(value) else {
                throw .range(target)
            }
            return .date(date)
        case .string where target.isIdentity:
            guard let whole = Int64(exactly: value) else { break }
            return try text(String(whole), .string)
        case .numberAsText where value.isFinite:
            return try text(NumberForm.shortest(value), .string)
        default: break
        }
        throw .found(Scalar.double(value).found, by: target)
    }

    /// Converts a number that is given by its digits.
    ///
    /// An integer is beyond 64 bits: a double takes the nearest value, and an attribute of any type
    /// keeps all digits as JSON text. Another number may be beyond a double, and most readers of
    /// JSON cannot hold it then.
    private mutating func number(
        _ digits: UnsafeRawBufferPointer, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        if target.conversion == .numberAsText { return try text(of: digits) }
        let value = NumberText.double(digits)
        guard NumberForm.isWhole(digits[...]) else {
            guard let value else { throw .range(target) }
            return try number(value, target, mapping)
        }
        switch target.conversion {
        case .any where !target.isIdentity: return try text(digits, .json)
        case .double, .doubleText:
            guard let value else { throw .range(target) }
            return .double(value)
        case .any, .int, .intText, .string:
            throw .found(
                """
                an integer beyond 64 bits (type string with the transform numberText keeps all \
                digits)
                """, by: target)
        default: throw .range(target)
        }
    }

    private static func date(_ date: Int64, _ target: PlanTarget) throws(Misfit) -> Cell {
        guard DateFormat.dates.contains(date) else {
            throw .found("a date out of range", by: target)
        }
        return .date(date)
    }

    private mutating func base64(
        _ content: UnsafeRawBufferPointer, _ target: PlanTarget
    ) throws(Misfit) -> Cell {
        let start = bytes.count
        bytes.reserve(Base64.byteCountMax(content.count))
        let count = try fitting(Base64.decode(content, into: bytes.base + start), target)
        let decoded = UnsafeRawBufferPointer(start: bytes.base + start, count: count)
        let isText = target.conversion == .base64Text
        guard !isText || String(validating: decoded, as: UTF8.self) != nil else {
            throw .form(target)
        }
        bytes.grew(by: count)
        return try newText(isText ? .string : .bytes, from: start)
    }

    private func words(_ target: PlanTarget, _ mapping: MappingIndex?) -> BoolWords? {
        let transform = details[mapping].transform(of: target)
        return if case .boolWords(let words) = transform { words } else { nil }
    }

    // MARK: Text

    /// The cell of a text that is stored unchanged.
    @inline(__always)
    mutating func text(of content: UnsafeRawBufferPointer) throws(Misfit) -> Cell {
        isLasting(content) ? .lasting(.string, content) : try text(content, .string)
    }

    private mutating func text(
        _ content: UnsafeRawBufferPointer, _ kind: Cell.Kind
    ) throws(Misfit) -> Cell {
        let start = bytes.count
        bytes.append(content)
        return try newText(kind, from: start)
    }

    private mutating func text(_ content: String, _ kind: Cell.Kind) throws(Misfit) -> Cell {
        let start = bytes.count
        bytes.append(content)
        return try newText(kind, from: start)
    }

    private mutating func json(_ scalar: Scalar) throws(Misfit) -> Cell {
        let start = bytes.count
        bytes.writeJSON(scalar)
        return try newText(.json, from: start)
    }

    /// The cell of the text in `bytes` from `start` to its end.
    private mutating func newText(_ kind: Cell.Kind, from start: Int) throws(Misfit) -> Cell {
        guard let length = UInt32(exactly: bytes.count - start) else {
            bytes.pop(to: start)
            throw .other("expected a value of less than 4 GiB, found a longer one")
        }
        return Cell(kind, length: length, bits: UInt64(start))
    }

    /// Whether `text` stays at its address until the mapping is over.
    @inline(__always)
    private func isLasting(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, let first = lasting.baseAddress else { return false }
        return start >= first && start + text.count <= first + lasting.count
            && text.count <= Int(UInt32.max)
    }

    // MARK: The host's transforms

    /// The cell of `target` for the JSON text of an object or a list.
    mutating func cell(
        json: UnsafeRawBufferPointer, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        if target.conversion.isComposite {
            return try composite(target, mapping) { (values, target) throws(Misfit) in
                guard target.takesContainers else {
                    throw .found("an object or a list", by: target)
                }
                return try values.cell(json: json, target, mapping)
            }
        }
        guard target.conversion == .custom else { return try text(json, .json) }
        let (name, type) = transform(target, mapping)
        let value = Value.json(String(decoding: json, as: UTF8.self))
        if let decode = customTransforms[name]?.decode {
            return try ask(decode, value, name, type)
        }
        guard type == .any || type == .json else {
            throw .found("an object or a list", by: target.as(type))
        }
        return try cell(of: value)
    }

    private mutating func custom(
        _ scalar: Scalar, _ target: PlanTarget, _ mapping: MappingIndex?
    ) throws(Misfit) -> Cell {
        let (name, type) = transform(target, mapping)
        guard let decode = customTransforms[name]?.decode else {
            return try cell(scalar, target.as(type), mapping)
        }
        let value: Value =
            switch scalar {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int64(let value): .int64(value)
            case .double(let value): .double(value)
            case .string(let text): .string(String(decoding: text, as: UTF8.self))
            case .digits(let digits):
                if !NumberForm.isWhole(digits[...]), let value = NumberText.double(digits) {
                    .double(value)
                } else {
                    .json(String(decoding: digits, as: UTF8.self))
                }
            case .bytes(let content): .bytes(Array(content))
            case .date(let date): .date(date)
            }
        return try ask(decode, value, name, type)
    }

    private mutating func ask(
        _ decode: CustomTransform.Function, _ value: Value, _ name: String, _ type: AttributeType
    ) throws(Misfit) -> Cell {
        let answer: Value
        do throws(TransformError) {
            answer = try decode(value)
        } catch {
            throw .failed("transform \"\(name)\": \(error.reason)", cause: error.cause)
        }
        guard answer != .absent else { throw .untouched }
        guard let fitting = type.fit(answer) else {
            throw .other("transform \"\(name)\" made something else than \(type.withArticle)")
        }
        return try cell(of: fitting)
    }

    private func transform(
        _ target: PlanTarget, _ mapping: MappingIndex?
    ) -> (String, AttributeType) {
        guard case .custom(let name, let type) = details[mapping].transform(of: target) else {
            preconditionFailure("a custom conversion without its transform")
        }
        return (name, type)
    }

    private mutating func cell(of value: Value) throws(Misfit) -> Cell {
        switch value {
        case .absent, .link, .links: throw .untouched
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int64(let value): return .int64(value)
        case .double(let value): return .double(value)
        case .date(let value): return .date(value)
        case .string(let content): return try text(content, .string)
        case .json(let content): return try text(content, .json)
        case .bytes(let content):
            let start = bytes.count
            content.withUnsafeBytes { bytes.append($0) }
            return try newText(.bytes, from: start)
        }
    }

    /// The form of the list or map that `target` takes; nil if it takes another value.
    func collection(_ target: PlanTarget, _ mapping: MappingIndex?) -> PlanCollection? {
        target.conversion == .collection ? details[mapping].collection(of: target) : nil
    }

    // MARK: Several forms, and values that are accepted

    private mutating func composite(
        _ target: PlanTarget, _ mapping: MappingIndex?,
        _ convert: (inout ValueConverter, PlanTarget) throws(Misfit) -> Cell
    ) throws(Misfit) -> Cell {
        guard target.conversion == .among else {
            return try firstFitting(target, mapping, convert)
        }
        let check = details[mapping].check(of: target)
        let mark = bytes.count
        let cell = try convert(&self, check.target)
        let value = Value(cell.placed(besides: bytes.base))
        guard check.accepted.contains(where: { $0.isSame(as: value) }) else {
            bytes.pop(to: mark)
            throw .other(
                "expected \(check.accepted.alternatives), found \(value.nameForMessages)")
        }
        return cell
    }

    /// Tries the alternatives of `target` in order, and returns the first cell. A transform of the
    /// host that leaves the attribute unchanged has decided, too.
    private mutating func firstFitting(
        _ target: PlanTarget, _ mapping: MappingIndex?,
        _ convert: (inout ValueConverter, PlanTarget) throws(Misfit) -> Cell
    ) throws(Misfit) -> Cell {
        let mark = bytes.count
        var reason: Misfit?
        for alternative in details[mapping].alternatives(of: target) {
            do throws(Misfit) {
                return try convert(&self, alternative)
            } catch {
                bytes.pop(to: mark)
                switch (error, reason) {
                case (.untouched, _): throw error
                // The host's own reason says more than a list of what was expected.
                case (_, .failed): break
                case (.found(let found, _), _): reason = .found(found, by: target)
                default: reason = error
                }
            }
        }
        throw reason ?? .form(target)
    }

    // MARK: Issues

    /// A description of the values that `target` takes, for an issue.
    func expectation(_ target: PlanTarget, _ mapping: MappingIndex?) -> String {
        if target.isIdentity {
            switch target.conversion {
            case .string: return "an identity (a string)"
            case .int: return "an identity (an integer)"
            default: return "an identity (an integer or a string)"
            }
        }
        switch target.conversion {
        case .any, .json, .custom: return "a value"
        case .bool: return "a boolean"
        case .boolWords: return "a boolean, or a word for one"
        case .int: return "an integer"
        case .intText: return "an integer, or a string with one"
        case .double: return "a number"
        case .doubleText: return "a number, or a string with one"
        case .string: return "a string"
        case .numberAsText: return "a number or a string"
        case .url: return "an absolute URL"
        case .collection: return details[mapping].collection(of: target).shape.withArticle
        case .among: return details[mapping].check(of: target).accepted.alternatives
        case .firstOf:
            let targets = details[mapping].alternatives(of: target)
            let texts = targets.map { expectation($0, mapping) }
            return texts.joined(separator: ", or ")
        case .base64Text: return "a string of base64 that holds text"
        case .bytes: return "a string of base64"
        case .iso8601: return "a date (ISO 8601)"
        case .day, .pattern, .epoch:
            return "a date (\(details[mapping].format(of: target).text))"
        }
    }
}
