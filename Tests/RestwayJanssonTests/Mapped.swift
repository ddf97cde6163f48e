import RestwayJansson
import RestwayMapping
import RestwayObjects

/// The entities of these tests: one attribute of each type, and some that share sources.
enum Model {
    static let entity = Entity(
        name: "Company", index: 0,
        attributes: fields.map { Attribute(name: $0.name, type: $0.type) }, identityIndex: 0)

    private static let fields:
        [(name: String, type: AttributeType, source: String, format: String?)] =
            [
                ("id", .any, "id", nil), ("any", .any, "any", nil), ("bool", .bool, "bool", nil),
                ("int", .int, "int", nil), ("double", .double, "double", nil),
                ("string", .string, "string", nil), ("date", .date, "date", nil),
                ("day", .date, "day", "dd/MM/yyyy"), ("stamp", .date, "stamp", "epoch"),
                ("bytes", .bytes, "bytes", nil), ("json", .json, "json", nil),
                ("street", .string, "address.street", nil), ("lat", .double, "address.at.lat", nil),
                ("intAgain", .any, "int", nil),
            ]

    static let mapping = EntityMapping(
        entity: entity,
        attributes: fields.enumerated().map { index, field in
            AttributeMapping(
                attribute: index, source: field.source.split(separator: ".").map(String.init),
                conversion: ValueConversion(
                    field.type, format: field.format.map { try! DateFormat($0) }))
        })

    /// An entity whose attribute `v` has a form, beside the identity `id`.
    static func mapping(
        ofV shape: ValueShape, _ innermost: ValueConversion? = nil
    ) -> EntityMapping {
        let entity = Entity(
            name: "Thing", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "v", shape: shape)],
            identityIndex: 0)
        return EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .any),
                AttributeMapping(
                    attribute: 1, source: ["v"],
                    conversion: ValueConversion(shape, innermost: innermost)),
            ])
    }

    /// An entity whose attributes are named like their sources.
    static func mapping(
        _ attributes: [(source: String, type: AttributeType)], identity: Int? = 0
    ) -> EntityMapping {
        let entity = Entity(
            name: "Thing", index: 1,
            attributes: attributes.map { Attribute(name: $0.source, type: $0.type) },
            identityIndex: identity)
        return EntityMapping(
            entity: entity,
            attributes: attributes.enumerated().map { index, attribute in
                AttributeMapping(
                    attribute: index,
                    source: attribute.source.split(separator: ".").map(String.init),
                    conversion: ValueConversion(attribute.type))
            })
    }

    static func descriptor(
        _ keyPath: String = "", _ mapping: EntityMapping = mapping
    ) -> ResponseDescriptor {
        ResponseDescriptor(
            keyPath: keyPath.split(separator: ".").map(String.init), mapping: mapping)
    }
}

/// Maps a body in the way of a response.
func map(
    _ json: String, _ descriptors: [ResponseDescriptor] = [Model.descriptor()],
    limits: MappingLimits = MappingLimits(), isCancelled: (@Sendable () -> Bool)? = nil
) throws -> MappingResult {
    try map(json, MappingPlan(descriptors), limits: limits, isCancelled: isCancelled)
}

func map(
    _ json: String, _ plan: MappingPlan, limits: MappingLimits = MappingLimits(),
    isCancelled: (@Sendable () -> Bool)? = nil
) throws -> MappingResult {
    let machine = MappingMachine(plan: plan, limits: limits, isCancelled: isCancelled)
    let bytes = Array(json.utf8)
    try bytes.withUnsafeBytes {
        try JanssonMapper().decode($0, into: machine, limits: limits)
    }
    return try machine.finish()
}

extension Snapshot {
    /// Returns the present values, by name.
    var present: [String: Value] {
        var present: [String: Value] = [:]
        for (index, attribute) in entity.attributes.enumerated() where value(at: index) != .absent {
            present[attribute.name] = value(at: index)
        }
        return present
    }
}

extension MappingResult {
    var rows: [Snapshot] { changeSet.rows }
    var paths: [String] { issues.map(\.keyPath) }
}

/// SplitMix64: the same sequence for the same seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
