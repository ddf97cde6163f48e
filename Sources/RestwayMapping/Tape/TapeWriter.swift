/// Takes a mapper's events in place of a machine, and writes them on tapes for it.
///
/// It answers as the machine would, for it follows the plan (`MachineOutline`). So it also finds
/// the places of most keys, and the machine need not look them up.
package struct TapeWriter {
    /// Takes a full tape, and gives an empty one; nil when the machine takes nothing more.
    package typealias Exchange = (EventTape) -> EventTape?

    private var outline: MachineOutline
    /// Text in here is not copied.
    private let lasting: UnsafeRawBufferPointer
    private let exchange: Exchange
    private var tape: EventTape
    /// Events that are not on the tape yet, for which it has room: see `EventTape.append`.
    private let gathered = UnsafeMutablePointer<EventRecord>.allocate(capacity: gatheredMax)
    private var next: UnsafeMutablePointer<EventRecord>
    private var end: UnsafeMutablePointer<EventRecord>
    /// A key that leads to one attribute and waits for its value, to be written with it.
    private var member: UnsafePointer<PlanNode>?
    private var isStopped = false

    /// Few enough to stay in the nearest cache; eight fill three lines of it.
    private static let gatheredMax = 128

    /// - Parameter lasting: Stays where it is until the machine has taken all tapes.
    package init(
        for machine: MappingMachine, lasting: UnsafeRawBufferPointer, first tape: EventTape,
        exchange: @escaping Exchange
    ) {
        outline = MachineOutline(machine.plan, machine.limits)
        self.lasting = lasting
        self.exchange = exchange
        self.tape = tape
        next = gathered
        end = gathered
        gather()
    }

    /// Gives its memory back; nothing may come behind it.
    package func destroy() {
        outline.destroy()
        gathered.deallocate()
    }

    /// The last tape, which may be empty; nil when the machine takes nothing more. Nothing but
    /// `destroy` may come behind it.
    package mutating func finish() -> EventTape? {
        guard writeKey() else { return nil }
        endTape()
        return tape
    }

    @inline(__always)
    package mutating func key(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        // Nearly always the one that was declared next, and for one attribute.
        if let guess = outline.guess, guess.pointee.isQuick, member == nil,
            KeyDigest(key) == guess.pointee.digest
        {
            member = guess
            outline.passGuess()
            return .want
        }
        return otherKey(key)
    }

    @inline(__always)
    package mutating func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard let node = member, next != end, text.count <= Int(UInt32.max), lies(text) else {
            return anyText(.string, text)
        }
        return tell(.member(text, of: node))
    }

    @inline(__always)
    package mutating func int64(_ value: Int64) -> EventAnswer {
        let bits = UInt64(bitPattern: value)
        guard let node = member, next != end else { return anyScalar(.int64, bits) }
        return tell(EventRecord(.memberInt64, bits, node: node))
    }

    @inline(__always)
    package mutating func double(_ value: Double) -> EventAnswer {
        guard let node = member, next != end else { return anyScalar(.double, value.bitPattern) }
        return tell(EventRecord(.memberDouble, value.bitPattern, node: node))
    }

    @inline(__always)
    package mutating func bool(_ value: Bool) -> EventAnswer {
        guard let node = member, next != end else { return anyScalar(.bool, value ? 1 : 0) }
        return tell(EventRecord(.memberBool, value ? 1 : 0, node: node))
    }

    package mutating func null() -> EventAnswer {
        guard let node = member, next != end else { return anyScalar(.null, 0) }
        return tell(EventRecord(.memberNull, node: node))
    }

    package mutating func date(_ microseconds: Int64) -> EventAnswer {
        let bits = UInt64(bitPattern: microseconds)
        guard let node = member, next != end else { return anyScalar(.date, bits) }
        return tell(EventRecord(.memberDate, bits, node: node))
    }

    package mutating func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        anyText(.bytes, content)
    }

    package mutating func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        anyText(.unrepresentable, text)
    }

    package mutating func beginObject() -> EventAnswer {
        structure(EventRecord(.beginObject)) { $0.beginObject() }
    }

    package mutating func endObject() -> EventAnswer {
        structure(EventRecord(.endObject)) { $0.end(isArray: false) }
    }

    package mutating func beginArray(count: Int?) -> EventAnswer {
        let count = UInt64(bitPattern: Int64(count ?? -1))
        return structure(EventRecord(.beginArray, count)) { $0.beginArray() }
    }

    package mutating func endArray() -> EventAnswer {
        structure(EventRecord(.endArray)) { $0.end(isArray: true) }
    }

    // MARK: Writing

    @inline(__always)
    private mutating func structure(
        _ record: EventRecord, _ follow: (inout MachineOutline) -> EventAnswer
    ) -> EventAnswer {
        guard writeKey(), write(record) else { return .stop }
        return follow(&outline)
    }

    /// The value of the key that waits, for which there is room.
    @inline(__always)
    private mutating func tell(_ record: EventRecord) -> EventAnswer {
        next.initialize(to: record)
        next += 1
        member = nil
        return .want
    }

    @inline(never)
    private mutating func otherKey(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        guard writeKey() else { return .stop }
        guard let node = outline.plainNode else {
            guard put(.key, key) else { return .stop }
            return outline.anyKey(key)
        }
        guard let child = outline.find(key, of: node) else {
            return write(EventRecord(.skippedKey)) ? .skip : .stop
        }
        if child.pointee.isSimple {
            member = child
            return .want
        }
        outline.wait(for: child)
        return write(EventRecord(.foundKey, node: child)) ? .want : .stop
    }

    @inline(never)
    private mutating func anyScalar(_ kind: EventRecord.Kind, _ bits: UInt64) -> EventAnswer {
        guard writeKey(), write(EventRecord(kind, bits)) else { return .stop }
        return outline.scalar()
    }

    @inline(never)
    private mutating func anyText(
        _ kind: EventRecord.Kind, _ text: UnsafeRawBufferPointer
    ) -> EventAnswer {
        guard writeKey(), put(kind, text) else { return .stop }
        return outline.scalar()
    }

    /// The key that waits, alone: its value is of another kind, or does not come. False when
    /// nothing more is wanted.
    @inline(__always)
    private mutating func writeKey() -> Bool {
        guard let member else { return !isStopped }
        self.member = nil
        outline.wait(for: member)
        return write(EventRecord(.foundKey, node: member))
    }

    @inline(__always)
    private mutating func write(_ record: EventRecord) -> Bool {
        if next == end, !makeRoom() { return false }
        next.initialize(to: record)
        next += 1
        return true
    }

    private mutating func put(_ kind: EventRecord.Kind, _ text: UnsafeRawBufferPointer) -> Bool {
        let isLong = tape.text.count > EventTape.textBytesMax
        if isLong ? !turn() : next == end && !makeRoom() { return false }
        if lies(text) {
            let start = UInt64(UInt(bitPattern: text.baseAddress))
            return write(EventRecord(kind, start, count: text.count))
        }
        let start = UInt64(tape.text.count)
        tape.text.append(text)
        return write(EventRecord(kind, start, count: text.count, isOnTape: true))
    }

    /// Whether `text` lies where it stays.
    @inline(__always)
    private func lies(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, let first = lasting.baseAddress else { return false }
        return start >= first && start + text.count <= first + lasting.count
    }

    /// Sees to it that an event can be written; false when the machine takes nothing more.
    @inline(never)
    private mutating func makeRoom() -> Bool {
        guard !isStopped else { return false }
        tape.append(gathered, next - gathered)
        gather()
        return next != end || turn()
    }

    /// Begins anew to gather what the tape has room for.
    private mutating func gather() {
        next = gathered
        end = gathered + min(Self.gatheredMax, tape.recordsMax - tape.count)
    }

    /// What has been gathered is the last on the tape.
    private mutating func endTape() {
        tape.append(gathered, next - gathered)
        tape.end()
        next = gathered
        end = gathered
    }

    /// Goes on with another tape; false when the machine takes nothing more.
    private mutating func turn() -> Bool {
        guard !isStopped else { return false }
        endTape()
        guard let tape = exchange(tape) else {
            isStopped = true
            member = nil
            _ = outline.stop()
            return false
        }
        self.tape = tape
        gather()
        return true
    }
}
