import RestwayObjects

/// Takes events from a tape.
extension MachineCore {
    /// Takes the events of `tape`; false if no more events are needed.
    mutating func run(_ tape: EventTape) -> Bool {
        guard failure == nil else { return false }
        var next = UnsafePointer(tape.records)
        let end = next + tape.count
        while next < end {
            if next.pointee.isMember {
                guard !awaitsValue else {
                    _ = fail(broken(.keyWithoutValue))
                    return false
                }
                next = putMembers(next, end)
                continue
            }
            switch next.pointee.kind {
            case .foundKey, .skippedKey:
                guard !awaitsValue else {
                    _ = fail(broken(.keyWithoutValue))
                    return false
                }
                frames[frames.count - 1].hasContent = true
                if let node = next.pointee.node { take(node) }
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

    /// Takes the records of keys with scalars from `first` on, for the open object with one place.
    /// Returns the position after them.
    @inline(__always)
    private mutating func putMembers(
        _ first: UnsafePointer<EventRecord>, _ end: UnsafePointer<EventRecord>
    ) -> UnsafePointer<EventRecord> {
        let top = frames.base + (frames.count - 1)
        let row = rows.base + plainRow
        let rowCells = cells.base + row.pointee.firstCell
        top.pointee.hasContent = true
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

    /// Takes a value that does not become a cell unchanged.
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
        frames[frames.count - 1].current = child
        pending.hold(Position(row: plainRow, node: child))
        isPendingSimple = child.pointee.isSimple
    }
}
