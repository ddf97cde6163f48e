import RestwayObjects

/// Events from a tape.
extension MachineCore {
    /// False when nothing more is wanted.
    mutating func run(_ tape: EventTape) -> Bool {
        guard failure == nil else { return false }
        var next = UnsafePointer(tape.records)
        let end = next + tape.count
        while next < end {
            if next.pointee.isMember {
                next = putMembers(next, end)
                continue
            }
            switch next.pointee.kind {
            case .foundKey:
                take(next.pointee.node!)
            case .skippedKey:
                frames[frames.count - 1].hasContent = true
                pending.pop(to: 0)
                isPendingSimple = false
            default:
                guard push(next.pointee, of: tape) != .stop else { return false }
            }
            next += 1
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

    /// Takes the scalars with their keys from `first` on, all of the object with one place that is
    /// open, and answers with what stands behind them.
    @inline(__always)
    private mutating func putMembers(
        _ first: UnsafePointer<EventRecord>, _ end: UnsafePointer<EventRecord>
    ) -> UnsafePointer<EventRecord> {
        let top = frames.base + (frames.count - 1)
        let row = rows.base + plainRow
        let rowCells = cells.base + row.pointee.firstCell
        top.pointee.hasContent = true
        // Of a mapper that keeps no contract: a key before this one, without a value.
        pending.pop(to: 0)
        isPendingSimple = false
        var next = first
        while next < end, next.pointee.isMember {
            let node = next.pointee.node.unsafelyUnwrapped
            top.pointee.current = node
            if node.pointee.directKinds & next.pointee.bit != 0 {
                rowCells[node.pointee.attribute] = next.cell
                row.pointee.isEmpty = false
            } else {
                convert(next.pointee, node.pointee.targets[0])
            }
            next += 1
        }
        return next
    }

    /// A value that does not become a cell as it is.
    @inline(never)
    private mutating func convert(_ record: EventRecord, _ target: PlanTarget) {
        switch record.kind {
        case .memberString: putString(record.memberText, target, plainRow)
        case .memberInt64: putInt64(record.int64, target, plainRow)
        case .memberDouble: putDouble(record.double, target, plainRow)
        case .memberDate: putDate(record.int64, target, plainRow)
        default: putBool(record.bits != 0, target, plainRow)
        }
    }

    private mutating func take(_ child: UnsafePointer<PlanNode>) {
        let top = frames.count - 1
        frames[top].hasContent = true
        frames[top].current = child
        pending.hold(Position(row: plainRow, node: child))
        isPendingSimple = child.pointee.isSimple
    }
}
