/// The common model of the entities of one api. It distinguishes them from the entities of another
/// api.
package final class EntityModel: Sendable {
    package init() {}
}
