package import RestwayObjects

/// A body that a mapper has written, read again so that other values can be written in place of
/// some of its texts.
///
/// The mapper writes the whole body again. In many formats a value has its length in front of it,
/// and so have the lists and objects around it, so a part of a body cannot be replaced alone.
package struct MappedBody {
    private let mapper: any Mapper
    let value: WireValue

    package init(_ value: WireValue, _ mapper: any Mapper) {
        self.mapper = mapper
        self.value = value
    }

    package init(reading bytes: [UInt8], by mapper: any Mapper) throws(MapperError) {
        let builder = WireBuilder(keepsDigits: true)
        let padded = bytes + [UInt8](repeating: 0, count: MappingLimits.paddingCount)
        let result: Result<Void, MapperError> = padded.withUnsafeBytes { padded in
            let body = UnsafeRawBufferPointer(rebasing: padded[..<bytes.count])
            return Result { () throws(MapperError) in
                try mapper.decode(body, into: builder, limits: MappingLimits())
            }
        }
        try result.get()
        guard let value = builder.value else {
            throw MapperError("\(mapper.title) does not read one whole value")
        }
        self.init(value, mapper)
    }

    /// The texts among the values, in their order. Every value that is neither an object nor a list
    /// has a number, which counts from 0; keys have none.
    package var texts: [(number: Int, text: String)] {
        var texts: [(number: Int, text: String)] = []
        _ = value.replacingTexts { number, text in
            texts.append((number, text))
            return nil
        }
        return texts
    }

    /// Returns the body with other values in place of the texts that have these numbers.
    package func bytes(replacing values: [Int: Value] = [:]) throws(MapperError) -> [UInt8] {
        let value = value.replacingTexts { number, _ in values[number] }
        return try mapper.encode(ValueReader(value, json: mapper, limits: MappingLimits()))
    }
}

extension WireValue {
    /// Returns the value with each text replaced by the value that `replacement` returns for the
    /// number of the text and the text; `nil` keeps it.
    fileprivate func replacingTexts(_ replacement: (Int, String) -> Value?) -> WireValue {
        var number = 0
        return replacingTexts(&number, replacement)
    }

    private func replacingTexts(
        _ number: inout Int, _ replacement: (Int, String) -> Value?
    ) -> WireValue {
        switch self {
        case .list(let elements):
            return .list(elements.map { $0.replacingTexts(&number, replacement) })
        case .object(var object):
            for key in object.keys {
                object[key] = object[key]?.replacingTexts(&number, replacement)
            }
            return .object(object)
        case .leaf(let value):
            defer { number += 1 }
            guard case .string(let text) = value, let other = replacement(number, text) else {
                return self
            }
            return .leaf(other)
        }
    }
}
