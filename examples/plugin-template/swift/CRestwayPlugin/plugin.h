/* Imports the installed header into Swift. */
#ifndef CRESTWAYPLUGIN_PLUGIN_H
#define CRESTWAYPLUGIN_PLUGIN_H

#include <restway/plugin.h>

#endif
