/** @file restway/restway.h
 *  All public headers in one. Each topic has a header of its own beside this one.
 */
#ifndef RESTWAY_RESTWAY_H
#define RESTWAY_RESTWAY_H

#include "api.h"
#include "auth.h"
#include "base.h"
#include "batch.h"
#include "body.h"
#include "call.h"
#include "change.h"
#include "client.h"
#include "cookie.h"
#include "download.h"
#include "draft.h"
#include "error.h"
#include "event.h"
#include "event_stream.h"
#include "failure.h"
#include "hook.h"
#include "list.h"
#include "log.h"
#include "mapping.h"
#include "network.h"
#include "object.h"
#include "observer.h"
#include "outbox.h"
#include "plugins.h"
#include "progress.h"
#include "query.h"
#include "rate.h"
#include "request.h"
#include "resource.h"
#include "response.h"
#include "retry.h"
#include "store.h"
#include "stream.h"
#include "upload.h"
#include "value.h"
#include "version.h"

#endif
