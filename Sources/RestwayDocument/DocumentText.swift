import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayRouting

/// The loaded document as text: its files and all that functions have added.
///
/// It is parsed only when the program asks for it.
struct DocumentText: Sendable {
    /// Something that a function has added or changed.
    enum Addition: Sendable {
        /// The value at these keys. Objects on the way are made.
        case value([String], json: [UInt8])
        /// The member at these keys is removed.
        case removal([String])
        /// A new last element of a list.
        case element(list: String, json: [UInt8])
        /// A route with everything of `child` but its path.
        case joinedRoute(String, child: String)
    }

    /// The files in the order in which they are joined.
    var files: [[UInt8]] = []
    private(set) var additions: [Addition] = []

    mutating func add(_ addition: Addition?) {
        if let addition { additions.append(addition) }
    }

    /// Returns the document without the secrets in `auth` and in headers.
    ///
    /// - Parameter definition: The content of the document.
    func json(_ definition: APIDefinition) -> JSONValue {
        var document = JSONValue.object([])
        for file in files {
            let root = file.withUnsafeBytes { try? JSONValue.parse($0) }
            document = Self.joined(document, root?.members ?? [])
        }
        for addition in additions {
            document = Self.adding(addition, to: document, definition.routes)
        }
        let hidden = definition.redaction.ofBodies
        return Self.withoutSecrets(document, hidden, depth: 0)
    }

    // MARK: Joining

    /// Joins a file with the files before it: sections with names, and lists.
    private static func joined(
        _ document: JSONValue, _ members: [(key: String, value: JSONValue)]
    ) -> JSONValue {
        var document = document
        for (key, value) in members where key != "include" {
            var whole = value
            if let before = document[key] {
                if let first = before.elements, let second = value.elements {
                    whole = .array(first + second)
                } else if let first = before.members, let second = value.members {
                    whole = .object(first + second)
                }
            }
            document = setting(whole, at: [key], in: document)
        }
        return document
    }

    private static func adding(
        _ addition: Addition, to document: JSONValue, _ routes: RouteTable
    ) -> JSONValue {
        switch addition {
        case .value(let keys, let json):
            return setting(parsed(json), at: keys[...], in: document)
        case .removal(let keys):
            return setting(nil, at: keys[...], in: document)
        case .element(let list, let json):
            let elements = (document[list]?.elements ?? []) + [parsed(json)]
            return setting(.array(elements), at: [list], in: document)
        case .joinedRoute(let name, let child):
            guard let route = document["routes"]?[child],
                let path = (try? routes.route(named: name))?.template.text
            else { return document }
            let alone = setting(nil, at: ["parent"], in: route)
            let joined = setting(.string(path), at: ["path"], in: alone)
            return setting(joined, at: ["routes", name], in: document)
        }
    }

    private static func parsed(_ json: [UInt8]) -> JSONValue {
        json.withUnsafeBytes { try? JSONValue.parse($0) } ?? .null
    }

    /// Returns `object` with another value at `keys`, or without it.
    private static func setting(
        _ value: JSONValue?, at keys: ArraySlice<String>, in object: JSONValue
    ) -> JSONValue {
        guard let key = keys.first else { return value ?? object }
        var members = object.members ?? []
        let index = members.firstIndex { $0.key == key }
        let rest = keys.dropFirst()
        if rest.isEmpty, value == nil {
            if let index { members.remove(at: index) }
            return .object(members)
        }
        let before = index.map { members[$0].value } ?? .object([])
        let after = setting(value, at: rest, in: before)
        if let index { members[index].value = after } else { members.append((key, after)) }
        return .object(members)
    }

    // MARK: Secrets

    /// The depth of the routes of `webservice.api`, below which there are no more headers.
    private static let depthMax = 3

    /// Hides secrets in `auth`, and in the headers of the document, its environments and routes.
    private static func withoutSecrets(
        _ value: JSONValue, _ redaction: BodyRedaction, depth: Int
    ) -> JSONValue {
        guard depth <= depthMax, let members = value.members else { return value }
        return .object(
            members.map { key, member in
                let shown =
                    switch key {
                    case "headers", "requestHeaders", "auth": redaction.json(member)
                    case "App_webservice_token": JSONValue.string(BodyRedaction.mark)
                    default: withoutSecrets(member, redaction, depth: depth + 1)
                    }
                return (key: key, value: shown)
            })
    }
}

/// A section of a document whose members have names.
package enum NamedSection: Sendable {
    case environments, entities, routes
}

/// The questions that a program can ask a loaded document.
extension API {
    /// Returns the names in a section, in their order.
    ///
    /// - Parameter entity: The entity that the routes serve; `nil` for all routes with a name.
    package func names(_ section: NamedSection, entity: String? = nil) -> [String] {
        let definition = definition
        switch section {
        case .environments: return definition.environments.names
        case .entities: return definition.entityCatalog.names
        case .routes:
            let routes = definition.routes.all
            return routes.filter { entity == nil || $0.entity == entity }.compactMap(\.name)
        }
    }

    /// Returns the JSON text of the part of the document at a JSON pointer (RFC 6901); `nil` if
    /// there is no such part.
    package func json(at pointer: String) throws(Failure) -> String? {
        guard pointer.isEmpty || pointer.hasPrefix("/") else {
            throw Failure(
                .invalidArgument, "\"\(pointer)\" is no JSON pointer: it begins with \"/\"",
                field: "pointer")
        }
        var part = text.json(definition)
        let slash = UInt8(ascii: "/")
        let tokens = pointer.utf8.split(separator: slash, omittingEmptySubsequences: false)
        for token in tokens.dropFirst() {
            let key = Self.key(token)
            if let elements = part.elements {
                guard let index = Int(key), elements.indices.contains(index) else { return nil }
                part = elements[index]
            } else if let member = part[key] {
                part = member
            } else {
                return nil
            }
        }
        return String(decoding: part.text(), as: UTF8.self)
    }

    /// Returns a token of a pointer without its escapes: `~1` is a slash, `~0` a tilde.
    private static func key(_ token: Substring.UTF8View.SubSequence) -> String {
        var key: [UInt8] = []
        var isEscaped = false
        for byte in token {
            if isEscaped {
                key.append(byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~"))
                isEscaped = false
            } else if byte == UInt8(ascii: "~") {
                isEscaped = true
            } else {
                key.append(byte)
            }
        }
        return String(decoding: key, as: UTF8.self)
    }
}
