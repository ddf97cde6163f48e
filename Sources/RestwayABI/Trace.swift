public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome

// trace.h

@_cdecl("restway_client_set_tracing") @implementation
public func restway_client_set_tracing(
    _ client: InHandle, _ flags: UInt32, _ span: restway_span_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        try Argument.flags(flags, known: RESTWAY_TRACE_HEADER | RESTWAY_TRACE_ALL_ORIGINS)
        var observer: Tracing.Observer?
        if let span {
            observer = { record, proposal in record.lend(proposal, to: span, context) }
        }
        let tracing = Tracing(
            sendsHeader: flags & RESTWAY_TRACE_HEADER != 0,
            trustsAll: flags & RESTWAY_TRACE_ALL_ORIGINS != 0, observer: observer)
        let isOff = flags == 0 && observer == nil
        try client.calls.setFunctions { $0.tracing = isOff ? nil : tracing }
    }
}

extension SpanRecord {
    /// The attributes, with `error.type` for a call that failed.
    private var allAttributes: [SpanAttribute] {
        guard let failure else { return attributes }
        let type =
            failure.httpStatus.map { "\($0)" } ?? restway_status(failure.reason).name.description
        return attributes + [SpanAttribute(name: "error.type", value: .text(type))]
    }

    /// Calls the function of the program with the span as C reads it.
    ///
    /// - Parameter proposal: The `traceparent` at the start; `nil` at the end.
    /// - Returns: The `traceparent` that the function left at the start.
    fileprivate func lend(
        _ proposal: String?, to function: restway_span_fn, _ context: HostContext
    ) -> String? {
        let attributes = allAttributes
        // The texts live until the function has returned.
        let names = attributes.map { CText($0.name.description) }
        let texts = attributes.map { attribute -> CText? in
            if case .text(let text) = attribute.value { CText(text) } else { nil }
        }
        let fields = attributes.indices.map { index in
            var field = restway_span_attribute()
            field.name = names[index].pointer
            field.text = texts[index]?.pointer
            if case .number(let number) = attributes[index].value { field.number = Int64(number) }
            return field
        }
        let title = CText(name)
        return withExtendedLifetime((names, texts, title)) { () -> String? in
            fields.withUnsafeBufferPointer { fields -> String? in
                var span = restway_span()
                span.name = title.pointer
                span.attributes = fields.baseAddress
                span.attribute_count = fields.count
                span.call_id = call
                span.start_microseconds = start
                span.end_microseconds = end ?? 0
                span.status = (failure.map { restway_status($0.reason) } ?? .RESTWAY_OK).rawValue
                guard let proposal else {
                    function(context.pointer, &span, nil)
                    return nil
                }
                return Self.asking(proposal) { function(context.pointer, &span, $0) }
            }
        }
    }

    /// Gives the function a buffer with the proposal, and returns what the function left there.
    private static func asking(_ proposal: String, _ body: (Out<CChar>) -> Void) -> String? {
        var buffer = proposal.utf8.map(CChar.init(bitPattern:))
        buffer += Array(repeating: 0, count: max(1, Int(RESTWAY_TRACEPARENT_SIZE) - buffer.count))
        buffer.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(validating: bytes, as: UTF8.self)
    }
}
