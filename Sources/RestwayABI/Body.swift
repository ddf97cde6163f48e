public import CRestway
import RestwayBodies
import RestwayCalls
import RestwayDocument
import RestwayOutcome
import RestwayRequests

// body.h

@_cdecl("restway_request_set_body_reader") @implementation
public func restway_request_set_body_reader(
    _ request: InHandle, _ reader: In<restway_body_reader>?, _ length: Int64, _ mediaType: CString?,
    _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        let functions = try BodyReaderFields(reader)
        try Argument.minusOneOrMore(length, "length")
        let mediaType = try Argument.mediaType(mediaType)
        let context = HostContext(functions.context, functions.destroy)
        let body = BodyReader(
            length: length < 0 ? nil : length, read: BodyReading.reading(functions.read, context),
            rewind: functions.rewind.map { BodyReading.rewinding($0, context) })
        request.set(.init(reader: body, mediaType: mediaType))
    }
}

@_cdecl("restway_request_set_serialization") @implementation
public func restway_request_set_serialization(
    _ request: InHandle, _ serialization: restway_serialization, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        guard let chosen = Serialization(number: Int(serialization.rawValue)) else {
            throw Argument.outOfRange("serialization", Int64(serialization.rawValue))
        }
        spec.given.serialization = chosen
    }
}

@_cdecl("restway_request_set_gzip") @implementation
public func restway_request_set_gzip(
    _ request: InHandle, _ gzip: Int32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.given.isCompressed = try Argument.zeroOrOne(gzip, "gzip")
    }
}

@_cdecl("restway_request_set_expect_continue") @implementation
public func restway_request_set_expect_continue(
    _ request: InHandle, _ expectContinue: Int32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.given.expectsContinue =
            try Argument.zeroOrOne(expectContinue, "expect_continue")
    }
}

/// Makes the functions of a body reader from C functions.
enum BodyReading {
    static func reading(
        _ read: @escaping restway_body_read_fn, _ context: HostContext
    ) -> BodyReader.Read {
        { buffer in
            var count = 0
            let failure = ask { answer in
                read(context.pointer, buffer.baseAddress, buffer.count, &count, answer)
            }
            if let failure { return .failure(failure) }
            guard count >= 0, count <= buffer.count else {
                let reason = "the body's reader: out_count is beyond its \(buffer.count) bytes"
                return .failure(Argument.wrong("out_count", reason))
            }
            return .success(count)
        }
    }

    static func rewinding(
        _ rewind: @escaping restway_body_rewind_fn, _ context: HostContext
    ) -> BodyReader.Rewind {
        {
            let failure = ask { rewind(context.pointer, $0) }
            return failure.map { .failure($0) } ?? .success(())
        }
    }

    private static func ask(_ function: (OpaquePointer) -> restway_status) -> Failure? {
        Question.ask(function)?.failure("the body's reader: ")
    }
}
