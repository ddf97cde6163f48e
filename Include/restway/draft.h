/** @file restway/draft.h
 *  Drafts: mutable copies of objects, or new objects, made to be sent.
 */
#ifndef RESTWAY_DRAFT_H
#define RESTWAY_DRAFT_H

#include "object.h"
#include "request.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** Makes a draft of a new object of an entity, without any value. The object is not in the store
 *  before restway_draft_insert() or before a server has accepted it.
 *
 *  @param store     Kept alive (+1) by the draft. The draft can be inserted into this store, and
 *                   the client of this store can send it.
 *  @param entity    The entity's name.
 *  @param out_draft Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT (also for an entity
 *          whose objects no store keeps), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_create(
    restway_store *store, const char *entity, restway_draft **out_draft,
    restway_error **out_error);

/** Makes a draft that is a copy of @p object. The object is the *base* of the draft: attributes and
 *  relationships that are not set in the draft have the values of the base.
 *
 *  @param store     As in restway_draft_create().
 *  @param object    Kept alive (+1) by the draft. It must come from @p store.
 *  @param out_draft Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for an object that no store keeps),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_copy(
    restway_store *store, const restway_object *object, restway_draft **out_draft,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_draft *restway_draft_retain(const restway_draft *draft);

/** Gives back one reference. NULL is fine. Drafts that are linked keep each other alive until the
 *  last of them is released. Threads: any. Blocks: never. */
RESTWAY_API void restway_draft_release(restway_draft *draft);

/** Returns the name of the entity; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_draft_entity(const restway_draft *draft);

/** Returns the store key of the draft's object; 0 as long as the object is in no store, and for
 *  NULL. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_draft_store_key(const restway_draft *draft);

/** Sets an attribute or a relationship.
 *
 *  @param name  The name of an attribute or a relationship.
 *  @param value *Copied*. For an attribute it is a value of its type, or null. An attribute of type
 *               double also takes an int64, and an attribute of type JSON takes every value that
 *               JSON can hold. An attribute that is a list or a map (values.h) takes a list or
 *               JSON whose elements all fit. If the object has an identity, it cannot be
 *               changed. For a relationship the value is an object or null; a relationship to many
 *               also takes a list of objects, each once. The objects are kept alive (+1) and must
 *               come from the draft's store.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for a value
 *          that does not fit: the message says which values fit); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_set(
    restway_draft *draft, const char *name, const restway_value *value,
    restway_error **out_error);

/** Adds an object to a relationship. A relationship to one then leads to that object only. An
 *  object that is already linked keeps its position.
 *
 *  @param relationship Its name.
 *  @param object       Kept alive (+1) by the draft. It must come from the draft's store.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for an object
 *          of another entity, or a draft for another store); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_add(
    restway_draft *draft, const char *relationship, const restway_object *object,
    restway_error **out_error);

/** Adds a draft to a relationship, like restway_draft_add(). The draft stands for its object. From
 *  now on both drafts keep each other alive.
 *
 *  @param relationship Its name.
 *  @param other        *Borrowed*; may be @p draft.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_add_draft(
    restway_draft *draft, const char *relationship, restway_draft *other,
    restway_error **out_error);

/** Removes an object from a relationship; nothing happens if the relationship does not lead to it.
 *
 *  @param relationship Its name.
 *  @param object       *Borrowed*.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_remove(
    restway_draft *draft, const char *relationship, const restway_object *object,
    restway_error **out_error);

/** Removes a draft from a relationship, like restway_draft_remove().
 *
 *  @param relationship Its name.
 *  @param other        *Borrowed*.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_remove_draft(
    restway_draft *draft, const char *relationship, restway_draft *other,
    restway_error **out_error);

/** Sets all objects and drafts that a relationship leads to, in order and each once. The change is
 *  atomic: no other thread sees a part of it.
 *
 *  @param relationship Its name.
 *  @param objects      @p count elements: an object, as in restway_draft_add(), or NULL if
 *                      @p drafts holds this element. NULL when there are only drafts.
 *  @param drafts       @p count elements: a draft, as in restway_draft_add_draft(), or NULL if
 *                      @p objects holds this element. NULL when there are only objects.
 *  @param count        At most 1 for a relationship to one. 0 sets a relationship to one to null,
 *                      and a relationship to many to an empty list.
 *  @return As restway_draft_add(). On failure nothing has changed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_relate(
    restway_draft *draft, const char *relationship, const restway_object *const *objects,
    restway_draft *const *drafts, size_t count, restway_error **out_error);

/** Removes an attribute or a relationship from the draft: it is not sent, and the store keeps its
 *  value.
 *
 *  @param name Its name.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_unset(
    restway_draft *draft, const char *name, restway_error **out_error);

/** Undoes changes of the draft: the values of the base apply again.
 *
 *  @param name The name of an attribute or a relationship; NULL undoes all changes.
 *  @return As restway_draft_unset().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_revert(
    restway_draft *draft, const char *name, restway_error **out_error);

/** Names the changed attributes and relationships: those that were set and differ from the base,
 *  or, in the draft of a new object, all that were set. Attributes come first, then relationships,
 *  in the order of the API document.
 *
 *  @param out_names Room for @p capacity names, each *Borrowed* from @p draft; may be NULL when
 *                   @p capacity is 0.
 *  @param capacity  How many names there is room for.
 *  @param out_count Receives how many names there are in all; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_changes(
    const restway_draft *draft, const char **out_names, size_t capacity, size_t *out_count,
    restway_error **out_error);

/** Makes an object with the present values of the draft; later changes do not affect it. Links to
 *  drafts whose object is in no store are left out.
 *
 *  @param out_object Receives an object with the draft's store key, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_snapshot(
    const restway_draft *draft, restway_object **out_object, restway_error **out_error);

/** Puts the draft into its store. A new object becomes an unsent object with a store key; for an
 *  existing object the changes are stored. Drafts that its relationships lead to are put into the
 *  store, too. The draft still counts as changed, as no server has received it. On failure nothing
 *  is stored.
 *
 *  @param out_object Receives the snapshot that this left in the store, owned by the caller (+1);
 *                    may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (the object of the draft has been deleted);
 *          RESTWAY_E_STORE; RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_insert(
    restway_draft *draft, restway_object **out_object, restway_error **out_error);

RESTWAY_END_DECLS

#endif
