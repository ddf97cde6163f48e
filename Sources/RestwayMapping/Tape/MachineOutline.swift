import RestwayObjects

/// Keeps the state that decides a machine's answers: which places of the plan are open.
///
/// It takes the same events and gives the same answers as the machine of the same plan, but has no
/// values and rows. So a writer need not wait for the machine. Answers that depend on values (the
/// limit on objects, a cancel) come only from the machine.
struct MachineOutline {
    typealias Node = UnsafePointer<PlanNode>

    private struct Frame: BitwiseCopyable {
        let isArray: Bool
        /// The places of the frame begin here and end where the next frame's begin.
        let firstNode: Int
        /// The number of open captures when the frame began.
        let captureCount: Int
        var index = -1
        /// The place that the next key probably leads to.
        var guess: Node?
    }

    private let depthMax: Int
    private let descriptorCount: Int
    private var nodes = ScratchStack<Node>()
    private var pending = ScratchStack<Node>()
    private var frames = ScratchStack<Frame>()
    /// The roots of the mappings.
    private var roots = ScratchStack<Node>()
    private var captureCount = 0
    /// The one place of the open object, like `plainNode` in the machine.
    private(set) var plainNode: Node?
    /// The place that the next key of this object probably leads to; nil also while a value is
    /// expected.
    private(set) var guess: Node?
    private var isBroken = false

    init(_ plan: MappingPlan, _ limits: MappingLimits) {
        depthMax = limits.nestingDepthMax
        descriptorCount = plan.descriptors.count
        for mapping in plan.mappings { roots.push(mapping.plan.root) }
        pending.push(plan.tree.root)
    }

    func destroy() {
        nodes.destroy()
        pending.destroy()
        frames.destroy()
        roots.destroy()
    }

    /// Notes that a key was found where it was expected. The value of one attribute comes next.
    @inline(__always)
    mutating func passGuess() {
        guess = guess?.pointee.next
    }

    /// The place that a key leads to, in an object with one place.
    mutating func find(_ key: UnsafeRawBufferPointer, of node: Node) -> Node? {
        pending.pop(to: 0)
        if guess == nil { findGuess() }
        guard let child = node.pointee.child(key, guessing: guess) else { return nil }
        guess = child.pointee.next
        return child
    }

    /// Notes that the next value is for `child`.
    mutating func wait(for child: Node) {
        frames[frames.count - 1].guess = guess
        guess = nil
        pending.hold(child)
    }

    /// Takes a key in any other object.
    mutating func anyKey(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        guard !isBroken, frames.count > 0, !frames[frames.count - 1].isArray else { return stop() }
        pending.pop(to: 0)
        for index in frames[frames.count - 1].firstNode..<nodes.count {
            guard let child = nodes[index].pointee.child(key) else { continue }
            pending.push(child)
        }
        return pending.count > 0 || captureCount > 0 ? .want : .skip
    }

    mutating func scalar() -> EventAnswer {
        guard !isBroken else { return .stop }
        _ = enterValue()
        pending.pop(to: 0)
        findGuess()
        return .want
    }

    mutating func beginObject() -> EventAnswer {
        guard !isBroken else { return .stop }
        if let place = plainPlace() { return open(place) }
        let isElement = enterValue()
        let frame = newFrame(isArray: false)
        for index in receivers(isElement) {
            let node = isElement ? nodes[index] : pending[index]
            if !isElement {
                capture(node)
                if !node.pointee.children.isEmpty { nodes.push(node) }
            }
            for row in node.pointee.rows { startRow(row.mapping) }
            for link in node.pointee.links where takes(link) {
                startRow(descriptorCount + link.entity)
            }
        }
        return open(frame)
    }

    mutating func beginArray() -> EventAnswer {
        guard !isBroken else { return .stop }
        let isElement = enterValue()
        let frame = newFrame(isArray: true)
        if !isElement {
            for index in 0..<pending.count {
                let node = pending[index]
                capture(node)
                if !node.pointee.rows.isEmpty || !node.pointee.links.isEmpty { nodes.push(node) }
            }
        }
        return open(frame)
    }

    mutating func end(isArray: Bool) -> EventAnswer {
        guard !isBroken, frames.count > 0, frames[frames.count - 1].isArray == isArray else {
            return stop()
        }
        let frame = frames[frames.count - 1]
        frames.pop(to: frames.count - 1)
        pending.pop(to: 0)
        nodes.pop(to: frame.firstNode)
        captureCount = frame.captureCount
        findPlain()
        findGuess()
        return .want
    }

    /// Makes `stop` the answer to every later event.
    mutating func stop() -> EventAnswer {
        isBroken = true
        pending.pop(to: 0)
        plainNode = nil
        guess = nil
        return .stop
    }

    private mutating func open(_ frame: Frame) -> EventAnswer {
        pending.pop(to: 0)
        guard nodes.count > frame.firstNode || captureCount > 0 else {
            findGuess()
            return .skip
        }
        guard frames.count < depthMax else { return stop() }
        frames.push(frame)
        findPlain()
        if let plainNode { frames[frames.count - 1].guess = plainNode.pointee.children.first }
        findGuess()
        return .want
    }

    /// The place of an object's keys if the object is of a usual kind, as in the machine.
    @inline(__always)
    private mutating func plainPlace() -> Node? {
        let top = frames.count - 1
        guard captureCount == 0, top >= 0, top + 1 < depthMax else { return nil }
        guard frames[top].isArray else {
            return pending.count == 1 && pending[0].pointee.isBranch ? pending[0] : nil
        }
        guard nodes.count - frames[top].firstNode == 1,
            let row = nodes[nodes.count - 1].pointee.soleRow
        else { return nil }
        let root = roots[row.pointee.mapping]
        guard root.pointee.takesNoContainer else { return nil }
        frames[top].index += 1
        return root
    }

    @inline(__always)
    private mutating func open(_ place: Node) -> EventAnswer {
        pending.pop(to: 0)
        guess = place.pointee.children.first
        plainNode = place
        frames.push(
            Frame(isArray: false, firstNode: nodes.count, captureCount: 0, guess: guess))
        nodes.push(place)
        return .want
    }

    @inline(__always)
    private mutating func findPlain() {
        plainNode = nil
        guard captureCount == 0, frames.count > 0 else { return }
        let frame = frames[frames.count - 1]
        guard !frame.isArray, nodes.count - frame.firstNode == 1 else { return }
        plainNode = nodes[frame.firstNode]
    }

    @inline(__always)
    private mutating func findGuess() {
        guess = plainNode == nil ? nil : frames[frames.count - 1].guess
    }

    private mutating func enterValue() -> Bool {
        guard frames.count > 0, frames[frames.count - 1].isArray else { return false }
        frames[frames.count - 1].index += 1
        return true
    }

    private func receivers(_ isElement: Bool) -> Range<Int> {
        isElement ? frames[frames.count - 1].firstNode..<nodes.count : 0..<pending.count
    }

    private func newFrame(isArray: Bool) -> Frame {
        Frame(isArray: isArray, firstNode: nodes.count, captureCount: captureCount)
    }

    private mutating func startRow(_ mapping: Int) {
        nodes.push(roots[mapping])
        capture(roots[mapping])
    }

    private mutating func capture(_ node: Node) {
        for target in node.pointee.targets where target.takesContainers { captureCount += 1 }
    }

    /// Whether the link takes this value: a relationship to one takes only the first element of a
    /// list.
    private func takes(_ link: PlanLink) -> Bool {
        guard !link.isMany, frames.count > 0 else { return true }
        let frame = frames[frames.count - 1]
        return !frame.isArray || frame.index == 0
    }
}
