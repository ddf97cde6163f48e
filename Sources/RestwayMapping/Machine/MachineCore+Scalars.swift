import RestwayObjects
import RestwayText

/// Handles scalars. Each kind has a fast path to a single attribute; all other cases use `scalar`.
extension MachineCore {
    enum Scalar {
        case null
        case bool(Bool)
        case int64(Int64)
        case double(Double)
        case string(UnsafeRawBufferPointer)
        case unrepresentable(UnsafeRawBufferPointer)
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
            case .unrepresentable: "a number out of range"
            case .bytes: "bytes"
            case .date: "a date"
            }
        }
    }

    @inline(__always)
    mutating func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard isPendingSimple else { return scalar(.string(text)) }
        let position = takeSimple()
        putString(text, position.node.pointee.targets[0], position.row)
        return .want
    }

    @inline(__always)
    mutating func int64(_ value: Int64) -> EventAnswer {
        guard isPendingSimple else { return scalar(.int64(value)) }
        let position = takeSimple()
        putInt64(value, position.node.pointee.targets[0], position.row)
        return .want
    }

    @inline(__always)
    mutating func double(_ value: Double) -> EventAnswer {
        guard isPendingSimple else { return scalar(.double(value)) }
        let position = takeSimple()
        putDouble(value, position.node.pointee.targets[0], position.row)
        return .want
    }

    @inline(__always)
    mutating func bool(_ value: Bool) -> EventAnswer {
        guard isPendingSimple else { return scalar(.bool(value)) }
        let position = takeSimple()
        putBool(value, position.node.pointee.targets[0], position.row)
        return .want
    }

    mutating func scalar(_ scalar: Scalar) -> EventAnswer {
        guard failure == nil, let isElement = enterValue() else { return .stop }
        if captures.count > 0 { write(scalar) }
        for index in receivers(isElement) {
            let position = isElement ? positions[index] : pending[index]
            let node = position.node
            if !isElement {
                for target in node.pointee.targets { put(scalar, target, position.row) }
            }
            if case .null = scalar {
                if !isElement, position.row >= 0 { putNull(from: position.node, position.row) }
                if isElement { putNullToOne(position) }
                continue
            }
            for link in node.pointee.links where !putIdentity(scalar, link, position.row) {
                return .stop
            }
            let isForRows = !node.pointee.rows.isEmpty
            if isForRows || (!isElement && !node.pointee.children.isEmpty) {
                let isList = !isElement && isForRows
                issue("expected an object\(isList ? " or a list" : ""), found \(scalar.found)")
            }
        }
        pending.pop(to: 0)
        isPendingSimple = false
        return .want
    }

    @inline(__always)
    private mutating func takeSimple() -> Position {
        isPendingSimple = false
        pending.pop(to: 0)
        return pending[0]
    }

    mutating func put(_ scalar: Scalar, _ target: PlanTarget, _ row: Int) {
        switch scalar {
        case .null: put(target, row, .null)
        case .bool(let value): putBool(value, target, row)
        case .int64(let value): putInt64(value, target, row)
        case .double(let value): putDouble(value, target, row)
        case .string(let text): putString(text, target, row)
        case .unrepresentable(let digits): putOutOfRange(digits, target, row)
        case .bytes(let content): putBytes(content, target, row)
        case .date(let date): putDate(date, target, row)
        }
    }

    mutating func putBool(_ value: Bool, _ target: PlanTarget, _ row: Int) {
        switch target.conversion {
        case .any, .bool: put(target, row, .bool(value))
        case .json: putJSON(.bool(value), target, row)
        default: putTransformed(.bool(value), target, row)
        }
    }

    mutating func putInt64(_ value: Int64, _ target: PlanTarget, _ row: Int) {
        switch target.conversion {
        case .any, .int: put(target, row, .int64(value))
        case .double: put(target, row, .double(Double(value)))
        case .json: putJSON(.int64(value), target, row)
        case .epoch:
            guard let date = formats[rows[row].mapping][target.detail].date(value) else {
                return refuse(target, row, "a number out of range")
            }
            put(target, row, .date(date))
        default: putTransformed(.int64(value), target, row)
        }
    }

    mutating func putDouble(_ value: Double, _ target: PlanTarget, _ row: Int) {
        switch target.conversion {
        case .any, .double: put(target, row, .double(value))
        case .int:
            guard let whole = Int64(exactly: value) else {
                return refuse(target, row, "a number with a fraction, or out of range")
            }
            put(target, row, .int64(whole))
        case .json: putJSON(.double(value), target, row)
        case .epoch:
            guard let date = formats[rows[row].mapping][target.detail].date(value) else {
                return refuse(target, row, "a number out of range")
            }
            put(target, row, .date(date))
        default: putTransformed(.double(value), target, row)
        }
    }

    /// Stores a number that neither an int64 nor a double holds exactly, by its digits. A double
    /// takes the nearest value. An attribute of any type keeps all digits of an integer, as JSON
    /// text. Other numbers are beyond a double, and most readers of JSON cannot hold them.
    mutating func putOutOfRange(
        _ digits: UnsafeRawBufferPointer, _ target: PlanTarget, _ row: Int
    ) {
        switch target.conversion {
        case .json: putJSON(.unrepresentable(digits), target, row)
        case .any where !target.isIdentity && NumberText.isWhole(digits):
            putJSON(.unrepresentable(digits), target, row)
        case .double, .doubleText:
            guard let value = NumberText.double(digits) else {
                return refuse(target, row, "a number out of range")
            }
            put(target, row, .double(value))
        default: putTransformed(.unrepresentable(digits), target, row)
        }
    }

    mutating func putString(
        _ text: UnsafeRawBufferPointer, _ target: PlanTarget, _ row: Int
    ) {
        let start = bytes.count
        switch target.conversion {
        case .any, .string:
            if isLasting(text) { return put(target, row, .lasting(.string, text)) }
            bytes.append(text)
            putText(target, row, .string, from: start)
        case .iso8601:
            let date = ISO8601.parse(text.bindMemory(to: UInt8.self))
            putParsed(date, target, row)
        case .day:
            putParsed(DatePattern.day(text), target, row)
        case .pattern, .epoch:
            let format = formats[rows[row].mapping][target.detail]
            putParsed(format.parse(text.bindMemory(to: UInt8.self)), target, row)
        case .bytes:
            bytes.reserve(Base64.byteCountMax(text.count))
            guard let count = Base64.decode(text, into: bytes.base + start) else {
                return refuse(target, row, "a string of another form")
            }
            bytes.grew(by: count)
            putText(target, row, .bytes, from: start)
        case .json: putJSON(.string(text), target, row)
        default: putTransformed(.string(text), target, row)
        }
    }

    /// Whether `text` stays at its address until the mapping is over.
    @inline(__always)
    private func isLasting(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, let first = lasting.baseAddress else { return false }
        return start >= first && start + text.count <= first + lasting.count
            && text.count <= Int(UInt32.max)
    }

    private mutating func putParsed(_ date: Int64?, _ target: PlanTarget, _ row: Int) {
        guard let date else { return refuse(target, row, "a string of another form") }
        put(target, row, .date(date))
    }
}
