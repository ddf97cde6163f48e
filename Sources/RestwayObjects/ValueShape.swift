/// The form of the values of an attribute: one value, or a list or a map whose values have one
/// form.
///
/// An attribute keeps a list or a map as JSON text in one canonical form, so that equal lists have
/// equal texts (decision 0033): without white space, the keys of a map in the order of their bytes,
/// dates in ISO 8601 and UTC, bytes in base64, and doubles with a fraction or an exponent.
package indirect enum ValueShape: Hashable, Sendable {
    case one(AttributeType)
    case list(ValueShape)
    /// An object whose keys are free.
    case map(ValueShape)

    /// Whether it holds other values.
    package var isCollection: Bool {
        if case .one = self { false } else { true }
    }

    /// The type of the attributes that keep values of this form.
    package var storedType: AttributeType {
        if case .one(let type) = self { type } else { .json }
    }

    /// The type of the innermost values.
    package var innermost: AttributeType {
        switch self {
        case .one(let type): type
        case .list(let inner), .map(let inner): inner.innermost
        }
    }

    /// The type of the elements of a list that a condition can look for; `nil` for other forms.
    package var searchable: AttributeType? {
        guard case .list(.one(let type)) = self, type != .any, type != .json else { return nil }
        return type
    }

    /// The name of the form in files of stores, for example `list_of_string`.
    package var storedName: String {
        switch self {
        case .one(let type): type.rawValue
        case .list(let inner): "list_of_\(inner.storedName)"
        case .map(let inner): "map_of_\(inner.storedName)"
        }
    }

    /// The name of the form with its article, for messages.
    package var withArticle: String {
        switch self {
        case .one(let type): type.withArticle
        case .list: "a list"
        case .map: "an object"
        }
    }
}

/// The form as an API document writes it.
extension ValueShape: CustomStringConvertible {
    package var description: String {
        switch self {
        case .one(let type): type.rawValue
        case .list(let inner): "[\(inner.quoted)]"
        case .map(let inner): "{\"*\":\(inner.quoted)}"
        }
    }

    private var quoted: String {
        if case .one(let type) = self { "\"\(type.rawValue)\"" } else { description }
    }
}
