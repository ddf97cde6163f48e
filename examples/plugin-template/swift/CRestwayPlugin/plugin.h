/* The installed header, as Swift sees it. */
#ifndef CRESTWAYPLUGIN_PLUGIN_H
#define CRESTWAYPLUGIN_PLUGIN_H

#include <restway/plugin.h>

#endif
