#if Metrics
public import CoreMetrics
import RestwayCalls
import RestwayClient
import RestwayOutcome

extension Client {
    /// Measures each call with swift-metrics, under the names of OpenTelemetry's semantic
    /// conventions for HTTP clients. It is there with the trait `Metrics` of the package.
    ///
    /// - `http.client.request.duration`, a timer: from the start of a call to its completion, with
    ///   all its attempts and redirects. Its dimensions are `http.request.method`,
    ///   `server.address`, `server.port`, and, where the call has them,
    ///   `http.response.status_code`, `network.protocol.version` and `error.type` (the status from
    ///   400 on, else the `RestwayError.Kind`).
    /// - `http.client.active_requests`, a meter: the calls that have not completed, with the first
    ///   three of these dimensions.
    ///
    /// Calls that begin after this function are measured. The end of a call is measured on a worker
    /// thread of the library, shortly after the call has completed.
    ///
    /// - Parameter factory: Makes the metrics; without it, the factory of `MetricsSystem` does.
    public func startMeasuring(with factory: (any MetricsFactory)? = nil) throws(RestwayError) {
        let measurements = CallMeasurements(factory: factory ?? MetricsSystem.factory)
        try setTracing(
            Tracing(sendsHeader: false, trustsAll: false) { record, _ in
                measurements.add(record)
                return nil
            })
    }

    /// Stops measuring calls. Calls that have begun are still measured to their end.
    public func stopMeasuring() throws(RestwayError) {
        try setTracing(nil)
    }

    private func setTracing(_ tracing: Tracing?) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.calls.setFunctions { $0.tracing = tracing }
        }
    }
}

/// Turns the spans of calls into measurements.
private struct CallMeasurements: Sendable {
    private static let ofActive: Set<String> = [
        "http.request.method", "server.address", "server.port",
    ]
    private static let ofDuration = ofActive.union([
        "http.response.status_code", "network.protocol.version",
    ])

    let factory: any MetricsFactory

    func add(_ record: SpanRecord) {
        let active = Meter(
            label: "http.client.active_requests",
            dimensions: dimensions(of: record, named: Self.ofActive), factory: factory)
        guard let end = record.end else { return active.increment() }
        active.decrement()
        var dimensions = dimensions(of: record, named: Self.ofDuration)
        if let failure = record.failure {
            let status = failure.httpStatus.map(String.init)
            dimensions.append(
                ("error.type", status ?? RestwayError.Kind(failure.reason).rawValue))
        }
        let timer = Timer(
            label: "http.client.request.duration", dimensions: dimensions, factory: factory)
        timer.recordMicroseconds(end - record.start)
    }

    private func dimensions(
        of record: SpanRecord, named names: Set<String>
    ) -> [(String, String)] {
        record.attributes.compactMap { attribute in
            let name = attribute.name.description
            guard names.contains(name) else { return nil }
            return switch attribute.value {
            case .text(let text): (name, text)
            case .number(let number): (name, String(number))
            }
        }
    }
}
#endif
