import RestwayObjects

/// A list or a map of values that is being read for an attribute. It becomes canonical JSON text
/// (`ValueShape`).
///
/// It takes the events of everything inside the list or map, and converts each innermost value. A
/// value that does not fit is left out.
final class OpenCollection {
    /// A list or a map whose end has not come.
    private struct Level {
        /// The form of its elements.
        let element: ValueShape
        let isMap: Bool
        /// The start of its text.
        let start: Int
        var count = 0
        var hasRefused = false
        /// The key of the next value of a map.
        var key: [UInt8] = []
        /// The values of a map, each with its range in the text.
        var entries: [(key: [UInt8], range: Range<Int>)] = []
    }

    /// The row and the attribute that get the text; nil if the answer itself gets it.
    let row: OpenRow?
    let target: PlanTarget
    private let collection: PlanCollection
    private var levels: [Level] = []
    private var text = ScratchStack<UInt8>()
    /// The number of open objects and lists inside an innermost value that is kept as JSON.
    private var keptDepth = 0
    private var keptStart = 0
    /// Whether the present object or list inside the kept value has had a key or an element.
    private var needsComma = false
    /// The number of open objects and lists inside a value that does not fit.
    private var refusedDepth = 0

    init(_ collection: PlanCollection, _ target: PlanTarget, _ row: OpenRow?) {
        self.collection = collection
        self.target = target
        self.row = row
    }

    deinit { text.destroy() }

    /// The text of the whole list or map; nil if it had elements and none of them fitted.
    var json: UnsafeRawBufferPointer? {
        guard text.count > 0 else { return nil }
        return UnsafeRawBufferPointer(start: text.base, count: text.count)
    }

    // MARK: Events

    func key(_ key: UnsafeRawBufferPointer) {
        if refusedDepth > 0 { return }
        if keptDepth > 0 {
            text.writeKey(key, isFirst: !needsComma)
            needsComma = false
        } else if let last = levels.indices.last {
            levels[last].key = Array(key)
        }
    }

    /// Takes a value without members.
    func add(
        _ scalar: Scalar, _ values: inout ValueConverter, _ mapping: MappingIndex?
    ) throws(Misfit) {
        if refusedDepth > 0 { return }
        if keptDepth > 0 {
            separate()
            return text.writeJSON(scalar)
        }
        guard let last = levels.indices.last else { return }
        do throws(Misfit) {
            try addElement(scalar, &values, mapping)
        } catch {
            levels[last].hasRefused = true
            throw error
        }
    }

    /// Takes the beginning of a list or an object.
    func open(isArray: Bool) throws(Misfit) {
        if refusedDepth > 0 {
            refusedDepth += 1
            return
        }
        if keptDepth > 0 {
            separate()
            return openKept(isArray: isArray)
        }
        let shape = levels.last?.element ?? collection.shape
        switch shape {
        case .list(let element) where isArray:
            return openLevel(element, isMap: false)
        case .map(let element) where !isArray:
            return openLevel(element, isMap: true)
        case .one where collection.element.takesContainers:
            startElement()
            keptStart = text.count
            return openKept(isArray: isArray)
        default: break
        }
        refusedDepth = 1
        if let last = levels.indices.last { levels[last].hasRefused = true }
        let found: StaticString = isArray ? "a list" : "an object"
        if case .one = shape { throw .found(found, by: collection.element) }
        throw .other("expected \(shape.withArticle), found \(found)")
    }

    /// Takes the end of a list or an object.
    func close(
        isArray: Bool, _ values: inout ValueConverter, _ mapping: MappingIndex?
    ) throws(Misfit) {
        if refusedDepth > 0 {
            refusedDepth -= 1
            return
        }
        guard keptDepth > 0 else { return closeLevel() }
        text.push(UInt8(ascii: isArray ? "]" : "}"))
        keptDepth -= 1
        needsComma = true
        if keptDepth == 0 { try endKept(&values, mapping) }
    }

    // MARK: Elements

    private func addElement(
        _ scalar: Scalar, _ values: inout ValueConverter, _ mapping: MappingIndex?
    ) throws(Misfit) {
        if case .null = scalar {
            startElement()
            text.append("null")
            return endElement()
        }
        guard let last = levels.last, case .one = last.element else {
            let expected = levels.last?.element.withArticle ?? ""
            throw .other("expected \(expected), found \(scalar.found)")
        }
        let mark = values.bytes.count
        defer { values.forget(from: mark) }
        let cell = try values.cell(scalar, collection.element, mapping)
        try add(cell, values.bytes.base)
    }

    private func add(_ cell: Cell, _ bytes: UnsafePointer<UInt8>) throws(Misfit) {
        if case .double = cell.kind, !cell.double.isFinite {
            throw .other("expected a number, found one that a list cannot hold")
        }
        startElement()
        text.writeJSON(cell, besides: bytes)
        endElement()
    }

    private func startElement() {
        guard let last = levels.indices.last else { return }
        if !levels[last].isMap, levels[last].count > 0 { text.push(UInt8(ascii: ",")) }
        if levels[last].isMap {
            let range = text.count..<text.count
            levels[last].entries.append((key: levels[last].key, range: range))
        }
        levels[last].count += 1
    }

    private func endElement() {
        guard let last = levels.indices.last, let entry = levels[last].entries.indices.last else {
            return
        }
        let start = levels[last].entries[entry].range.lowerBound
        levels[last].entries[entry].range = start..<text.count
    }

    // MARK: Levels

    private func openLevel(_ element: ValueShape, isMap: Bool) {
        startElement()
        levels.append(Level(element: element, isMap: isMap, start: text.count))
        if !isMap { text.push(UInt8(ascii: "[")) }
    }

    private func closeLevel() {
        guard let level = levels.popLast() else { return }
        if levels.isEmpty, level.count == 0, level.hasRefused {
            // Nothing fitted, so the attribute keeps its value.
            return text.pop(to: 0)
        }
        if level.isMap {
            writeMap(level)
        } else {
            text.push(UInt8(ascii: "]"))
        }
        endElement()
    }

    /// Replaces the values of a map by its text. If a key came twice, its last value counts.
    private func writeMap(_ level: Level) {
        let values = UnsafeRawBufferPointer(start: text.base, count: text.count)
        var newest: [[UInt8]: [UInt8]] = [:]
        for entry in level.entries { newest[entry.key] = Array(values[entry.range]) }
        text.pop(to: level.start)
        text.push(UInt8(ascii: "{"))
        let ordered = newest.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (index, entry) in ordered.enumerated() {
            entry.key.withUnsafeBytes { text.writeKey($0, isFirst: index == 0) }
            entry.value.withUnsafeBytes { text.append($0) }
        }
        text.push(UInt8(ascii: "}"))
    }

    // MARK: Innermost values that are kept as JSON

    private func separate() {
        if needsComma, text.last != UInt8(ascii: ":") { text.push(UInt8(ascii: ",")) }
        needsComma = true
    }

    private func openKept(isArray: Bool) {
        text.push(UInt8(ascii: isArray ? "[" : "{"))
        keptDepth += 1
        needsComma = false
    }

    private func endKept(_ values: inout ValueConverter, _ mapping: MappingIndex?) throws(Misfit) {
        needsComma = false
        let conversion = collection.element.conversion
        guard conversion == .custom || conversion.isComposite else { return endElement() }
        // The transform gets the text, and its answer takes the place of the text.
        let json = Array(UnsafeRawBufferPointer(start: text.base, count: text.count)[keptStart...])
        dropElement()
        let mark = values.bytes.count
        defer { values.forget(from: mark) }
        let cell: Result<Cell, Misfit> = json.withUnsafeBytes { json in
            Result { () throws(Misfit) in
                try values.cell(json: json, collection.element, mapping)
            }
        }
        do throws(Misfit) {
            try add(try cell.get(), values.bytes.base)
        } catch {
            if let last = levels.indices.last { levels[last].hasRefused = true }
            throw error
        }
    }

    /// Takes the newest element back.
    private func dropElement() {
        guard let last = levels.indices.last else { return }
        levels[last].count -= 1
        let needsSeparator = !levels[last].isMap && levels[last].count > 0
        text.pop(to: keptStart - (needsSeparator ? 1 : 0))
        if levels[last].isMap { levels[last].entries.removeLast() }
    }
}

extension ScratchStack<UInt8> {
    /// Writes the value of a cell as canonical JSON.
    ///
    /// - Parameter bytes: The text of the cells of the row.
    fileprivate mutating func writeJSON(_ cell: Cell, besides bytes: UnsafePointer<UInt8>) {
        switch cell.kind {
        case .null, .absent, .object, .list: writeJSON(.null)
        case .bool: writeJSON(.bool(cell.integer != 0))
        case .int64: writeJSON(.int64(cell.integer))
        case .double: writeJSON(.double(cell.double))
        case .date: writeJSON(.date(cell.integer))
        case .string: writeJSON(.string(cell.text(besides: bytes)))
        case .bytes: writeJSON(.bytes(cell.text(besides: bytes)))
        case .json: append(cell.text(besides: bytes))
        }
    }
}
