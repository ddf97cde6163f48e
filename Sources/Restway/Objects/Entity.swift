#if Macros
/// Makes a struct a `Mapped` type: its stored properties stand for the attributes and relationships
/// of the same name, so that answers are read into it, and queries and drafts take its key paths.
///
///     @Entity
///     struct Company {
///         @Named("itemID") let id: Int
///         var name: String
///         var city: String?
///         var employees: [Employee]
///         @Unmapped var isSelected = false
///     }
///
///     let companies: [Company] = try await client.get(.route("companies"))
///     let query = try client.store.query(Company.self).filter(\.city, .equal, "Pisa")
///
/// The macro writes `entity`, `names` and, where a property has another name than the attribute,
/// the `CodingKeys`. Computed and static properties, and constants with a value, are left out. If
/// the struct has `CodingKeys` of its own, the names are taken from them. The macro is there with
/// the trait `Macros` of the package.
///
/// - Parameter name: The name of the entity in the API document; without it, the name of the
///   struct. It is a string literal.
@attached(extension, conformances: Mapped, names: named(entity), named(names))
@attached(member, names: named(CodingKeys))
public macro Entity(_ name: String? = nil) =
    #externalMacro(module: "RestwayMacros", type: "EntityMacro")

/// Says which attribute or relationship a property of an `@Entity` struct stands for, where the
/// names differ.
///
/// - Parameter name: The name in the API document, a string literal.
@attached(peer)
public macro Named(_ name: String) =
    #externalMacro(module: "RestwayMacros", type: "NamedMacro")

/// Leaves a property out of an `@Entity` struct. It needs a default value.
@attached(peer)
public macro Unmapped() =
    #externalMacro(module: "RestwayMacros", type: "UnmappedMacro")
#endif
