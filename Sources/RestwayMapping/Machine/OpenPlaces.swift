/// The open objects and lists of a response, and the places of the plan at which they are read.
///
/// A *position* is a row and a place in its tree of source keys. The frame of each open object
/// holds the positions whose children its keys are looked up in. A key turns them into *pending*
/// positions, which receive the value that follows. If descriptors overlap, one frame has several
/// positions. A row inside a row has its position in another frame.
struct OpenPlaces {
    struct Position: BitwiseCopyable {
        /// The row whose values are here; nil above all rows, on the way to them.
        let row: OpenRow?
        let node: UnsafePointer<PlanNode>
    }

    /// An open object or list.
    struct Frame: BitwiseCopyable {
        let isArray: Bool
        /// Whether a key or an element has come.
        var hasContent = false
        /// The positions, rows and captures of the frame begin at these indices and end where the
        /// next frame's begin.
        let firstPosition: Int
        let firstRow: OpenRow
        let firstCapture: Int
        /// The number of elements of a list so far.
        var elementCount = 0
        /// The node of the newest key of an object.
        var current: UnsafePointer<PlanNode>?
    }

    var positions = ScratchStack<Position>()
    private(set) var pending = ScratchStack<Position>()
    private(set) var frames = ScratchStack<Frame>()
    /// The last key was wanted only for a capture, so its value has no pending position.
    private(set) var awaitsCapture = false
    /// The one position of the open object; nil if it has several, a list is open, or a capture is
    /// open.
    private(set) var plainNode: UnsafePointer<PlanNode>?
    /// The row of `plainNode`.
    private(set) var plainRow: OpenRow?
    /// If `plainNode` is set, the place that the next key probably leads to.
    private var expected: UnsafePointer<PlanNode>?
    /// If `plainNode` is set, the place of one attribute whose value comes next. The place is not
    /// pending.
    private(set) var member: UnsafePointer<PlanNode>?
    /// The newest free key of each open object that has had one, by the number of open containers.
    private var freeKeys: [Int: String] = [:]

    /// The free key whose value comes next.
    var freeKey: String { freeKeys[frames.count] ?? "" }

    init(_ root: UnsafePointer<PlanNode>) {
        expectValue(at: root)
    }

    /// Prepares for the value of a response, or for another one after it.
    mutating func expectValue(at root: UnsafePointer<PlanNode>) {
        pending.push(Position(row: nil, node: root))
    }

    func destroy() {
        positions.destroy()
        pending.destroy()
        frames.destroy()
    }

    /// A key has come, or the mapping has just begun, and the value has not come yet.
    var awaitsValue: Bool { member != nil || pending.count > 0 || awaitsCapture }

    /// Whether the next value is an element of a list that has had others.
    var followsElement: Bool {
        frames.count > 0 && frames.last.isArray && frames.last.hasContent
    }

    /// The current place: the keys and list positions of the open frames.
    var keyPath: String {
        var path = ""
        for index in 0..<frames.count {
            let frame = frames[index]
            if frame.isArray {
                // A list has no position before its first element.
                if frame.elementCount > 0 { path += "[\(frame.elementCount - 1)]" }
            } else if let place = frame.current {
                let own = String(decoding: place.pointee.key, as: UTF8.self)
                let key = place.pointee.isWildcard ? freeKeys[index + 1] ?? "" : own
                path += (path.isEmpty ? "" : ".") + key
            }
        }
        return path
    }

    /// Forgets what was expected, because the mapping is over.
    mutating func abandon() {
        pending.pop(to: 0)
        awaitsCapture = false
        (plainNode, expected, member) = (nil, nil, nil)
    }

    // MARK: Keys

    /// Takes a key if it leads to the place that was declared next, which has one attribute. Nearly
    /// every key does.
    @inline(__always)
    mutating func takesExpected(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let expected, member == nil, expected.pointee.isQuick,
            KeyDigest(key) == expected.pointee.digest
        else { return false }
        member = expected
        self.expected = expected.pointee.next
        frames.last.hasContent = true
        frames.last.current = expected
        return true
    }

    /// Finds the places that any other key leads to. Returns whether the key leads to a place, or
    /// the value is captured.
    mutating func find(_ key: UnsafeRawBufferPointer, isCapturing: Bool) -> Bool {
        frames.last.hasContent = true
        guard let node = plainNode else {
            for index in frames.last.firstPosition..<positions.count {
                let position = positions[index]
                let known = position.node.pointee.child(key)
                guard let child = known ?? position.node.pointee.wildcard else { continue }
                if child.pointee.isWildcard { noteFree(key) }
                frames.last.current = child
                pending.push(Position(row: position.row, node: child))
            }
            awaitsCapture = pending.count == 0 && isCapturing
            return awaitsValue
        }
        let known = node.pointee.child(key, guessing: expected)
        guard let child = known ?? node.pointee.wildcard else { return false }
        if known == nil { noteFree(key) }
        frames.last.current = child
        if child.pointee.isSimple {
            member = child
            expected = child.pointee.next
        } else {
            pending.hold(Position(row: plainRow, node: child))
            expected = nil
        }
        return true
    }

    private mutating func noteFree(_ key: UnsafeRawBufferPointer) {
        freeKeys[frames.count] = String(decoding: key, as: UTF8.self)
    }

    // MARK: Values

    /// Ends the wait for the value of `member`.
    @inline(__always)
    mutating func takeMember() -> UnsafePointer<PlanNode>? {
        defer { member = nil }
        return member
    }

    /// Prepares for a value and counts the elements of a list. Returns whether the value is an
    /// element.
    mutating func enterValue() throws(EventBreach) -> Bool {
        if let member = takeMember() { pending.hold(Position(row: plainRow, node: member)) }
        guard frames.count > 0, frames.last.isArray else {
            guard awaitsValue else { throw frames.count == 0 ? .secondRoot : .valueWithoutKey }
            awaitsCapture = false
            return false
        }
        countElement()
        return true
    }

    mutating func countElement() {
        frames.last.hasContent = true
        frames.last.elementCount += 1
    }

    /// The positions that receive a value: the positions of its list, or else the pending
    /// positions.
    func receiver(_ index: Int, _ isElement: Bool) -> Position {
        isElement ? positions[index] : pending[index]
    }

    func receivers(_ isElement: Bool) -> Range<Int> {
        isElement ? frames.last.firstPosition..<positions.count : 0..<pending.count
    }

    /// Ends the wait for a value that came, or that nobody wants.
    mutating func endValue() {
        pending.pop(to: 0)
        guard let node = plainNode else { return }
        let last = frames.last.current
        expected = last == nil ? node.pointee.children.first : last?.pointee.next
    }

    // MARK: Containers

    mutating func open(_ frame: Frame, isCapturing: Bool) {
        frames.push(frame)
        findPlain(isCapturing: isCapturing)
    }

    /// Opens an object at one position, while nothing is captured.
    @inline(__always)
    mutating func openPlain(_ frame: Frame, at position: Position) {
        positions.push(position)
        frames.push(frame)
        pending.pop(to: 0)
        plainNode = position.node
        plainRow = position.row
        expected = position.node.pointee.children.first
    }

    /// Ends the innermost container. Its positions remain until `close`.
    mutating func popFrame() -> Frame {
        let frame = frames.last
        frames.pop(to: frames.count - 1)
        return frame
    }

    mutating func close(_ frame: Frame) {
        positions.pop(to: frame.firstPosition)
    }

    /// Updates the state after each change of the open containers.
    @inline(__always)
    mutating func findPlain(isCapturing: Bool) {
        plainNode = nil
        expected = nil
        if !isCapturing, frames.count > 0, !frames.last.isArray,
            positions.count - frames.last.firstPosition == 1
        {
            let position = positions[frames.last.firstPosition]
            plainNode = position.node
            plainRow = position.row
        }
        endValue()
    }
}
