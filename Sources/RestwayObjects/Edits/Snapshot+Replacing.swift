extension Snapshot {
    /// Returns a copy with other values of some attributes and relationships, which has no store
    /// key yet. The values are not parts of the identity.
    package func replacing(_ values: [Int: Value]) -> Snapshot {
        var bytes: [UInt8] = []
        var keys: [Int64] = []
        let replaced = values.mapValues { $0.cell(appendingTo: &bytes, &keys) }
        // An empty array may have no address.
        bytes.append(0)
        keys.append(0)
        return withExtendedLifetime(self) {
            bytes.withUnsafeBytes { bytes in
                keys.withUnsafeBytes { keys in
                    Self.make(entity) { index in
                        guard let cell = replaced[index] else { return cells[index] }
                        let offset = Int(truncatingIfNeeded: cell.bits)
                        if cell.isText { return cell.withAddress(bytes.baseAddress! + offset) }
                        guard cell.isList else { return cell }
                        let size = MemoryLayout<Int64>.size
                        return cell.withAddress(keys.baseAddress! + offset * size)
                    }
                }
            }
        }
    }

    /// Returns the values of `values` that this object does not have.
    func differences(in values: [Int: Value]) -> [Int: Value] {
        values.filter { !value(at: $0.key).isIdentical(to: $0.value) }
    }
}
