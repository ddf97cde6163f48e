import RestwayRouting

/// Parameters for all requests that match a method and a path: an entry of `requests`.
struct RequestDefaults: Sendable {
    var methods: [Method]
    var template: PathTemplate
    var parameters: [Parameter]
}
