import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Tests how objects and drafts are written.
final class EncodingTests: XCTestCase {
    private func written(_ json: String, _ options: EncodingOptions = EncodingOptions()) throws
        -> String
    {
        try encoded(.object(map(json).rows[0]), Model.mapping, nil, options)
    }

    private func node(_ draft: Draft, _ store: MemoryStore? = nil, _ change: (inout EncodingOptions)
        -> Void = { _ in }) throws -> String
    {
        var options = EncodingOptions()
        change(&options)
        return try encoded(.draft(draft.capture()), Graph.mapping, store, options)
    }

    private func draft(_ id: Int64?, _ name: String? = nil) throws -> Draft {
        let draft = Draft(Graph.node)
        if let id { try draft.set(.int64(id), attribute: 0) }
        if let name { try draft.set(.string(name), attribute: 1) }
        return draft
    }

    func testEveryTypeIsWrittenAsItIsRead() throws {
        let json = #"{"id":1,"any":[1,{"a":null}],"bool":true,"int":9007199254740993,"double":0.5,"#
            + #""string":"é\u0000\"","date":"2013-02-03T04:05:06.500Z","day":"03/02/2013","#
            + #""stamp":1.5,"bytes":"AP8=","json":{"big":99999999999999999999,"ab":1},"#
            + #""address":{"street":"x","at":{"lat":2.5}}}"#
        XCTAssertEqual(try written(json), json)
    }

    func testNullIsWrittenOrLeftOut() throws {
        let json = #"{"id":1,"string":null,"address":{"street":null}}"#
        XCTAssertEqual(try written(json), json)
        var options = EncodingOptions()
        options.keepsNulls = false
        XCTAssertEqual(try written(json, options), #"{"id":1}"#)
    }

    func testWhatNobodyKnowsIsLeftOut() throws {
        XCTAssertEqual(try written(#"{"id":1}"#), #"{"id":1}"#)
    }

    func testRelationshipsExpandAndRepeatedObjectsAreTheirIdentity() throws {
        let (store, objects) = try Graph.store(
            """
            {"key": {"id": 1}, "one": {"key": {"id": 2}, "name": "two", "one": {"key": {"id": 1}}},
             "deep": {"many": [{"key": {"id": 2}}, {"key": {"id": 3}}]}}
            """)
        XCTAssertEqual(
            try encoded(.object(objects[0]), Graph.mapping, store),
            #"{"key":{"id":1},"one":{"key":{"id":2},"name":"two","one":{"key":{"id":1}}},"#
                + #""deep":{"many":[{"key":{"id":2}},{"key":{"id":3}}]}}"#)
    }

    func testRelationshipsByIdentityEmitIdentities() throws {
        let (store, objects) = try Graph.store(
            #"{"key": {"id": 1}, "ref_id": 2, "ref_ids": [3, 1, "x"]}"#)
        XCTAssertEqual(
            try encoded(.object(objects[0]), Graph.mapping, store),
            #"{"key":{"id":1},"ref_id":2,"ref_ids":[3,1,"x"]}"#)
    }

    func testObjectsThatAreGoneAreNotWritten() throws {
        let (store, objects) = try Graph.store(
            #"{"key": {"id": 1}, "one": {"key": {"id": 2}}, "ref_ids": [2, 3]}"#)
        var changes = ChangeSet()
        changes.deletions = [.identity(Graph.node, .integer(2))]
        _ = try store.commit(changes)
        XCTAssertEqual(
            try encoded(.object(objects[0]), Graph.mapping, store),
            #"{"key":{"id":1},"one":null,"ref_ids":[3]}"#)
    }

    func testCirclesOfNewDraftsEnd() throws {
        let (parent, child) = (try draft(nil, "parent"), try draft(nil, "child"))
        try parent.set([.draft(child)], relationship: 1)
        try child.set([.draft(parent)], relationship: 0)
        try child.set([.draft(child)], relationship: 1)
        XCTAssertEqual(
            try node(parent),
            #"{"name":"parent","deep":{"many":[{"name":"child","deep":{"many":[]}}]}}"#)
        try parent.set(.int64(7), attribute: 0)
        XCTAssertEqual(
            try node(child),
            #"{"name":"child","one":{"key":{"id":7},"name":"parent","deep":{"many":[]}},"#
                + #""deep":{"many":[]}}"#)
    }

    func testLongChainsEndInAnErrorRatherThanOnTheStack() throws {
        var chain = [try draft(0)]
        for index in 1..<2_000 {
            chain.append(try draft(Int64(index)))
            try chain[index].set([.draft(chain[index - 1])], relationship: 0)
        }
        XCTAssertThrowsError(try node(chain[1_999])) {
            XCTAssertEqual($0 as? EncodingError, .tooDeep(max: 512))
        }
        XCTAssertNoThrow(try node(chain[500]))
    }

    func testARelationshipByIdentityNeedsOne() throws {
        let own = try draft(1)
        try own.set([.draft(draft(nil, "new"))], relationship: 2)
        XCTAssertThrowsError(try node(own)) {
            XCTAssertEqual(
                ($0 as? EncodingError)?.message,
                "Node.ref is sent by identity, and the Node that it leads to has no identity yet")
        }
    }

    func testOfAnObjectItsLinkedDraftIsWritten() throws {
        let (store, objects) = try Graph.store(
            #"[{"key":{"id":1},"one":{"key":{"id":2},"name":"stored"}}, {"key":{"id":2}}]"#)
        let copy = Draft(copying: try XCTUnwrap(store.object(Graph.node, .integer(2))))
        try copy.set(.string("drafted"), attribute: 1)
        let own = Draft(copying: objects[0])
        XCTAssertTrue(try node(own, store).contains("stored"))
        try own.add(.draft(copy), relationship: 0)
        XCTAssertEqual(
            try node(own, store) { $0.isChangedOnly = true },
            #"{"one":{"key":{"id":2},"name":"drafted"}}"#)
    }

    func testChangedOnlyWritesWhatWasChanged() throws {
        let (store, objects) = try Graph.store(
            #"{"key": {"id": 1}, "name": "a", "one": {"key": {"id": 2}}, "ref_ids": [2]}"#)
        let own = Draft(copying: objects[0])
        XCTAssertEqual(try node(own, store) { $0.isChangedOnly = true }, "{}")
        try own.set(.null, attribute: 1)
        try own.set([], relationship: 3)
        XCTAssertEqual(
            try node(own, store) { $0.isChangedOnly = true }, #"{"name":null,"ref_ids":[]}"#)
    }

    func testExclusionIsToldTheRealEntityAndWithholdsFromTheOutermost() throws {
        let (store, objects) = try Graph.store(
            #"{"key": {"id": 1}, "one": {"key": {"id": 2}, "ref_id": 1}, "ref_ids": [2]}"#)
        var options = EncodingOptions()
        options.excludes = { entity, relationship in
            entity.name == "Node" && relationship.name.hasPrefix("ref")
        }
        var encoder = ObjectEncoder(
            mappings: [Graph.mapping], options: options, json: JanssonMapper(),
            newest: { store.newest($0, storeKey: $1) })
        let value = try encoder.encode(.object(objects[0]), Graph.mapping)
        XCTAssertEqual(value.keys, ["key", "one"])
        XCTAssertEqual(encoder.sent[0].withheld, [4, 5])
    }

    func testSourcesThatOverlapAreMerged() throws {
        let mapping = Model.mapping([
            ("id", .int), ("box.a", .int), ("box", .json), ("box.b.c", .string), ("id", .any),
        ])
        let row = try map(
            #"{"id":1,"box":{"a":2,"b":{"c":"x","d":[3]},"e":4}}"#, [Model.descriptor("", mapping)]
        ).rows[0]
        let draft = Draft(copying: row)
        try draft.set(.string("y"), attribute: 3)
        XCTAssertEqual(
            try encoded(.draft(draft.capture()), mapping),
            #"{"id":1,"box":{"a":2,"b":{"c":"y","d":[3]},"e":4}}"#)
        try draft.set(.json("7"), attribute: 2)
        XCTAssertThrowsError(try encoded(.draft(draft.capture()), mapping)) {
            XCTAssertEqual(
                $0 as? EncodingError, .blocked(entity: "Thing", name: "box.b.c", source: "box.b.c"))
        }
    }

    func testNumbersWithoutAJSONFormAreErrors() throws {
        let draft = Draft(Model.entity)
        try draft.set(.double(.infinity), attribute: 4)
        XCTAssertThrowsError(try encoded(.draft(draft.capture()), Model.mapping)) {
            guard case .transform(_, "double", _)? = $0 as? EncodingError else {
                return XCTFail("\($0)")
            }
        }
        // A mapper whose format has infinity and NaN gets them as numbers; JSON has neither of
        // them.
        var options = EncodingOptions()
        options.keepsInfinities = true
        XCTAssertThrowsError(
            try encoded(.draft(draft.capture()), Model.mapping, nil, options)
        ) {
            XCTAssertEqual(
                ($0 as? MapperError)?.message,
                "a number is infinite or not-a-number: JSON cannot write it")
        }
    }
}
