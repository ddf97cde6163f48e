import RestwayMapping
import RestwayObjects

/// The entities that fuzzed input is mapped to. They cover every conversion, every policy,
/// overlapping sources, cycles, and objects without identity. Keys are short, so that the fuzzer
/// finds them quickly.
enum FuzzModel {
    private static let model = EntityModel()

    private static let node = Entity(
        name: "Node", index: 0,
        attributes: [
            Attribute(name: "id"), Attribute(name: "any"), Attribute(name: "bool", type: .bool),
            Attribute(name: "int", type: .int), Attribute(name: "double", type: .double),
            Attribute(name: "string", type: .string), Attribute(name: "date", type: .date),
            Attribute(name: "day", type: .date), Attribute(name: "stamp", type: .date),
            Attribute(name: "bytes", type: .bytes), Attribute(name: "json", type: .json),
            Attribute(name: "deep"), Attribute(name: "one", type: .json),
        ],
        relationships: [
            Relationship(name: "next", targetName: "Node", targetIndex: 0),
            Relationship(name: "nodes", targetName: "Node", targetIndex: 0, isMany: true),
            Relationship(
                name: "items", targetName: "Item", targetIndex: 1, isMany: true, policy: .merge),
            Relationship(name: "item", targetName: "Item", targetIndex: 1, policy: .replace),
            Relationship(
                name: "notes", targetName: "Note", targetIndex: 2, isMany: true, policy: .replace),
        ],
        identityIndex: 0, model: model)

    private static let item = Entity(
        name: "Item", index: 1,
        attributes: [Attribute(name: "id", type: .int), Attribute(name: "whole", type: .json)],
        relationships: [Relationship(name: "node", targetName: "Node", targetIndex: 0)],
        identityIndex: 0, model: model)

    private static let note = Entity(
        name: "Note", index: 2,
        attributes: [
            Attribute(name: "text"), Attribute(name: "words", type: .bool),
            Attribute(name: "integer", type: .int), Attribute(name: "number", type: .double),
            Attribute(name: "numberAsText", type: .string), Attribute(name: "url", type: .string),
            Attribute(name: "base64", type: .string),
        ],
        relationships: [Relationship(name: "about", targetName: "Item", targetIndex: 1)],
        model: model)

    static let entities = [node, item, note]

    /// The keys of the model, and one key that the model does not have.
    static let keys = [
        "i", "a", "b", "n", "d", "s", "t", "u", "v", "y", "j", "o", "m", "l", "e", "w", "x",
    ]

    private static let mappings = [
        EntityMapping(
            entity: node,
            attributes: [
                attribute(0, "i", .any), attribute(1, "a", .any), attribute(2, "b", .bool),
                attribute(3, "n", .int), attribute(4, "n", .double), attribute(5, "s", .string),
                attribute(6, "t", .date(.iso8601)),
                attribute(7, "t", .date(try! DateFormat("dd/MM/yyyy"))),
                attribute(8, "n", .date(try! DateFormat("epoch"))), attribute(9, "s", .bytes),
                attribute(10, "j", .json), attribute(11, "d.d.d", .any), attribute(12, "o", .json),
            ],
            relationships: [
                relationship(0, "o"), relationship(1, "m"), relationship(2, "d.m"),
                relationship(3, "d.o"), relationship(4, "l"),
            ]),
        EntityMapping(
            entity: item,
            attributes: [
                attribute(0, "d.i", .int),
                AttributeMapping(
                    attribute: 1, source: [], conversion: .json),
            ],
            relationships: [relationship(0, "o")]),
        EntityMapping(
            entity: note,
            attributes: [
                attribute(0, "s", .any), attribute(1, "s", .boolWords(BoolWords()!)),
                attribute(2, "s", .intText), attribute(3, "s", .doubleText),
                attribute(4, "s", .numberAsText), attribute(5, "s", .url),
                attribute(6, "s", .base64Text),
            ],
            relationships: [relationship(0, "a")]),
    ]

    /// The plans of responses, from one descriptor to many overlapping ones.
    static let plans = descriptors.map(plan)
    /// The plans with each descriptor twice.
    static let doubledPlans = descriptors.map { plan($0 + $0) }

    private static let descriptors: [[(keyPath: String, mapping: Int)]] = [
        [("", 0)], [("", 0), ("", 1), ("a", 2)], [("d.m", 1), ("d", 0), ("d", 0)],
        [("l", 2), ("", 0), ("l", 0), ("l.l", 1)],
    ]

    static let limits = MappingLimits(nestingDepthMax: 24, objectsMax: 200)

    private static func plan(_ descriptors: [(keyPath: String, mapping: Int)]) -> MappingPlan {
        MappingPlan(
            descriptors.map {
                ResponseDescriptor(keyPath: path($0.keyPath), mapping: mappings[$0.mapping])
            }, entities: mappings)
    }

    private static func attribute(
        _ index: Int, _ source: String, _ conversion: ValueConversion
    ) -> AttributeMapping {
        AttributeMapping(attribute: index, source: path(source), conversion: conversion)
    }

    private static func relationship(_ index: Int, _ source: String) -> RelationshipMapping {
        RelationshipMapping(relationship: index, source: path(source))
    }

    private static func path(_ text: String) -> [String] {
        text.split(separator: ".").map(String.init)
    }
}
