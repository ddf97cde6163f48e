#if Metrics
public import CoreMetrics
import FoundationEssentials

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
    /// Calls that begin after this function are measured, until `calls.setTracing(nil)`. It takes
    /// the place of another tracing. The end of a call is measured on a worker thread of the
    /// library, shortly after the call has completed.
    ///
    /// - Parameter factory: Makes the metrics; without it, the factory of `MetricsSystem` does.
    public func startMeasuring(with factory: (any MetricsFactory)? = nil) throws(RestwayError) {
        let measurements = CallMeasurements(factory: factory ?? MetricsSystem.factory)
        try calls.setTracing(
            CallTracing(sendsHeader: false) { span, _ in
                measurements.add(span)
                return nil
            })
    }
}

/// Turns the spans of calls into measurements.
private struct CallMeasurements: Sendable {
    private static let ofActive = ["http.request.method", "server.address", "server.port"]
    private static let ofDuration =
        ofActive + ["http.response.status_code", "network.protocol.version", "error.type"]

    let factory: any MetricsFactory

    func add(_ span: CallSpan) {
        let active = Meter(
            label: "http.client.active_requests", dimensions: dimensions(of: span, Self.ofActive),
            factory: factory)
        guard let end = span.end else { return active.increment() }
        active.decrement()
        let timer = Timer(
            label: "http.client.request.duration",
            dimensions: dimensions(of: span, Self.ofDuration), factory: factory)
        timer.recordMicroseconds(Int64((end.timeIntervalSince(span.start) * 1e6).rounded()))
    }

    private func dimensions(of span: CallSpan, _ names: [String]) -> [(String, String)] {
        names.compactMap { name in
            switch span.attributes[name] {
            case .text(let text): (name, text)
            case .number(let number): (name, String(number))
            case nil: nil
            }
        }
    }
}
#endif
