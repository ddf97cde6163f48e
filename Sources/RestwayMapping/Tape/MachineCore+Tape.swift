import RestwayObjects

/// Events from a tape.
extension MachineCore {
    /// False when nothing more is wanted.
    mutating func run(_ tape: EventTape) -> Bool {
        guard failure == nil else { return false }
        let records = UnsafeBufferPointer(start: tape.records, count: tape.count)
        for record in records {
            switch record.kind {
            case .memberString:
                // Of these the text always lies in the body.
                let target = takeMember(record)
                let text = tape.text(of: record)
                if target.conversion == .string, text.count <= Int(UInt32.max) {
                    put(target, plainRow, .lasting(.string, text))
                } else {
                    putString(text, target, plainRow)
                }
            case .memberInt64:
                let target = takeMember(record)
                if target.conversion == .int {
                    put(target, plainRow, .int64(record.int64))
                } else {
                    putInt64(record.int64, target, plainRow)
                }
            case .memberDouble:
                putDouble(record.double, takeMember(record), plainRow)
            case .memberBool:
                putBool(record.bits != 0, takeMember(record), plainRow)
            case .foundKey:
                take(record.node!)
            case .skippedKey:
                frames[frames.count - 1].hasContent = true
                pending.pop(to: 0)
                isPendingSimple = false
            default:
                guard push(record, of: tape) != .stop else { return false }
            }
        }
        return true
    }

    private mutating func push(_ record: EventRecord, of tape: EventTape) -> EventAnswer {
        switch record.kind {
        case .beginObject: beginObject()
        case .endObject: end(isArray: false)
        case .beginArray: beginArray(record.int64 < 0 ? nil : Int(record.int64))
        case .endArray: end(isArray: true)
        case .key: key(tape.text(of: record))
        case .string: scalar(.string(tape.text(of: record)))
        case .int64: scalar(.int64(record.int64))
        case .double: scalar(.double(record.double))
        case .bool: scalar(.bool(record.bits != 0))
        case .null: scalar(.null)
        case .bytes: scalar(.bytes(tape.text(of: record)))
        case .date: scalar(.date(record.int64))
        case .unrepresentable: scalar(.unrepresentable(tape.text(of: record)))
        default: .want
        }
    }

    /// A key of the object with one place has come, and its value.
    @inline(__always)
    private mutating func takeMember(_ record: EventRecord) -> PlanTarget {
        let top = frames.count - 1
        frames[top].hasContent = true
        frames[top].current = record.node
        return record.node!.pointee.targets[0]
    }

    private mutating func take(_ child: UnsafePointer<PlanNode>) {
        let top = frames.count - 1
        frames[top].hasContent = true
        frames[top].current = child
        pending.hold(Position(row: plainRow, node: child))
        isPendingSimple = child.pointee.isSimple
    }
}
