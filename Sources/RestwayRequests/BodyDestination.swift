package import RestwayBodies
import RestwayDocument
package import RestwayHTTP
import RestwayOutcome
import RestwayRouting

/// The place to which the body of a successful answer goes.
package enum BodyDestination: Sendable {
    case memory
    case file(SavePlan)
    case descriptor(SaveDescriptor, bytesMax: Int64 = 0)
    case receiver(BodyReceiver)
    /// - Parameter format: The format of the stream; `nil` if the media type decides.
    case events(EventReceiver, EventStreamFormat?)

    package var isMemory: Bool {
        if case .memory = self { true } else { false }
    }

    package var isEvents: Bool {
        if case .events = self { true } else { false }
    }

    /// The destination of the same body in a call that the program does not know.
    var inBackground: BodyDestination {
        guard !isMemory else { return self }
        var plan = SavePlan.temporary()
        switch self {
        case .file(let own): plan.bytesMax = own.bytesMax
        case .descriptor(_, let bytesMax): plan.bytesMax = bytesMax
        case .memory, .receiver, .events: break
        }
        return .file(plan)
    }

    /// The media types that the answer should have; `nil` for the media types that requests usually
    /// accept.
    var accepted: String? {
        if case .events(_, let format) = self { EventStreamFormat.accepted(format) } else { nil }
    }

    /// The name of the parameter with which the program chooses the destination.
    var field: String {
        switch self {
        case .memory: "body"
        case .file: "path"
        case .descriptor: "descriptor"
        case .receiver, .events: "receiver"
        }
    }
}

extension BodyDestination {
    /// Returns where the body of a successful answer to a request goes. Throws if the body of an
    /// answer to this request cannot go there, so that the call fails before the request is sent.
    ///
    /// - Parameter saveBytesMax: The size limit of saved bodies, for requests that set no limit
    ///   themselves.
    static func of(
        _ spec: RequestSpec, _ settings: RouteSettings, _ method: Method, saveBytesMax: Int64
    ) throws(Failure) -> BodyDestination {
        var destination = spec.reception.bodyDestination
        if destination.isMemory, settings.answers.areSaved, method != .head {
            destination = .file(.temporary())
        }
        if case .events(let receiver, _) = destination {
            destination = .events(receiver, receiver.options.format ?? settings.answers.stream)
        }
        guard !destination.isMemory else {
            guard settings.answers.stream == nil else {
                throw Failure(
                    .invalidArgument,
                    "the route answers with an event stream: the request needs a receiver of "
                        + "events", field: "receiver")
            }
            return .memory
        }
        let problem: String? =
            if spec.isInBatch {
                "the answer to a request of a batch is a part of another body"
            } else if method == .head {
                "the answer to HEAD has no body"
            } else {
                nil
            }
        if let problem {
            throw Failure(
                .invalidArgument, "the body of the answer cannot be saved or streamed: \(problem)",
                field: destination.field)
        }
        let bytesMax = spec.reception.saveBytesMax ?? saveBytesMax
        switch destination {
        case .file(var plan):
            plan.bytesMax = bytesMax
            return .file(plan)
        case .descriptor(let descriptor, _):
            return .descriptor(descriptor, bytesMax: bytesMax)
        case .memory, .receiver, .events:
            return destination
        }
    }
}
