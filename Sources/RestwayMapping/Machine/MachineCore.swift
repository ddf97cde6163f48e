import RestwayObjects

/// The state of a mapping machine: it takes the events of a mapper and lets its parts do what they
/// ask for.
struct MachineCore {
    let plan: MappingPlan
    private let limits: MappingLimits
    private let isCancelled: (@Sendable () -> Bool)?

    var places: OpenPlaces
    var rows: OpenRows
    var values: ValueConverter
    private(set) var captures = Captures()
    /// The events of an object that may be of several entities.
    var tape = EventTape()
    var issues = IssueLog()
    /// The value of the answer.
    private var answer = AnswerValue()
    /// The places that have come at which a descriptor requires something.
    private var found: Set<DescriptorIndex> = []
    private(set) var failure: MappingFailure?
    /// Whether results stand in a list.
    private var hasLists = false

    init(
        _ plan: MappingPlan, _ limits: MappingLimits, _ isCancelled: (@Sendable () -> Bool)?,
        _ progress: MappingProgress?, isAnswer: Bool
    ) {
        self.plan = plan
        self.limits = limits
        self.isCancelled = isCancelled
        // Hooks see and change rows, and in answers to sent objects each place has its own row.
        // Equal values under different parents may belong to different objects.
        let repeated = RepeatedRows(isOn: !isAnswer && !plan.hasHooks && !plan.completesRows)
        places = OpenPlaces(plan.tree.root)
        rows = OpenRows(plan, progress, repeated)
        values = ValueConverter(plan)
    }

    func destroy() {
        places.destroy()
        rows.destroy()
        values.destroy()
        captures.destroy()
        tape.destroy()
    }

    mutating func relies(on bytes: UnsafeRawBufferPointer) {
        values.lasting = bytes
    }

    /// Checks that the mapper has pushed one whole value.
    func checkValue() throws(MappingFailure) {
        if let failure { throw failure }
        guard places.frames.count == 0, !tape.isRecording else { throw broken(.unfinished) }
        guard !places.awaitsValue else { throw broken(.noValue) }
        guard plan.hasRequired else { return }
        for (index, descriptor) in plan.descriptors.enumerated()
        where descriptor.isRequired && !found.contains(DescriptorIndex(index)) {
            throw .missing(keyPath: descriptor.keyPath.joined(separator: "."))
        }
    }

    /// Notes that a value has come for the descriptors at a position above all rows.
    private mutating func note(_ position: OpenPlaces.Position) {
        guard plan.hasRequired, position.row == nil else { return }
        for row in position.node.pointee.rows {
            if case .result(let descriptor) = row.role { found.insert(descriptor) }
        }
        for target in position.node.pointee.targets {
            if case .answer(let descriptor) = target.destination { found.insert(descriptor) }
        }
    }

    /// Prepares for another value, which adds to the rows.
    mutating func beginNextValue() {
        found = []
        places.expectValue(at: plan.tree.root)
    }

    var firstIssue: MappingIssue? { issues.kept.first }

    func resultCount(of descriptor: DescriptorIndex) -> Int { rows.resultCount(of: descriptor) }

    mutating func finish() throws(MappingFailure) -> MappingResult {
        try checkValue()
        let (changes, results) = rows.take()
        rows.progress?.end()
        var result = MappingResult(
            changeSet: changes, results: results, hasLists: hasLists, value: answer.value,
            valueShape: plan.valueShape, issues: issues)
        result.unkeptResults = plan.unkeptResults
        return result
    }

    // MARK: Keys and scalars

    @inline(__always)
    mutating func key(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        places.takesExpected(key) ? .want : otherKey(key)
    }

    @inline(never)
    private mutating func otherKey(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        guard failure == nil else { return .stop }
        if tape.isRecording {
            tape.key(key)
            return .want
        }
        guard places.frames.count > 0, !places.frames.last.isArray else {
            return fail(broken(.keyOutsideObject))
        }
        guard !places.awaitsValue else { return fail(broken(.keyWithoutValue)) }
        if captures.isOpen {
            captures.text.writeKey(key, isFirst: !places.frames.last.hasContent)
            for collection in captures.collections { collection.key(key) }
        }
        return places.find(key, isCapturing: captures.isOpen) ? .want : .skip
    }

    @inline(__always)
    mutating func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard takesUnchanged(.string), let cell = try? values.text(of: text) else {
            return scalar(.string(text))
        }
        return put(cell)
    }

    @inline(__always)
    mutating func int64(_ value: Int64) -> EventAnswer {
        takesUnchanged(.int64) ? put(.int64(value)) : scalar(.int64(value))
    }

    @inline(__always)
    mutating func double(_ value: Double) -> EventAnswer {
        takesUnchanged(.double) ? put(.double(value)) : scalar(.double(value))
    }

    @inline(__always)
    mutating func bool(_ value: Bool) -> EventAnswer {
        takesUnchanged(.bool) ? put(.bool(value)) : scalar(.bool(value))
    }

    /// Whether a value of this kind becomes the cell of `places.member` as it is.
    @inline(__always)
    private func takesUnchanged(_ kind: Cell.Kind) -> Bool {
        places.member.map { $0.pointee.unchangedKinds.contains(kind) } ?? false
    }

    /// Stores the value of `places.member`, which takes it unchanged.
    @inline(__always)
    private mutating func put(_ cell: Cell) -> EventAnswer {
        if let member = places.takeMember(), let row = places.plainRow {
            rows.put(cell, member.pointee.attribute, row)
        }
        return .want
    }

    @inline(never)
    mutating func scalar(_ scalar: Scalar) -> EventAnswer {
        if let member = places.takeMember() {
            put(scalar, member.pointee.targets[0], places.plainRow)
            return .want
        }
        if tape.isRecording {
            tape.scalar(scalar)
            return .want
        }
        guard let isElement = enterValue() else { return .stop }
        if captures.isOpen { capture(scalar) }
        for index in places.receivers(isElement) {
            let position = places.receiver(index, isElement)
            let node = position.node
            if !isElement {
                note(position)
                for target in node.pointee.targets { put(scalar, target, position.row) }
            }
            if case .null = scalar {
                if isElement {
                    guard putNullElement(position) else { return .stop }
                } else if let row = position.row, !node.pointee.isWildcard {
                    rows.putNull(from: node, row)
                }
                continue
            }
            if let row = position.row {
                for link in node.pointee.links where !putIdentity(scalar, link, row) {
                    return .stop
                }
            }
            let isForRows = !node.pointee.rows.isEmpty
            if isForRows || (!isElement && node.pointee.hasPlacesBelow) {
                let isList = !isElement && isForRows
                issue("expected an object\(isList ? " or a list" : ""), found \(scalar.found)")
            }
        }
        places.endValue()
        return .want
    }

    /// - Parameter row: The row that gets the value; nil if the answer itself gets it.
    mutating func put(_ scalar: Scalar, _ target: PlanTarget, _ row: OpenRow?) {
        do throws(Misfit) {
            let cell = try values.cell(scalar, target, rows.mapping(forValuesOf: row))
            put(cell, target, row)
            if cell.kind == .date, cell.integer < DateFormat.firstInSomeZone {
                issue("a date before the year 1 is kept, but some languages cannot hold it")
            }
        } catch {
            report(error, row)
        }
    }

    /// Stores the value of an attribute. The identity takes only integers and strings.
    mutating func put(_ cell: Cell, _ target: PlanTarget, _ row: OpenRow?) {
        if target.isIdentity, cell.kind != .int64, cell.kind != .string, cell.kind != .null {
            return issue("expected an identity (an integer or a string), found another value")
        }
        guard let row, let attribute = target.attribute else {
            return answer.take(cell, besides: values.bytes.base)
        }
        rows.put(cell, attribute, row)
    }

    // MARK: Containers

    mutating func beginObject() -> EventAnswer {
        guard failure == nil else { return .stop }
        if plan.hasUnions, records(isArray: false) { return .want }
        if let answer = beginPlainObject() { return answer }
        guard let isElement = enterValue() else { return .stop }
        let frame = newFrame(isArray: false)
        for index in places.receivers(isElement) {
            let position = places.receiver(index, isElement)
            let node = position.node
            if !isElement {
                note(position)
                captureOrRefuse(position, isArray: false)
                if node.pointee.hasPlacesBelow { places.positions.push(position) }
                rows.beginMap(position)
                for _ in node.pointee.rows { rows.progress?.expect(1) }
            }
            for start in node.pointee.rows {
                guard let start = settled(start) else { continue }
                guard startRow(start) != nil else { return .stop }
            }
            guard let row = position.row else { continue }
            for link in node.pointee.links where takes(link) {
                guard startLinked(link, row, .object) else { return .stop }
            }
        }
        return open(frame)
    }

    /// Opens the usual kinds of objects: elements of a list that become one row, and members that
    /// hold attributes of a row. Returns nil for all other objects.
    @inline(__always)
    private mutating func beginPlainObject() -> EventAnswer? {
        let depth = places.frames.count
        guard !captures.isOpen, depth > 0, depth < limits.nestingDepthMax else { return nil }
        let frame = newFrame(isArray: false)
        guard places.frames.last.isArray else {
            guard places.pending.count == 1, places.pending[0].node.pointee.isBranch else {
                return nil
            }
            places.openPlain(frame, at: places.pending[0])
            return .want
        }
        guard places.positions.count - places.frames.last.firstPosition == 1,
            let start = places.positions.last.node.pointee.soleRow
        else { return nil }
        let root = rows.kinds[start.mapping].root
        guard root.pointee.targets.isEmpty, root.pointee.links.isEmpty else { return nil }
        places.countElement()
        guard let row = pushRow(start) else { return .stop }
        places.openPlain(frame, at: OpenPlaces.Position(row: row, node: root))
        return .want
    }

    mutating func beginArray(_ count: Int?) -> EventAnswer {
        if tape.isRecording {
            tape.open(isArray: true, count: count)
            return .want
        }
        guard let isElement = enterValue() else { return .stop }
        let frame = newFrame(isArray: true)
        for index in places.receivers(isElement) {
            let position = places.receiver(index, isElement)
            let node = position.node
            if isElement || node.pointee.isWildcard {
                issue("expected an object, found a list")
                guard let row = position.row else { continue }
                for link in node.pointee.links { rows.refuse(link.cell, row) }
                continue
            }
            note(position)
            if position.row == nil, !node.pointee.rows.isEmpty { hasLists = true }
            captureOrRefuse(position, isArray: true)
            if node.pointee.hasPlacesBelow { issue("expected an object, found a list") }
            if let row = position.row {
                for link in node.pointee.links where link.isMany { rows.beginList(link, row) }
            }
            if !node.pointee.rows.isEmpty || !node.pointee.links.isEmpty {
                places.positions.push(position)
            }
            for _ in node.pointee.rows { rows.progress?.expect(count) }
        }
        return open(frame)
    }

    mutating func end(isArray: Bool) -> EventAnswer {
        guard failure == nil else { return .stop }
        if tape.isRecording {
            return tape.close(isArray: isArray) ? EventTape.read(into: &self) : .want
        }
        guard places.frames.count > 0, places.frames.last.isArray == isArray else {
            return fail(broken(.wrongEnd))
        }
        guard !places.awaitsValue else { return fail(broken(.keyWithoutValue)) }
        let frame = places.popFrame()
        if isArray {
            rows.endLists(frame, places)
        } else if plan.hasMaps {
            rows.endMaps(frame, places)
        }
        places.close(frame)
        if captures.isOpen {
            captures.text.push(UInt8(ascii: isArray ? "]" : "}"))
            tellCollections { (collection, values, mapping) throws(Misfit) in
                try collection.close(isArray: isArray, &values, mapping)
            }
            finishCaptures(from: frame.firstCapture)
        }
        if rows.hasBegun(frame.firstRow) {
            rows.finish(
                from: frame.firstRow, haveContent: frame.hasContent, values.bytes.base, &issues,
                at: places)
            if rows.count == 0 { values.clear() }
        }
        places.findPlain(isCapturing: captures.isOpen)
        return .want
    }

    private func newFrame(isArray: Bool) -> OpenPlaces.Frame {
        OpenPlaces.Frame(
            isArray: isArray, firstPosition: places.positions.count, firstRow: rows.next,
            firstCapture: captures.count)
    }

    /// Opens a container, unless its content is not needed.
    private mutating func open(_ frame: OpenPlaces.Frame) -> EventAnswer {
        places.endValue()
        guard
            places.positions.count > frame.firstPosition || rows.hasBegun(frame.firstRow)
                || captures.isOpen
        else { return .skip }
        guard places.frames.count < limits.nestingDepthMax else {
            return fail(.tooDeep(max: limits.nestingDepthMax))
        }
        if captures.isOpen {
            captures.text.push(UInt8(ascii: frame.isArray ? "[" : "{"))
            tellCollections { (collection, _, _) throws(Misfit) in
                try collection.open(isArray: frame.isArray)
            }
        }
        places.open(frame, isCapturing: captures.isOpen)
        return .want
    }

    /// Prepares for a value. It writes the separator in captured text. Returns whether the value is
    /// an element of a list, or nil if no value may come here, which ends the mapping.
    private mutating func enterValue() -> Bool? {
        guard failure == nil else { return nil }
        if captures.isOpen, places.followsElement { captures.text.push(UInt8(ascii: ",")) }
        do throws(EventBreach) {
            return try places.enterValue()
        } catch {
            _ = fail(broken(error))
            return nil
        }
    }

    // MARK: Rows

    /// Starts a row for an object and returns its index; nil if the mapping is over.
    private mutating func startRow(_ start: PlanRow) -> OpenRow? {
        guard let row = pushRow(start) else { return nil }
        let position = OpenPlaces.Position(row: row, node: rows.kinds[start.mapping].root)
        places.positions.push(position)
        captureOrRefuse(position, isArray: false)
        for link in position.node.pointee.links {
            guard startLinked(link, row, .whole) else { return nil }
        }
        return row
    }

    /// Starts the row of an object to which row `parent` links, unless the object fits no entity;
    /// false if the mapping is over.
    private mutating func startLinked(
        _ link: PlanLink, _ parent: OpenRow, _ origin: OpenRows.Origin
    ) -> Bool {
        guard let mapping = mapping(of: link, parent) else { return true }
        let start = PlanRow(role: .linked, mapping: mapping)
        guard let row = startRow(start) else { return false }
        rows.attach(row, link, parent, origin)
        putKey(link, row)
        return true
    }

    /// Pushes a row of absent cells and returns its index; nil if the mapping is over.
    mutating func pushRow(_ start: PlanRow) -> OpenRow? {
        guard !asks(isCancelled) else {
            _ = fail(.cancelled)
            return nil
        }
        guard rows.objectCount < limits.objectsMax else {
            _ = fail(.tooManyObjects(max: limits.objectsMax))
            return nil
        }
        return rows.push(start)
    }

    // MARK: Captures

    /// Handles a container as the value of attributes: it becomes text for attributes that take any
    /// value, and an issue for other attributes.
    private mutating func captureOrRefuse(_ position: OpenPlaces.Position, isArray: Bool) {
        for target in position.node.pointee.targets {
            let collection = values.collection(target, rows.mapping(forValuesOf: position.row))
            if target.takesContainers, collection?.takes(isArray: isArray) ?? true {
                captures.begin(target, position.row, collection)
            } else {
                report(.found(isArray ? "a list" : "an object", by: target), position.row)
            }
        }
    }

    private mutating func capture(_ scalar: Scalar) {
        captures.text.writeJSON(scalar)
        tellCollections { (collection, values, mapping) throws(Misfit) in
            try collection.add(scalar, &values, mapping)
        }
    }

    /// Passes an event to the open lists and maps of values, and reports what does not fit.
    private mutating func tellCollections(
        _ event: (OpenCollection, inout ValueConverter, MappingIndex?) throws(Misfit) -> Void
    ) {
        for collection in captures.collections {
            do throws(Misfit) {
                try event(collection, &values, rows.mapping(forValuesOf: collection.row))
            } catch {
                report(error, collection.row)
            }
        }
    }

    /// Completes the captures of a container that has ended.
    private mutating func finishCaptures(from first: Int) {
        for index in first..<captures.count {
            let (target, row) = (captures[index].target, captures[index].row)
            guard let json = captures.json(captures[index]) else { continue }
            do throws(Misfit) {
                let mapping = rows.mapping(forValuesOf: row)
                put(try values.cell(json: json, target, mapping), target, row)
            } catch {
                report(error, row)
            }
        }
        captures.end(from: first)
    }

    // MARK: Issues and failures

    mutating func issue(_ reason: String) {
        issues.add(reason, at: places)
    }

    mutating func report(_ misfit: Misfit, _ row: OpenRow?) {
        let mapping = rows.mapping(forValuesOf: row)
        issues.add(misfit, at: places) { [values] in values.expectation($0, mapping) }
    }

    /// Ends the mapping, because the mapper has broken its contract.
    @inline(never)
    mutating func broke(_ breach: EventBreach) -> EventAnswer {
        failure == nil ? fail(broken(breach)) : .stop
    }

    private func broken(_ breach: EventBreach) -> MappingFailure {
        .brokenEvents(breach, place: places.keyPath)
    }

    /// Ends the mapping. Only the first failure is kept.
    private mutating func fail(_ failure: MappingFailure) -> EventAnswer {
        self.failure = self.failure ?? failure
        places.abandon()
        return .stop
    }
}
