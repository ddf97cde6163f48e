import RestwayObjects

/// Handles objects, lists and keys.
extension MachineCore {
    mutating func key(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        // The usual case is one row and one place in its tree.
        guard let node = plainNode else { return anyKey(key) }
        guard pending.count == 0 else { return fail(broken(.keyWithoutValue)) }
        let top = frames.count - 1
        frames[top].hasContent = true
        guard let child = node.pointee.child(key, after: frames[top].current) else {
            isPendingSimple = false
            return .skip
        }
        frames[top].current = child
        pending.hold(Position(row: plainRow, node: child))
        isPendingSimple = child.pointee.isSimple
        return .want
    }

    private mutating func anyKey(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        guard failure == nil else { return .stop }
        guard frames.count > 0, !frames[frames.count - 1].isArray else {
            return fail(broken(.keyOutsideObject))
        }
        guard !awaitsValue else { return fail(broken(.keyWithoutValue)) }
        let top = frames.count - 1
        if captures.count > 0 { writeKey(key, isFirst: !frames[top].hasContent) }
        frames[top].hasContent = true
        isPendingSimple = false
        let first = frames[top].firstPosition
        for index in first..<positions.count {
            let position = positions[index]
            guard let child = position.node.pointee.child(key) else { continue }
            frames[top].current = child
            pending.push(Position(row: position.row, node: child))
        }
        awaitsCapture = pending.count == 0 && captures.count > 0
        return awaitsValue ? .want : .skip
    }

    mutating func beginObject() -> EventAnswer {
        guard failure == nil else { return .stop }
        if let answer = beginPlainObject() { return answer }
        guard let isElement = enterValue() else { return .stop }
        let frame = newFrame(isArray: false)
        let range = receivers(isElement)
        for index in range {
            let position = isElement ? positions[index] : pending[index]
            let node = position.node
            if !isElement {
                captureOrRefuse(position, "an object")
                if !node.pointee.children.isEmpty { positions.push(position) }
            }
            if !isElement { for _ in node.pointee.rows { progress?.expect(1) } }
            for row in node.pointee.rows where !startRow(row) { return .stop }
            for link in node.pointee.links where !startRow(link, position.row) { return .stop }
        }
        return open(frame)
    }

    /// Opens the usual kinds of objects: elements of a list that become one row, and members that
    /// hold attributes of a row. Returns nil for all other objects.
    private mutating func beginPlainObject() -> EventAnswer? {
        let top = frames.count - 1
        guard captures.count == 0, top >= 0, top + 1 < limits.nestingDepthMax else { return nil }
        let frame = newFrame(isArray: false)
        if frames[top].isArray {
            guard positions.count - frames[top].firstPosition == 1,
                let row = positions[positions.count - 1].node.pointee.soleRow
            else { return nil }
            let root = rowKinds[row.pointee.mapping].root
            guard root.pointee.takesNoContainer else { return nil }
            frames[top].hasContent = true
            frames[top].index += 1
            guard pushRow(row.pointee) else { return .stop }
            positions.push(Position(row: rows.count - 1, node: root))
        } else {
            guard pending.count == 1, pending[0].node.pointee.isBranch else { return nil }
            positions.push(pending[0])
        }
        frames.push(frame)
        pending.pop(to: 0)
        isPendingSimple = false
        plainNode = positions[positions.count - 1].node
        plainRow = positions[positions.count - 1].row
        return .want
    }

    mutating func beginArray(_ count: Int?) -> EventAnswer {
        guard failure == nil, let isElement = enterValue() else { return .stop }
        let frame = newFrame(isArray: true)
        let range = receivers(isElement)
        for index in range {
            let position = isElement ? positions[index] : pending[index]
            if isElement {
                issue("expected an object, found a list")
                for link in position.node.pointee.links { refuse(link.cell, position.row) }
                continue
            }
            captureOrRefuse(position, "a list")
            if !position.node.pointee.children.isEmpty {
                issue("expected an object, found a list")
            }
            for link in position.node.pointee.links where link.isMany {
                // The end of the list decides whether the relationship becomes an empty list.
                cells[rows[position.row].firstCell + link.cell] = Cell(.list)
            }
            let node = position.node
            if !node.pointee.rows.isEmpty || !node.pointee.links.isEmpty {
                positions.push(position)
            }
            for _ in node.pointee.rows { progress?.expect(count) }
        }
        return open(frame)
    }

    mutating func end(isArray: Bool) -> EventAnswer {
        guard failure == nil else { return .stop }
        guard frames.count > 0, frames[frames.count - 1].isArray == isArray else {
            return fail(broken(.wrongEnd))
        }
        guard !awaitsValue else { return fail(broken(.keyWithoutValue)) }
        let frame = frames[frames.count - 1]
        frames.pop(to: frames.count - 1)
        pending.pop(to: 0)
        isPendingSimple = false
        if isArray {
            if !frame.hasContent { putNullToOne(frame) }
            settleLists(frame)
        }
        positions.pop(to: frame.firstPosition)
        if captures.count > 0 {
            text.push(UInt8(ascii: isArray ? "]" : "}"))
            finishCaptures(from: frame.firstCapture)
        }
        if rows.count > frame.firstRow {
            finishRows(from: frame.firstRow, haveContent: frame.hasContent)
        }
        findPlain()
        return .want
    }

    /// Updates the state after each change of the open containers.
    @inline(__always)
    private mutating func findPlain() {
        plainNode = nil
        guard captures.count == 0, frames.count > 0 else { return }
        let frame = frames[frames.count - 1]
        guard !frame.isArray, positions.count - frame.firstPosition == 1 else { return }
        let position = positions[frame.firstPosition]
        plainNode = position.node
        plainRow = position.row
    }

    /// Prepares for a value. It counts the elements of a list and writes the separator in captured
    /// text. Returns whether the value is an element, or `nil` if no value may come here, which
    /// ends the mapping.
    mutating func enterValue() -> Bool? {
        guard frames.count > 0, frames[frames.count - 1].isArray else {
            guard awaitsValue else {
                _ = fail(broken(frames.count == 0 ? .secondRoot : .valueWithoutKey))
                return nil
            }
            awaitsCapture = false
            return false
        }
        let top = frames.count - 1
        if captures.count > 0, frames[top].hasContent { text.push(UInt8(ascii: ",")) }
        frames[top].hasContent = true
        frames[top].index += 1
        return true
    }

    /// The positions that receive a value: those of its list, or else the pending ones.
    func receivers(_ isElement: Bool) -> Range<Int> {
        isElement ? frames[frames.count - 1].firstPosition..<positions.count : 0..<pending.count
    }

    private func newFrame(isArray: Bool) -> Frame {
        Frame(
            isArray: isArray, firstPosition: positions.count, firstRow: rows.count,
            firstCapture: captures.count)
    }

    /// Opens a container, unless its content is not needed.
    private mutating func open(_ frame: Frame) -> EventAnswer {
        pending.pop(to: 0)
        isPendingSimple = false
        guard
            positions.count > frame.firstPosition || rows.count > frame.firstRow
                || captures.count > 0
        else { return .skip }
        guard frames.count < limits.nestingDepthMax else {
            return fail(.tooDeep(max: limits.nestingDepthMax))
        }
        if captures.count > 0 { text.push(UInt8(ascii: frame.isArray ? "[" : "{")) }
        frames.push(frame)
        findPlain()
        return .want
    }

    /// Handles a container as the value of attributes: it becomes text for attributes that take any
    /// value, and an issue for others.
    private mutating func captureOrRefuse(_ position: Position, _ found: StaticString) {
        for target in position.node.pointee.targets {
            guard target.takesContainers else {
                refuse(target, position.row, found)
                continue
            }
            captures.push(Capture(row: position.row, target: target, start: text.count))
        }
    }
}
