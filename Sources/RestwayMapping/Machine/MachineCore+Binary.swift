import RestwayObjects

/// Handles dates and bytes, which binary formats have and JSON has not. They take no fast path.
extension MachineCore {
    /// Takes a date as a date, whatever date format the attribute has for text. An attribute that
    /// wants text takes text.
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
            // These are the bytes that base64 would have encoded.
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
