import Glibc
import RestwayObjects

/// Collects the values of one attribute as a column of Arrow.
///
/// The values of an attribute with a type have one kind. An attribute of type `any`, or a row that
/// was written by hand, may bring values of other kinds. Integers then become doubles if no integer
/// changes by that; otherwise the column becomes the JSON text of each value.
final class ColumnBuilder {
    /// How the values lie in memory.
    private enum Layout {
        /// There was no value yet.
        case none
        case bytes
        case words
        case texts
    }

    private let name: String
    /// The kind of all values; `absent` as long as there was none.
    private var kind: Cell.Kind
    private var layout: Layout
    /// Whether the values are JSON texts because they have several kinds.
    private var isMixed = false
    private var count = 0
    private var mask = NullMask()
    private var values = ColumnMemory()
    private var ends = ValueEnds()
    private var texts = ColumnMemory()

    init(_ attribute: Attribute) {
        name = attribute.name
        kind = Self.kind(of: attribute.type)
        layout = Self.layout(of: kind)
    }

    deinit {
        mask.free()
        values.free()
        ends.free()
        texts.free()
    }

    private static func kind(of type: AttributeType) -> Cell.Kind {
        switch type {
        case .any: .absent
        case .bool: .bool
        case .int: .int64
        case .double: .double
        case .string: .string
        case .date: .date
        case .bytes: .bytes
        case .json: .json
        }
    }

    private static func layout(of kind: Cell.Kind) -> Layout {
        switch kind {
        case .bool: .bytes
        case .int64, .double, .date: .words
        case .string, .bytes, .json: .texts
        case .absent, .null, .object, .list: .none
        }
    }

    // MARK: Values

    func append(_ objects: ArraySlice<Snapshot>, attribute index: Int) {
        for object in objects { append(object.cells[index]) }
    }

    @inline(__always)
    func append(_ cell: Cell) {
        if cell.rawKind == kind.rawValue, !isMixed, layout != .none {
            appendLikeOthers(cell)
        } else {
            appendOther(cell)
        }
    }

    @inline(__always)
    private func appendLikeOthers(_ cell: Cell) {
        mask.appendValue()
        count += 1
        switch layout {
        case .none: break
        case .bytes: values.append(UInt8(truncatingIfNeeded: cell.bits))
        case .words: values.append(cell.bits)
        case .texts:
            texts.append(bytes: cell.text)
            ends.append(texts.count)
        }
    }

    private func appendOther(_ cell: Cell) {
        switch cell.kind {
        case .null, .absent, .object, .list: return appendNull()
        default: break
        }
        if layout == .none {
            begin(cell.kind)
            appendLikeOthers(cell)
        } else if !isMixed, let number = sameKind(cell) {
            appendLikeOthers(number)
        } else {
            if !isMixed { mix() }
            append(json: cell)
        }
    }

    func appendNull() {
        mask.appendNull(after: count)
        count += 1
        appendSpace()
    }

    /// Appends what stands in place of a null.
    private func appendSpace() {
        switch layout {
        case .none: break
        case .bytes: values.append(UInt8(0))
        case .words: values.append(UInt64(0))
        case .texts: ends.append(texts.count)
        }
    }

    /// Takes the kind of the first value. All earlier values are null.
    private func begin(_ first: Cell.Kind) {
        kind = first
        layout = Self.layout(of: first)
        for _ in 0..<count { appendSpace() }
    }

    /// Returns a number as the column has them, perhaps after making doubles of its integers; `nil`
    /// for other kinds, and if an integer would change.
    private func sameKind(_ cell: Cell) -> Cell? {
        if kind == .double, cell.kind == .int64 {
            return Self.exact(cell.integer).map { .double($0) }
        }
        guard kind == .int64, cell.kind == .double else { return nil }
        var widened = ColumnMemory()
        widened.reserve(values.count)
        for index in 0..<count {
            guard let real = Self.exact(values.element(index, as: Int64.self)) else {
                widened.free()
                return nil
            }
            widened.append(real)
        }
        values.free()
        values = widened
        kind = .double
        return cell
    }

    private static func exact(_ integer: Int64) -> Double? { Double(exactly: integer) }

    // MARK: JSON

    /// Makes the JSON text of each value.
    private func mix() {
        let earlier = (values, ends, texts)
        (values, ends, texts) = (ColumnMemory(), ValueEnds(), ColumnMemory())
        let earlierLayout = layout
        layout = .texts
        isMixed = true
        for index in 0..<count {
            if !mask.isNull(index) {
                let cell: Cell
                switch earlierLayout {
                case .none: continue
                case .bytes: cell = .bool(earlier.0.element(index, as: UInt8.self) != 0)
                case .words: cell = Cell(kind, bits: earlier.0.element(index, as: UInt64.self))
                case .texts:
                    let (start, end) = (earlier.1.start(index), earlier.1.start(index + 1))
                    let text = UnsafeRawBufferPointer(rebasing: earlier.2.bytes[start..<end])
                    cell = Cell(kind, text)
                }
                writeJSON(cell)
            }
            ends.append(texts.count)
        }
        var (oldValues, oldEnds, oldTexts) = earlier
        oldValues.free()
        oldEnds.free()
        oldTexts.free()
    }

    private func append(json cell: Cell) {
        mask.appendValue()
        count += 1
        writeJSON(cell)
        ends.append(texts.count)
    }

    private func writeJSON(_ cell: Cell) {
        ObjectText.json(of: cell).withUnsafeBytes { texts.append(bytes: $0) }
    }

    // MARK: The end

    /// Returns the column. The builder is empty afterwards.
    func finish() -> Column {
        let (count, nullCount) = (count, mask.nullCount)
        if layout == .texts, isMixed || kind != .bytes { repairTexts() }
        let bitmap = mask.take()
        let format: String
        let buffers: [UnsafeMutableRawPointer?]
        switch layout {
        case .none:
            free(bitmap)
            return Column(
                name: name, format: "n", count: count, nullCount: count, buffers: [], children: [])
        case .bytes: (format, buffers) = ("b", [bitmap, values.takePacked()])
        case .words:
            format = kind == .int64 ? "l" : kind == .double ? "g" : "tsu:UTC"
            buffers = [bitmap, values.take()]
        case .texts:
            let (offsets, areLarge) = ends.take()
            let isBinary = kind == .bytes && !isMixed
            format = isBinary ? (areLarge ? "Z" : "z") : areLarge ? "U" : "u"
            buffers = [bitmap, offsets, texts.take()]
        }
        return Column(
            name: name, format: format, count: count, nullCount: nullCount, buffers: buffers,
            children: [])
    }

    /// Replaces invalid UTF-8, which a file may have that was edited by hand: readers of Arrow rely
    /// on its texts.
    private func repairTexts() {
        guard !areTextsValid() else { return }
        let (earlierEnds, earlier) = (ends, texts)
        (ends, texts) = (ValueEnds(), ColumnMemory())
        for index in 0..<count {
            let range = earlierEnds.start(index)..<earlierEnds.start(index + 1)
            let text = String(decoding: earlier.bytes[range], as: UTF8.self)
            var repaired = text
            repaired.withUTF8 { texts.append(bytes: UnsafeRawBufferPointer($0)) }
            ends.append(texts.count)
        }
        var (oldEnds, oldTexts) = (earlierEnds, earlier)
        oldEnds.free()
        oldTexts.free()
    }

    /// Whether each text is UTF-8: all together are, and none begins inside a character.
    private func areTextsValid() -> Bool {
        let bytes = texts.bytes
        if bytes.reduce(0, |) < 0x80 { return true }
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        return (0..<count).allSatisfy { index in
            let start = ends.start(index)
            return start == bytes.count || bytes[start] & 0xC0 != 0x80
        }
    }
}

extension Cell {
    /// A text or bytes at an address.
    fileprivate init(_ kind: Cell.Kind, _ text: UnsafeRawBufferPointer) {
        self.init(
            kind, length: UInt32(clamping: text.count),
            bits: UInt64(UInt(bitPattern: text.baseAddress)))
    }
}
