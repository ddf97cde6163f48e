import RestwaySQLite

/// The answers in memory: those that were used last, up to a number of bytes.
///
/// For each key, it holds either all variants or no variant.
struct CacheMemory {
    /// A place in the list that leads from the key used last to the one used longest ago.
    private struct Slot {
        var hash: Int64 = 0
        /// `nil` while the file is read.
        var variants: Variants?
        /// The last removal that was applied.
        var checked: Int64 = 0
        /// The writes and reads of the file under way, which keep the slot in memory.
        var pins = 0
        /// Whether the file may have more variants.
        var isPartial = false
        var usedAt: Int64 = 0
        var newer = -1
        var older = -1
    }

    /// The version of the memory when it was asked. Later it tells whether an answer may be kept.
    struct Version: Sendable {
        /// The last removal.
        var removal: Int64 = 0
        /// The last change of the file.
        var change: Int64 = 0
    }

    /// How much of the file is known.
    struct Watch {
        /// `nil` without a file.
        var connection: Connection?
        /// The mark of the file's log when the changes were read.
        var mark: UInt64?
        var version = Version()
    }

    enum Found {
        case variants(Variants, isUsed: Bool)
        case nothing
        /// The file has to be asked.
        case unknown
    }

    /// A use of an entry is written to the file at most this often, in microseconds.
    static let useInterval: Int64 = 60_000_000

    let bytesMax: Int64
    /// Whether answers can be in a file, too.
    let hasFile: Bool
    private(set) var bytes: Int64 = 0
    private(set) var count = 0
    /// The entries that were removed to make room.
    private(set) var evicted: Int64 = 0
    private(set) var removed: Int64 = 0
    var removals = RemovalLog()
    var watch = Watch()
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var places: [Int64: Int] = [:]
    private var ends = (newest: -1, oldest: -1)

    init(bytesMax: Int64, hasFile: Bool) {
        self.bytesMax = bytesMax
        self.hasFile = hasFile
    }

    var version: Version { Version(removal: removals.last, change: watch.version.change) }

    // MARK: Finding

    /// - Parameter trusts: Whether other processes are known to have changed nothing.
    mutating func find(_ label: EntryLabel, now: Int64, trusts: Bool = false) -> Found {
        if !trusts, let connection = watch.connection {
            guard let mark = watch.mark, connection.commitMark == mark else { return .unknown }
        }
        guard let place = places[label.hash] else { return hasFile ? .unknown : .nothing }
        settle(place)
        guard let variants = slots[place].variants, let first = variants.answers.first,
            first.label.name == label.name
        else { return hasFile ? .unknown : .nothing }
        use(place)
        let isUsed = now - slots[place].usedAt >= Self.useInterval
        if isUsed { slots[place].usedAt = now }
        return .variants(variants, isUsed: isUsed)
    }

    /// Keeps a place for what is about to be read from the file.
    ///
    /// - Returns: False if there is a slot already.
    mutating func expect(_ hash: Int64) -> Bool {
        guard places[hash] == nil else { return false }
        slots[make(hash)].pins = 1
        return true
    }

    /// Puts what was read from the file into the place kept for it, unless a newer answer is there
    /// by now.
    mutating func fill(_ hash: Int64, _ variants: Variants?, usedAt: Int64 = 0) {
        guard let place = places[hash] else { return }
        if slots[place].variants == nil, let variants {
            set(place, variants)
            slots[place].checked = removals.last
            slots[place].usedAt = usedAt
            if variants.memoryBytes > bytesMax / 4 { slots[place].isPartial = true }
        }
        unpin(place)
    }

    // MARK: Storing

    /// Keeps an answer, unless it was removed since its request left.
    ///
    /// - Parameters:
    ///   - ids: The answers that it replaces.
    ///   - hadVariants: Whether there were variants when the request left.
    ///   - cause: The exchange of the answer.
    mutating func store(
        _ answer: KeptAnswer, replacing ids: [Int64], since version: Version, hadVariants: Bool,
        cause: ObjectIdentifier, now: Int64
    ) -> Bool {
        guard mayKeep(answer, since: version, cause: cause) else { return false }
        let place = places[answer.label.hash] ?? make(answer.label.hash)
        slots[place].pins += 1
        settle(place)
        var known = slots[place].variants
        if known?.answers.first?.label.name != answer.label.name {
            known = nil
            if hasFile, hadVariants || version.change != watch.version.change {
                slots[place].isPartial = true
            }
        }
        set(place, known?.adding(answer, replacing: ids) ?? Variants([answer]))
        if answer.memoryBytes > bytesMax / 4 { slots[place].isPartial = true }
        slots[place].checked = removals.last
        slots[place].usedAt = now
        use(place)
        // A file keeps the slot until the answer is written.
        if hasFile { evict() } else { unpin(place) }
        return true
    }

    func mayKeep(_ answer: KeptAnswer, since version: Version, cause: ObjectIdentifier) -> Bool {
        !removals.removes(
            answer.label, id: answer.id, time: answer.head.responseTime, since: version.removal,
            except: cause)
    }

    /// Puts an answer in the place of one with the same id, for example with its body.
    mutating func replace(_ answer: KeptAnswer) {
        guard let place = places[answer.label.hash], let variants = slots[place].variants else {
            return
        }
        let answers = variants.answers.map { $0.id == answer.id ? answer : $0 }
        set(place, Variants(answers))
        evict()
    }

    /// The answers of a key are in the file now.
    mutating func noteWritten(_ hash: Int64) {
        if let place = places[hash] { unpin(place) }
    }

    private mutating func unpin(_ place: Int) {
        slots[place].pins -= 1
        guard slots[place].pins <= 0 else { return }
        slots[place].pins = 0
        if slots[place].variants == nil || slots[place].isPartial { remove(place) } else { evict() }
    }

    /// All answers, in no order.
    var answers: [KeptAnswer] { slots.flatMap { $0.variants?.answers ?? [] } }

    // MARK: Removing

    /// Forgets what the file has in another form now. A write under way keeps its answer.
    mutating func forget(_ hash: Int64) {
        guard let place = places[hash] else { return }
        if slots[place].pins == 0 { remove(place) } else { slots[place].isPartial = true }
    }

    mutating func forgetAll() {
        for hash in Array(places.keys) { forget(hash) }
    }

    /// - Returns: The number of the removal.
    mutating func remove(
        _ removal: Removal, cause: ObjectIdentifier? = nil, isForeign: Bool = false
    ) -> Int64 {
        if removals.isFull {
            settleAll()
            removals.shorten()
        }
        let number = removals.add(removal, cause: cause, isForeign: isForeign)
        if !hasFile { removals.noteWritten(number) }
        return number
    }

    /// Applies all removals.
    mutating func settleAll() {
        for place in Array(places.values) { settle(place) }
    }

    private mutating func settle(_ place: Int) {
        guard slots[place].checked < removals.last, let variants = slots[place].variants else {
            return
        }
        let since = slots[place].checked
        let left = variants.answers.filter {
            !removals.removes($0.label, id: $0.id, time: $0.head.responseTime, since: since)
        }
        slots[place].checked = removals.last
        guard left.count < variants.answers.count else { return }
        removed += Int64(variants.answers.count - left.count)
        if left.isEmpty, slots[place].pins == 0 {
            remove(place)
        } else {
            set(place, left.isEmpty ? nil : Variants(left))
        }
    }

    private mutating func evict() {
        var place = ends.oldest
        while bytes > bytesMax, place >= 0 {
            let newer = slots[place].newer
            if slots[place].pins == 0 {
                if !hasFile { evicted += Int64(slots[place].variants?.answers.count ?? 0) }
                remove(place)
            }
            place = newer
        }
    }

    // MARK: The list

    private mutating func set(_ place: Int, _ variants: Variants?) {
        let before = slots[place].variants
        bytes += (variants?.memoryBytes ?? 0) - (before?.memoryBytes ?? 0)
        count += (variants?.answers.count ?? 0) - (before?.answers.count ?? 0)
        slots[place].variants = variants
    }

    private mutating func make(_ hash: Int64) -> Int {
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(Slot()) }
        slots[place] = Slot(hash: hash, checked: removals.last)
        places[hash] = place
        link(place)
        return place
    }

    private mutating func remove(_ place: Int) {
        set(place, nil)
        unlink(place)
        places[slots[place].hash] = nil
        free.append(place)
    }

    private mutating func use(_ place: Int) {
        guard ends.newest != place else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int) {
        slots[place].newer = -1
        slots[place].older = ends.newest
        if ends.newest >= 0 { slots[ends.newest].newer = place } else { ends.oldest = place }
        ends.newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if newer >= 0 { slots[newer].older = older } else { ends.newest = older }
        if older >= 0 { slots[older].newer = newer } else { ends.oldest = newer }
    }
}
