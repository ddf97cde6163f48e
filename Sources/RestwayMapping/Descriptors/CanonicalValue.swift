package import RestwayObjects
package import RestwayRouting
package import RestwayText

/// Converts values between the canonical text of a list or a map (`ValueShape`) and their types.
extension ValueShape {
    /// Returns a value of the program as an attribute of this form keeps it. It is read by the
    /// rules of mapping, but nothing is left out.
    ///
    /// - Parameters:
    ///   - json: The mapper that reads JSON text.
    ///   - accepted: The single values that are accepted; nil for all values of the type.
    package func canonical(
        _ value: WireValue, _ json: any Mapper, accepted: [Value]? = nil
    ) throws(TransformError) -> Value {
        let conversion = ValueConversion(
            self, innermost: accepted.map { .among($0, ValueConversion(innermost)) })
        let plan = MappingPlan([ResponseDescriptor(value: conversion)])
        let machine = MappingMachine(plan: plan)
        let result: MappingResult
        do {
            try ValueReader(value, json: json, limits: MappingLimits()).read(into: machine)
            result = try machine.finish()
        } catch let error as MapperError {
            throw TransformError(error.message)
        } catch {
            throw TransformError("nested too deeply")
        }
        if let issue = result.issues.first {
            let place = issue.keyPath.isEmpty ? "" : "\(issue.keyPath): "
            throw TransformError(place + issue.reason)
        }
        return result.value
    }

    /// Returns the values of a canonical text, each with its type.
    package func values(
        of text: String, _ json: any Mapper
    ) throws(TransformError) -> WireValue {
        do throws(MapperError) {
            return typed(try WireBuilder.value(json: text, json, MappingLimits()))
        } catch {
            throw TransformError(error.message)
        }
    }

    /// Returns a value of JSON with the types of this form. A value of another form, for example
    /// from a file that was edited by hand, stays as it is.
    package func typed(_ value: WireValue) -> WireValue {
        switch (self, value) {
        case (.list(let inner), .list(let elements)): return .list(elements.map(inner.typed))
        case (.map(let inner), .object(let object)):
            var result = WireObject()
            for key in object.keys { result[key] = object[key].map(inner.typed) }
            return .object(result)
        case (.one(.date), .leaf(.string(let text))):
            let date = Array(text.utf8).withUnsafeBufferPointer { DateFormat.iso8601.parse($0) }
            return date.map { .leaf(.date($0)) } ?? value
        case (.one(.bytes), .leaf(.string(let text))):
            return Self.bytes(text).map { .leaf(.bytes($0)) } ?? value
        default: return value
        }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        return text.withUnsafeBytes { text in
            var decoded: Int?
            let bytes = [UInt8](
                unsafeUninitializedCapacity: Base64.byteCountMax(text.count)
            ) { buffer, count in
                decoded = buffer.baseAddress.flatMap { Base64.decode(text, into: $0) }
                count = decoded ?? 0
            }
            return decoded == nil ? nil : bytes
        }
    }
}

extension ValueConversion {
    /// Converts each innermost value of a list or a map; nil if the conversion leaves `value` out.
    func encode(
        _ value: WireValue, _ transforms: [String: CustomTransform]
    ) throws(TransformError) -> WireValue? {
        switch value {
        case .leaf(let value):
            let encoded = try encode(value, transforms)
            return encoded == .absent ? nil : .leaf(encoded)
        case .list(let elements):
            var list: [WireValue] = []
            for element in elements {
                if let element = try encode(element, transforms) { list.append(element) }
            }
            return .list(list)
        case .object(let object):
            var result = WireObject()
            for key in object.keys {
                guard let value = object[key] else { continue }
                result[key] = try encode(value, transforms)
            }
            return .object(result)
        }
    }
}

extension ResponseDescriptor {
    /// Stands for the objects of descriptors that describe a value.
    private static let noObjects = EntityMapping(
        entity: Entity(name: "value", index: -1, attributes: []), attributes: [])

    /// Makes a descriptor of an answer that is a value.
    package convenience init(
        value: ValueConversion, methods: [Method] = [], template: PathTemplate? = nil,
        statuses: StatusRange = .success, keyPath: [String] = [], routeKey: String? = nil,
        isRequired: Bool = false, mediaTypes: [MediaRange] = []
    ) {
        self.init(
            methods: methods, template: template, statuses: statuses, keyPath: keyPath,
            mapping: Self.noObjects, routeKey: routeKey, isRequired: isRequired,
            valueConversion: value, mediaTypes: mediaTypes)
    }
}
