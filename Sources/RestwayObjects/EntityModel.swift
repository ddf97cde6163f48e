/// What the entities of one api have in common: it tells them from those of another.
package final class EntityModel: Sendable {
    package init() {}
}
