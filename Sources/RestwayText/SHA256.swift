/// Computes a SHA-256 digest piece by piece (FIPS 180-4).
package struct SHA256: Sendable {
    private static let blockBytes = 64

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]

    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19
    )
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let missing = min(Self.blockBytes - rest.count, bytes.count)
            rest.append(contentsOf: bytes.prefix(missing))
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing))
            guard rest.count == Self.blockBytes else { return }
            let block = rest
            block.withUnsafeBytes { absorb($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count / Self.blockBytes * Self.blockBytes
        absorb(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        rest.append(contentsOf: bytes[whole...])
    }

    /// Returns the digest of all bytes so far. Further bytes may follow.
    package func digest() -> [UInt8] {
        var final = self
        let used = (count + 1 + 8) % UInt64(Self.blockBytes)
        let padding = used == 0 ? 0 : Self.blockBytes - Int(used)
        var tail: [UInt8] = [0x80] + [UInt8](repeating: 0, count: padding)
        withUnsafeBytes(of: (count &* 8).bigEndian) { tail.append(contentsOf: $0) }
        tail.withUnsafeBytes { final.update($0) }
        let (a, b, c, d, e, f, g, h) = final.state
        return [a, b, c, d, e, f, g, h].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
    }

    /// The digest in hexadecimal digits, in lower case.
    package func text() -> String {
        let digits = digest().flatMap { [$0 >> 4, $0 & 15].map(ASCII.lowerHexDigit) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Absorbs whole blocks.
    private mutating func absorb(_ blocks: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            Self.constants.withUnsafeBufferPointer { constants in
                for start in stride(from: 0, to: blocks.count, by: Self.blockBytes) {
                    for index in 0..<16 {
                        let word = blocks.loadUnaligned(
                            fromByteOffset: start + index * 4, as: UInt32.self)
                        words[index] = UInt32(bigEndian: word)
                    }
                    Self.extend(words)
                    mix(words, constants)
                }
            }
        }
    }

    private static func extend(_ words: UnsafeMutableBufferPointer<UInt32>) {
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
    }

    private mutating func mix(
        _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d, e, f, g, h) = state
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let upper = Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)
            let first = h &+ upper &+ choice &+ constants[index] &+ words[index]
            let majority = a & b ^ a & c ^ b & c
            let lower = Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ lower &+ majority)
        }
        state = (
            state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f,
            state.6 &+ g, state.7 &+ h
        )
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }
}
