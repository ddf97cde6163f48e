import Glibc
import RestwayJSON
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayStore

/// A case of `Tests/Fixtures/mapping`, whose README describes the format.
struct MappingCase {
    /// One request and its answer.
    struct Exchange {
        /// For messages: the case and the number.
        let name: String
        let method: String
        let path: String
        let status: Int
        let body: String
        /// The entity of each descriptor that applied, and its objects; `nil` if no descriptor
        /// applied.
        let objects: [(entity: String, references: String)]?
        let checksObjects: Bool
        let issues: [String]
        let isError: Bool
        /// The object that is sent: its entity and its values.
        let draft: JSONValue?
        let isInserted: Bool
        /// The expected body.
        let sent: String?
        /// The objects by entity, one on each line.
        let store: [String: [String]]?
        /// The unsent objects by entity.
        let unsent: [String: String]

        fileprivate init(name: String, _ json: JSONValue) throws {
            let known: Set = [
                "about", "request", "status", "body", "text", "objects", "issues", "error", "store",
                "draft", "inserted", "sent", "unsent",
            ]
            let keys = try XCTUnwrap(json.members, name).map(\.key)
            XCTAssertEqual(keys.filter { !known.contains($0) }, [], name)
            XCTAssertNotNil(json["about"]?.string, name)
            self.name = name
            let request = try XCTUnwrap(json["request"]?.string, name).split(separator: " ")
            method = String(try XCTUnwrap(request.first, name))
            path = String(try XCTUnwrap(request.last, name))
            status = json["status"]?.integer.map(Int.init) ?? 200
            body = json["text"]?.string ?? json["body"].map(CaseText.text) ?? ""
            checksObjects = json["objects"] != nil
            objects = try json["objects"]?.elements?.map { result in
                let (entity, objects) = try XCTUnwrap(result.members?.first, name)
                return (entity, CaseText.text(objects))
            }
            issues = json["issues"]?.elements?.compactMap(\.string) ?? []
            isError = json["error"]?.bool ?? false
            draft = json["draft"]
            isInserted = json["inserted"]?.bool ?? false
            sent = json["sent"].map(CaseText.text)
            unsent = Dictionary(
                uniqueKeysWithValues: (json["unsent"]?.members ?? []).map { entity, objects in
                    (entity, CaseText.text(objects))
                })
            store = json["store"]?.members.map { members in
                Dictionary(
                    uniqueKeysWithValues: members.map { entity, objects in
                        (entity, objects.elements?.map(CaseText.sortedText) ?? [])
                    })
            }
        }
    }

    let name: String
    let document: String
    let exchanges: [Exchange]

    /// All cases, by name.
    static func all() throws -> [MappingCase] {
        let cases = try names(in: folder).filter { !$0.contains(".") }.map(MappingCase.init)
        XCTAssertGreaterThan(cases.count, 20, "the cases have not been found")
        return cases
    }

    private init(_ name: String) throws {
        self.name = name
        let folder = Self.folder + "/" + name
        document = String(decoding: try FileText.read(folder + "/document.json"), as: UTF8.self)
        let files = try Self.names(in: folder).filter { $0 != "document.json" }
        exchanges = try (1...files.count).map { number in
            let text = try FileText.read("\(folder)/\(number).json")
            let options = JSONValue.ParseOptions(rejectsDuplicateKeys: true)
            return try Exchange(
                name: "\(name) \(number)",
                JSONValue.parse(String(decoding: text, as: UTF8.self), options))
        }
        XCTAssertNotNil(exchanges.last?.store, "\(name) says nothing of the store")
    }

    private static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(2)
        return "/" + parts.joined(separator: "/") + "/Fixtures/mapping"
    }()

    private static func names(in folder: String) throws -> [String] {
        let directory = try XCTUnwrap(opendir(folder), folder)
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}

/// Objects as text, in one form for objects of a case and of a store.
enum CaseText {
    static func text(_ json: JSONValue) -> String {
        String(decoding: json.text(), as: UTF8.self)
    }

    /// An object with its members by name.
    static func sortedText(_ json: JSONValue) -> String {
        let members = (json.members ?? []).map { ($0.key, text($0.value)) }
        return text(members)
    }

    static func text(_ members: [(String, String)]) -> String {
        let parts = members.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }
        return "{" + parts.joined(separator: ",") + "}"
    }
}

extension ObservedStore {
    /// The objects by entity, one on each line, as in a case.
    func caseText(_ entities: [Entity]) throws -> [String: [String]] {
        var text: [String: [String]] = [:]
        for entity in entities {
            let objects = try objects(Query(entity, .all))
            if !objects.isEmpty { text[entity.name] = try objects.map(caseText) }
        }
        return text
    }

    /// The unsent objects by entity.
    func caseUnsent(_ entities: [Entity]) throws -> [String: String] {
        var text: [String: String] = [:]
        for entity in entities {
            let unsent = try objects(Query(entity, .all)).filter {
                try isUnsent(entity, storeKey: $0.storeKey)
            }
            if !unsent.isEmpty {
                text[entity.name] =
                    "[" + (try unsent.map(caseReference).joined(separator: ",")) + "]"
            }
        }
        return text
    }

    /// The draft that a case describes, or the object that it names.
    func caseTarget(_ json: JSONValue, _ entities: [Entity]) throws -> Draft.Target {
        let (name, content) = try XCTUnwrap(json.members?.first)
        let entity = try XCTUnwrap(entities.first { $0.name == name }, name)
        guard let members = content.members else {
            let identity = content.integer.map(Identity.integer) ?? .string(content.string ?? "")
            return .object(try XCTUnwrap(object(entity, identity), name))
        }
        let draft = Draft(entity)
        for (name, value) in members {
            if let index = entity.attributeIndex(named: name) {
                try draft.set(Self.caseValue(value), attribute: index)
                continue
            }
            let index = try XCTUnwrap(entity.relationshipIndex(named: name), name)
            if value.kind == .null {
                draft.setNull(relationship: index)
            } else {
                let targets = try (value.elements ?? [value]).map { try caseTarget($0, entities) }
                try draft.set(targets, relationship: index)
            }
        }
        return .draft(draft)
    }

    private static func caseValue(_ json: JSONValue) -> Value {
        switch json.kind {
        case .null: .null
        case .boolean: .bool(json.bool ?? false)
        case .integer: .int64(json.integer ?? 0)
        case .real: .double(json.double ?? 0)
        case .string: .string(json.string ?? "")
        case .array, .object: .json(CaseText.text(json))
        }
    }

    /// The identity of an object, or its position among the objects of its entity.
    func caseReference(_ object: Snapshot) throws -> String {
        switch object.identity {
        case .integer(let identity): return "\(identity)"
        case .string(let identity): return CaseText.text(.string(identity))
        case nil:
            let keys = try objects(Query(object.entity, .all)).map(\.storeKey)
            return "{\"#\":\(keys.firstIndex(of: object.storeKey) ?? -1)}"
        }
    }

    private func caseText(_ object: Snapshot) throws -> String {
        var members: [(String, String)] = []
        for (index, attribute) in object.entity.attributes.enumerated() {
            guard let text = try caseText(object.value(at: index)) else { continue }
            members.append((attribute.name, text))
        }
        for (index, relationship) in object.entity.relationships.enumerated() {
            let cell = object.relationshipCell(at: index)
            guard !cell.isAbsent else { continue }
            let related = try related(object, relationship: index).map(caseReference)
            let text =
                relationship.isMany || related.count > 1
                ? "[" + related.joined(separator: ",") + "]" : related.first ?? "null"
            members.append((relationship.name, text))
        }
        return CaseText.text(members)
    }

    private func caseText(_ value: Value) throws -> String? {
        switch value {
        case .absent: return nil
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int64(let value): return "\(value)"
        case .double(let value): return try CaseText.text(XCTUnwrap(JSONValue.real(value)))
        case .string(let value): return CaseText.text(.string(value))
        case .json(let text): return try CaseText.text(JSONValue.parse(text))
        case .date, .bytes, .link, .links: throw CaseProblem(text: "no case has \(value)")
        }
    }
}

struct CaseProblem: Error {
    let text: String
}
