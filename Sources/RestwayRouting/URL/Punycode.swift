/// Encodes Unicode as letters, digits and hyphens (RFC 3492).
enum Punycode {
    private static let base = 36
    private static let leastThreshold = 1
    private static let mostThreshold = 26

    /// Encodes a label (RFC 3492, section 6.3). Returns nil for more than a label of a host can
    /// have (63 scalars). Within this limit no number below overflows.
    static func encode(_ input: [Unicode.Scalar]) -> String? {
        guard input.count <= 63 else { return nil }
        var output = input.filter(\.isASCII).map { UInt8($0.value) }
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var bound = 128
        var delta = 0
        var bias = 72
        while handled < input.count {
            let next = input.lazy.map { Int($0.value) }.filter { $0 >= bound }.min() ?? bound
            delta += (next - bound) * (handled + 1)
            bound = next
            for scalar in input {
                if scalar.value < bound { delta += 1 }
                guard scalar.value == bound else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            bound += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a variable-length integer (RFC 3492, section 3.3).
    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var step = base
        while true {
            let threshold = min(max(step - bias, leastThreshold), mostThreshold)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            step += base
        }
        output.append(digit(rest))
    }

    /// Adapts the bias (RFC 3492, section 6.1).
    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - leastThreshold) * mostThreshold / 2 {
            delta /= base - leastThreshold
            steps += base
        }
        return steps + (base - leastThreshold + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }
}
