import RestwayObjects

/// What binary formats have and JSON has not: dates and bytes. Off the quick ways of all others.
extension MachineCore {
    /// A date is a date whatever format the attribute has for its text; text where text is wanted.
    @inline(never)
    mutating func putDate(_ date: Int64, _ target: PlanTarget, _ row: Int) {
        switch target.conversion {
        case .any, .iso8601, .day, .pattern, .epoch: put(target, row, .date(date))
        case .string: putText(DateFormat.iso8601.format(date), target, row, .string)
        case .json: putJSON(.date(date), target, row)
        default: putTransformed(.date(date), target, row)
        }
    }

    @inline(never)
    mutating func putBytes(_ content: UnsafeRawBufferPointer, _ target: PlanTarget, _ row: Int) {
        let start = bytes.count
        switch target.conversion {
        case .any, .bytes:
            bytes.append(content)
            putText(target, row, .bytes, from: start)
        case .base64Text:
            // What base64 would have stood for.
            guard String(validating: content, as: UTF8.self) != nil else {
                return refuse(target, row, "bytes that are no text")
            }
            bytes.append(content)
            putText(target, row, .string, from: start)
        case .json: putJSON(.bytes(content), target, row)
        default: putTransformed(.bytes(content), target, row)
        }
    }
}
