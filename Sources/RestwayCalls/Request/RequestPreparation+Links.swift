import RestwayDocument
import RestwayMapping
import RestwayObjects
package import RestwayOutcome
package import RestwayRouting
import RestwayText

// Requests for URLs that answers have named.

extension RequestPreparation.Destination {
    /// Leads to a URL that the answer to a request to this destination has named. The URL may be at
    /// the origin of that request, or at an origin that the environment trusts. So neither a
    /// credential nor a header of the program goes anywhere where it was not sent before.
    func linked(to url: String, in environment: Environment) throws(RoutingError) -> Self {
        let target = try Origin(url: url)
        let first = try Origin(url: self.url)
        guard target == first || environment.trusts(target) else {
            throw RoutingError.invalidURL(
                URLText.withoutQuery(url),
                reason: "the answer leads from \(first) to another origin, which is not in "
                    + "trustedOrigins")
        }
        var destination = self
        destination.url = url
        destination.path = environment.baseURL.relativePath(of: url)
        return destination
    }
}

extension CallContext {
    /// Returns the route and the method of a request by the name of a route or about an object;
    /// `nil` for a request by path.
    package func route(of spec: RequestSpec) throws(Failure) -> (route: Route, method: Method)? {
        let loaded = api.loaded
        let preparation = RequestPreparation(
            context: self, api: loaded, questions: BodyQuestions(), identities: nil)
        let routes = loaded.definition.routes
        do {
            switch spec.target {
            case .route(let name, let method):
                let route = try routes.existing(name)
                return (route, try routes.method(method, of: route))
            case .subject(let method):
                guard let subject = try preparation.submission(spec)?.subject else { return nil }
                return (try loaded.route(for: subject.entity, method: method), method)
            case .routed(let method, _, let name):
                let route = try routes.existing(name)
                return (route, try routes.method(method, of: route))
            case .path, .link: return nil
            }
        } catch let error as RoutingError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.internal, "unexpected error while finding a route: \(error)")
        }
    }
}
