/** @file restway/draft.h
 *  Drafts: mutable copies of objects, or new ones, made to be sent.
 */
#ifndef RESTWAY_DRAFT_H
#define RESTWAY_DRAFT_H

#include "object.h"
#include "request.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** A new object of an entity, without any value. No store knows it before
 *  restway_draft_insert(), or before a server has taken it.
 *
 *  @param store     Kept alive (+1) by the draft: where it is inserted, and of whose client it can
 *                   be sent.
 *  @param entity    The entity's name.
 *  @param out_draft Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_create(
    restway_store *store, const char *entity, restway_draft **out_draft,
    restway_error **out_error);

/** A copy of @p object, its *base*: of what is not set in the draft, it says what the base says.
 *
 *  @param store     As in restway_draft_create().
 *  @param object    Kept alive (+1) by the draft. It must come from @p store.
 *  @param out_draft Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_copy(
    restway_store *store, const restway_object *object, restway_draft **out_draft,
    restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_draft *restway_draft_retain(const restway_draft *draft);

/** Gives back one reference. NULL is fine. Drafts that are linked keep each other alive until the
 *  last of them is released. Threads: any. Blocks: never. */
RESTWAY_API void restway_draft_release(restway_draft *draft);

/** The name of the entity; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_draft_entity(const restway_draft *draft);

/** The store key of the object that this is a draft of; 0 as long as no store knows it, and for
 *  NULL. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_draft_store_key(const restway_draft *draft);

/** Sets an attribute or a relationship.
 *
 *  @param name  The name of an attribute or a relationship.
 *  @param value *Copied*. For an attribute a value of its type, or null; an int64 is a double too,
 *               and whatever JSON can say is JSON. An object keeps the identity that it has. For a
 *               relationship an object or null, for one to many also a list of objects, each once;
 *               the objects are kept alive (+1) and must come from the draft's store.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for a value
 *          that does not fit: the message says what would); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_set(
    restway_draft *draft, const char *name, const restway_value *value,
    restway_error **out_error);

/** Leads a relationship to one more object; one to one leads to that object only. An object that it
 *  leads to already stays where it is.
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

/** The same with a draft, which takes the place of the object that it is a draft of. From now on
 *  both drafts keep each other alive.
 *
 *  @param relationship Its name.
 *  @param other        *Borrowed*; may be @p draft.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_add_draft(
    restway_draft *draft, const char *relationship, restway_draft *other,
    restway_error **out_error);

/** Leads a relationship away from an object; nothing happens when it does not lead there.
 *
 *  @param relationship Its name.
 *  @param object       *Borrowed*.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_remove(
    restway_draft *draft, const char *relationship, const restway_object *object,
    restway_error **out_error);

/** The same with a draft.
 *
 *  @param relationship Its name.
 *  @param other        *Borrowed*.
 *  @return As restway_draft_add().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_remove_draft(
    restway_draft *draft, const char *relationship, restway_draft *other,
    restway_error **out_error);

/** Leads a relationship to objects and drafts, in their order and each once, and to nothing else.
 *  One step: nobody sees a part of it.
 *
 *  @param relationship Its name.
 *  @param objects      @p count places: an object, as in restway_draft_add(), or NULL where a draft
 *                      is meant. NULL when there are only drafts.
 *  @param drafts       @p count places: a draft, as in restway_draft_add_draft(), or NULL where an
 *                      object is meant. NULL when there are only objects.
 *  @param count        At most 1 for a relationship to one. 0 is null for that, and an empty list
 *                      for one to many.
 *  @return As restway_draft_add(); then nothing has changed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_relate(
    restway_draft *draft, const char *relationship, const restway_object *const *objects,
    restway_draft *const *drafts, size_t count, restway_error **out_error);

/** Lets the draft say nothing about an attribute or a relationship: it is not sent, and a store
 *  keeps what it has.
 *
 *  @param name Its name.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_unset(
    restway_draft *draft, const char *name, restway_error **out_error);

/** Forgets what was set: the base counts again.
 *
 *  @param name The name of an attribute or a relationship, or NULL for all.
 *  @return As restway_draft_unset().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_revert(
    restway_draft *draft, const char *name, restway_error **out_error);

/** Names what was changed: what was set and differs from the base; in a new draft all that was set.
 *  Attributes come first, then relationships, in the order of the API document.
 *
 *  @param out_names Room for @p capacity names, each *Borrowed* from @p draft; may be NULL when
 *                   @p capacity is 0.
 *  @param capacity  How many names there is room for.
 *  @param out_count Receives how many there are in all; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_changes(
    const restway_draft *draft, const char **out_names, size_t capacity, size_t *out_count,
    restway_error **out_error);

/** The object as the draft has it now; later changes do not reach it. Links to drafts that no store
 *  knows are left out.
 *
 *  @param out_object Receives an object with the draft's store key, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_snapshot(
    const restway_draft *draft, restway_object **out_object, restway_error **out_error);

/** Puts the draft into its store: a new one as an unsent object with a store key, one of an object
 *  as what was changed. Drafts that it leads to come along. The draft stays changed, as no server
 *  has heard of it. All of it or nothing.
 *
 *  @param out_object Receives the snapshot that this left in the store, owned by the caller (+1);
 *                    may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (what it is a draft of has been deleted);
 *          RESTWAY_E_STORE; RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_insert(
    restway_draft *draft, restway_object **out_object, restway_error **out_error);

RESTWAY_END_DECLS

#endif
