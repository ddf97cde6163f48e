/// A tree of source keys that is being built.
struct PlanDraft {
    struct Node {
        let key: String
        var children: [Int] = []
        var targets: [PlanTarget] = []
        var rows: [PlanRow] = []
        var links: [PlanLink] = []
    }

    /// The nodes; the first is the root.
    private(set) var nodes = [Node(key: "")]
    private(set) var formats: [DateFormat] = []
    private(set) var transforms: [ValueConversion] = []
    private(set) var identityTarget: PlanTarget?

    mutating func add(_ mapping: AttributeMapping, isIdentity: Bool) {
        var detail = -1
        let conversion: PlanTarget.Conversion
        switch mapping.conversion {
        case .any: conversion = .any
        case .bool: conversion = .bool
        case .int: conversion = .int
        case .double: conversion = .double
        case .string: conversion = .string
        case .bytes, .base64Bytes: conversion = .bytes
        case .json: conversion = .json
        case .date(let given):
            let dateFormat = given ?? .iso8601
            switch dateFormat.kind {
            case .iso8601: conversion = .iso8601
            case .epoch: conversion = .epoch
            case .pattern(let pattern): conversion = pattern.isDay ? .day : .pattern
            }
            detail = formats.count
            formats.append(dateFormat)
        case .intText: conversion = .intText
        case .doubleText: conversion = .doubleText
        case .numberAsText: conversion = .numberAsText
        case .url: conversion = .url
        case .base64Text: conversion = .base64Text
        case .boolWords: conversion = .boolWords
        case .custom: conversion = .custom
        }
        if conversion == .boolWords || conversion == .custom {
            detail = transforms.count
            transforms.append(mapping.conversion)
        }
        let node = node(at: mapping.source)
        let target = PlanTarget(
            attribute: mapping.attribute, conversion: conversion, isIdentity: isIdentity,
            detail: detail)
        nodes[node].targets.append(target)
        if isIdentity { identityTarget = target }
    }

    mutating func add(_ row: PlanRow, at keyPath: [String]) {
        let node = node(at: keyPath)
        nodes[node].rows.append(row)
    }

    mutating func add(_ link: PlanLink, at source: [String]) {
        let node = node(at: source)
        nodes[node].links.append(link)
    }

    private mutating func node(at keyPath: [String]) -> Int {
        var current = 0
        for key in keyPath {
            let next = nodes[current].children.first {
                nodes[$0].key.utf8.elementsEqual(key.utf8)
            }
            if let next {
                current = next
            } else {
                nodes.append(Node(key: key))
                nodes[current].children.append(nodes.count - 1)
                current = nodes.count - 1
            }
        }
        return current
    }
}
