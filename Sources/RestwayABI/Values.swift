public import CRestway
import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// The elements of a list or a map of values.
final class ValuesHandle: HandleObject, Sendable {
    private struct Element: Sendable {
        /// The key in a map.
        let key: ConvertedText?
        let value: Value
        /// The text of `value`, if its kind has one.
        let text: ConvertedText?
        /// The elements of an element that is a list or a map.
        let inner: ValuesHandle?
    }

    private let elements: [Element]
    let generation = ProcessGeneration.current

    /// - Parameters:
    ///   - tree: A list or an object.
    ///   - shape: The form that the API document declares.
    init(_ tree: JSONTree, _ shape: ValueShape) {
        let inner: ValueShape =
            switch shape {
            case .one: .one(.json)
            case .list(let inner), .map(let inner): inner
            }
        if let members = tree.members {
            elements = members
                .map { Self.element(ConvertedText(Array($0.key.utf8)), $0.value, inner) }
                .sorted { left, right in
                    guard let left = left.key, let right = right.key else { return false }
                    return left.bytes.lexicographicallyPrecedes(right.bytes)
                }
        } else {
            elements = (tree.elements ?? []).map { Self.element(nil, $0, inner) }
        }
    }

    private static func element(
        _ key: ConvertedText?, _ tree: JSONTree, _ shape: ValueShape
    ) -> Element {
        guard tree.members == nil, tree.elements == nil else {
            let text = tree.text()
            return Element(
                key: key, value: .json(String(decoding: text, as: UTF8.self)),
                text: ConvertedText(text), inner: ValuesHandle(tree, shape))
        }
        guard case .leaf(let value) = shape.typed(WireValue(tree)) else {
            preconditionFailure("a single value became a list or an object")
        }
        let text: [UInt8]? =
            switch value {
            case .string(let text), .json(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            default: nil
            }
        return Element(key: key, value: value, text: text.map(ConvertedText.init), inner: nil)
    }

    var count: Int { elements.count }

    func key(_ index: Int) -> CString? { elements.at(index)?.key?.start }

    /// Returns an element, borrowed from this object.
    func value(_ index: Int) throws(Failure) -> restway_value {
        let element = try element(index)
        var value = element.value.lend { $0.pointee }
        if let text = element.text { value.as.text = text.start }
        return value
    }

    func inner(_ index: Int) throws(Failure) -> ValuesHandle? {
        let element = try element(index)
        guard element.inner == nil, element.value != .null else { return element.inner }
        throw Argument.wrong("index", "element \(index) is neither a list nor a map")
    }

    private func element(_ index: Int) throws(Failure) -> Element {
        guard let element = elements.at(index) else {
            throw Argument.wrong("index", "index \(index) is beyond the \(count) elements")
        }
        return element
    }

    /// Returns the elements of a value; `nil` for null and for an absent value.
    ///
    /// - Parameter name: The name of the value in messages.
    static func of(
        _ value: Value, _ shape: ValueShape, _ name: String
    ) throws(Failure) -> ValuesHandle? {
        if value == .null || value == .absent { return nil }
        if case .json(let text) = value, let json = try? JSONValue.parse(text) {
            let handle = json.withTree { tree in
                tree.members == nil && tree.elements == nil ? nil : ValuesHandle(tree, shape)
            }
            if let handle { return handle }
        }
        throw Argument.wrong(name, "\(name) is neither a list nor a map")
    }

    /// Gives the program the elements that `make` returns, if there are any.
    static func giving(
        _ outValues: OutHandle?, _ outError: OutHandle?,
        _ make: () throws(Failure) -> ValuesHandle?
    ) -> restway_status {
        outValues?.pointee = nil
        return Boundary.run(outError) { () throws(Failure) in
            let outValues = try Argument.out(outValues, "out_values")
            outValues.pointee = try make().map(Handle.give)
        }
    }
}

extension HostValue {
    /// Returns the value for attribute `index` of `entity`.
    func attribute(_ entity: Entity, _ index: Int) throws(Failure) -> Value {
        let attribute = entity.attributes[index]
        guard attribute.shape.isCollection else {
            return try self.attribute(attribute.type, attribute.name)
        }
        if case .plain(.null) = self { return .null }
        return try entity.canonical(try parameter(attribute.name), for: index)
    }

    /// Returns the value for attribute `index` of a row that a hook changes.
    func rowValue(_ entity: Entity, _ index: Int) throws(Failure) -> Value {
        guard entity.attributes[index].shape.isCollection else {
            return try attributeValue("value")
        }
        return try attribute(entity, index)
    }
}

extension DraftHandle {
    /// The code shared by the functions that change a list of values.
    fileprivate static func changing(
        _ draft: InHandle, _ attribute: CString?, _ value: In<restway_value>?,
        _ outError: OutHandle?, _ change: (ListElement, Value) -> Value
    ) -> restway_status {
        using(draft, outError) { handle throws(Failure) in
            let entity = handle.draft.entity
            let name = try Argument.string(attribute, "attribute")
            let index = try entity.ownAttribute(named: name)
            let value = try HostValue(value, "value").parameter(name)
            let element = try entity.element(value, ofList: index)
            handle.draft.change(attribute: index) { change(element, $0) }
        }
    }
}

extension Response {
    /// The form of the value of an answer that holds no objects.
    fileprivate var shape: ValueShape? {
        if case .value(_, let shape) = parsed { shape } else { nil }
    }
}

// values.h

@_cdecl("restway_values_count") @implementation
public func restway_values_count(_ values: InHandle) -> Int {
    ValuesHandle.object(values)?.count ?? 0
}

@_cdecl("restway_values_get") @implementation
public func restway_values_get(
    _ values: InHandle, _ index: Int, _ outValue: Out<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    ValuesHandle.writing(values, outValue, .init(), outError, "out_value") {
        values throws(Failure) in
        try values.value(index)
    }
}

@_cdecl("restway_values_key") @implementation
public func restway_values_key(_ values: InHandle, _ index: Int) -> CString! {
    ValuesHandle.object(values)?.key(index)
}

@_cdecl("restway_values_inner") @implementation
public func restway_values_inner(
    _ values: InHandle, _ index: Int, _ outValues: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ValuesHandle.giving(outValues, outError) { () throws(Failure) in
        try ValuesHandle.argument(values).inner(index)
    }
}

@_cdecl("restway_object_attribute_type") @implementation
public func restway_object_attribute_type(_ object: InHandle, _ index: Int) -> CString! {
    Snapshot.object(object)?.entity.attributeTypeCString(at: index)
}

@_cdecl("restway_object_values") @implementation
public func restway_object_values(
    _ object: InHandle, _ attribute: CString?, _ outValues: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ValuesHandle.giving(outValues, outError) { () throws(Failure) in
        let object = try Snapshot.argument(object)
        let name = try Argument.string(attribute, "attribute")
        let index = try object.entity.attribute(named: name)
        let shape = object.entity.attributes[index].shape
        return try ValuesHandle.of(object.value(at: index), shape, name)
    }
}

@_cdecl("restway_object_is_known_value") @implementation
public func restway_object_is_known_value(
    _ object: InHandle, _ attribute: CString?, _ outKnown: Out<Int32>?, _ outError: OutHandle?
) -> restway_status {
    Snapshot.writing(object, outKnown, 0, outError, "out_known") { object throws(Failure) in
        let name = try Argument.string(attribute, "attribute")
        let index = try object.entity.attribute(named: name)
        return object.hasListedValue(at: index) ? 1 : 0
    }
}

@_cdecl("restway_response_value_type") @implementation
public func restway_response_value_type(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "value type") { $0.response.shape?.description }
}

@_cdecl("restway_response_values") @implementation
public func restway_response_values(
    _ response: InHandle, _ outValues: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ValuesHandle.giving(outValues, outError) { () throws(Failure) in
        let response = try ResponseHandle.argument(response).response
        guard case .value(let value, let shape) = response.parsed else { return nil }
        return try ValuesHandle.of(value, shape, "response")
    }
}

@_cdecl("restway_draft_add_value") @implementation
public func restway_draft_add_value(
    _ draft: InHandle, _ attribute: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.changing(draft, attribute, value, outError) { $0.added(to: $1) }
}

@_cdecl("restway_draft_remove_value") @implementation
public func restway_draft_remove_value(
    _ draft: InHandle, _ attribute: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    DraftHandle.changing(draft, attribute, value, outError) { $0.removed(from: $1) }
}
