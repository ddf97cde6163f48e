/// Takes a mapper's events in place of a machine, and writes them on tapes for it.
///
/// It gives the machine's answers, because it follows the same plan (`MachineOutline`). It also
/// finds the places of most keys, so the machine need not look them up.
package struct TapeWriter {
    /// Takes a full tape and returns an empty one; nil if the machine needs no more events.
    package typealias Exchange = (EventTape) -> EventTape?

    private var outline: MachineOutline
    /// Memory whose text is not copied.
    private let lasting: UnsafeRawBufferPointer
    private let exchange: Exchange
    private var tape: EventTape
    /// Records that are not on the tape yet. The tape has room for them: see `EventTape.append`.
    private let gathered = UnsafeMutablePointer<EventRecord>.allocate(capacity: gatheredMax)
    private var next: UnsafeMutablePointer<EventRecord>
    private var end: UnsafeMutablePointer<EventRecord>
    /// The place of a key that takes one attribute. The key is written together with its value.
    private var member: UnsafePointer<PlanNode>?
    private var isStopped = false

    /// The number of gathered records, small enough for the L1 cache. Eight records fill three
    /// cache lines.
    private static let gatheredMax = 128

    /// - Parameter lasting: Memory that stays valid until the machine has taken all tapes.
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

    /// Frees the writer's memory. No event may follow.
    package func destroy() {
        outline.destroy()
        gathered.deallocate()
    }

    /// The last tape, which may be empty; nil if the machine needs no more events. Only `destroy`
    /// may follow.
    package mutating func finish() -> EventTape? {
        guard writeKey() else { return nil }
        endTape()
        return tape
    }

    @inline(__always)
    package mutating func key(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        // The key is nearly always the one that was declared next, with one attribute.
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

    /// Writes the waiting key with its value. The tape has room for it.
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

    /// Writes the waiting key alone, because its value is of another kind or does not come. Returns
    /// false if no more events are needed.
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

    /// Whether `text` lies in lasting memory.
    @inline(__always)
    private func lies(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress, let first = lasting.baseAddress else { return false }
        return start >= first && start + text.count <= first + lasting.count
    }

    /// Makes room for an event; false if the machine needs no more events.
    @inline(never)
    private mutating func makeRoom() -> Bool {
        guard !isStopped else { return false }
        tape.append(gathered, next - gathered)
        gather()
        return next != end || turn()
    }

    /// Starts to gather records again, as many as the tape has room for.
    private mutating func gather() {
        next = gathered
        end = gathered + min(Self.gatheredMax, tape.recordsMax - tape.count)
    }

    /// Appends the gathered records, which are the last ones on the tape.
    private mutating func endTape() {
        tape.append(gathered, next - gathered)
        next = gathered
        end = gathered
    }

    /// Starts another tape; false if the machine needs no more events.
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
