#define _GNU_SOURCE
#include "secret_service.h"
#include "library_symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The types of GLib that libsecret's functions take or return, declared here so that building needs no GLib headers. Objects are opaque pointers.
typedef struct list { void *data; struct list *next, *previous; } list;
typedef struct { uint32_t domain; int code; char *message; } g_error;
typedef struct { void *a, *b, *c; int d, e; void *f; } g_hash_iterator;

enum {
  service_open_session = 1 << 1,
  collection_none = 0,
  item_create_replace = 1 << 1,
  search_all = 1 << 1,
  search_load_secrets = 1 << 3,
};

struct uls_secrets {
  void *cancellable;
};

static struct {
  void *(*service_get)(int, void *, g_error **);
  void *(*collection_for_alias)(void *, const char *, int, void *, g_error **);
  int (*collection_get_locked)(void *);
  list *(*search)(void *, const void *, void *, int, void *, g_error **);
  void *(*item_create)(void *, const void *, void *, const char *, void *, int, void *, g_error **);
  int (*item_delete)(void *, void *, g_error **);
  int (*item_get_locked)(void *);
  void *(*item_get_attributes)(void *);
  void *(*item_get_secret)(void *);
  void *(*value_new)(const char *, ssize_t, const char *);
  const char *(*value_get)(void *, size_t *);
  void (*value_unref)(void *);
  void *(*hash_new)(unsigned (*)(const void *), int (*)(const void *, const void *));
  unsigned (*string_hash)(const void *);
  int (*string_equal)(const void *, const void *);
  int (*hash_insert)(void *, void *, void *);
  unsigned (*hash_size)(void *);
  void (*hash_unref)(void *);
  void (*hash_begin)(g_hash_iterator *, void *);
  int (*hash_next)(g_hash_iterator *, void **, void **);
  void (*list_free)(list *, void (*)(void *));
  void (*object_unref)(void *);
  void (*error_free)(g_error *);
  void *(*cancellable_new)(void);
  void (*cancellable_cancel)(void *);
  void (*cancellable_reset)(void *);
} lib;
static int is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
  // dlsym also searches the libraries that libsecret depends on, so it finds the functions of GLib and GIO too.
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  is_available = look_up_symbol(library, &lib.service_get, "secret_service_get_sync") &&
                 look_up_symbol(library, &lib.collection_for_alias, "secret_collection_for_alias_sync") &&
                 look_up_symbol(library, &lib.collection_get_locked, "secret_collection_get_locked") &&
                 look_up_symbol(library, &lib.search, "secret_service_search_sync") &&
                 look_up_symbol(library, &lib.item_create, "secret_item_create_sync") &&
                 look_up_symbol(library, &lib.item_delete, "secret_item_delete_sync") &&
                 look_up_symbol(library, &lib.item_get_locked, "secret_item_get_locked") &&
                 look_up_symbol(library, &lib.item_get_attributes, "secret_item_get_attributes") &&
                 look_up_symbol(library, &lib.item_get_secret, "secret_item_get_secret") &&
                 look_up_symbol(library, &lib.value_new, "secret_value_new") &&
                 look_up_symbol(library, &lib.value_get, "secret_value_get") &&
                 look_up_symbol(library, &lib.value_unref, "secret_value_unref") &&
                 look_up_symbol(library, &lib.hash_new, "g_hash_table_new") &&
                 look_up_symbol(library, &lib.string_hash, "g_str_hash") &&
                 look_up_symbol(library, &lib.string_equal, "g_str_equal") &&
                 look_up_symbol(library, &lib.hash_insert, "g_hash_table_insert") &&
                 look_up_symbol(library, &lib.hash_size, "g_hash_table_size") &&
                 look_up_symbol(library, &lib.hash_unref, "g_hash_table_unref") &&
                 look_up_symbol(library, &lib.hash_begin, "g_hash_table_iter_init") &&
                 look_up_symbol(library, &lib.hash_next, "g_hash_table_iter_next") &&
                 look_up_symbol(library, &lib.list_free, "g_list_free_full") &&
                 look_up_symbol(library, &lib.object_unref, "g_object_unref") &&
                 look_up_symbol(library, &lib.error_free, "g_error_free") &&
                 look_up_symbol(library, &lib.cancellable_new, "g_cancellable_new") &&
                 look_up_symbol(library, &lib.cancellable_cancel, "g_cancellable_cancel") &&
                 look_up_symbol(library, &lib.cancellable_reset, "g_cancellable_reset");
}

int uls_secrets_available(void) {
  pthread_once(&once, look_up);
  return is_available;
}

uls_secrets *uls_secrets_create(void) {
  if (!uls_secrets_available()) return NULL;
  uls_secrets *secrets = calloc(1, sizeof *secrets);
  if (!secrets) return NULL;
  secrets->cancellable = lib.cancellable_new();
  return secrets;
}

void uls_secrets_destroy(uls_secrets *secrets) {
  lib.object_unref(secrets->cancellable);
  free(secrets);
}

void uls_secrets_cancel(uls_secrets *secrets) { lib.cancellable_cancel(secrets->cancellable); }
void uls_secrets_reset(uls_secrets *secrets) { lib.cancellable_reset(secrets->cancellable); }

static int refuse(const char *reason, g_error *error, char *message, size_t size) {
  if (message && size) snprintf(message, size, "%s", error && error->message ? error->message : reason);
  if (error) lib.error_free(error);
  return 0;
}

static void *connect_service(uls_secrets *secrets, char *message, size_t size) {
  g_error *error = NULL;
  void *service = lib.service_get(service_open_session, secrets->cancellable, &error);
  if (!service) refuse("no Secret Service runs", error, message, size);
  return service;
}

// The collection is fetched for each call: its `locked` property would only be updated by a GLib main loop, and none runs here.
static void *open_collection(uls_secrets *secrets, void *service, char *message, size_t size) {
  g_error *error = NULL;
  void *collection = lib.collection_for_alias(service, "default", collection_none, secrets->cancellable, &error);
  if (!collection) {
    refuse("the Secret Service has no default collection", error, message, size);
    return NULL;
  }
  // A locked collection isn't unlocked, as the desktop would then prompt the user for a password.
  if (lib.collection_get_locked(collection)) {
    refuse("the Secret Service's default collection is locked", NULL, message, size);
    lib.object_unref(collection);
    return NULL;
  }
  return collection;
}

// The table refers to the caller's strings and doesn't copy them.
static void *attribute_table(const char *const *attributes) {
  void *table = lib.hash_new(lib.string_hash, lib.string_equal);
  for (; attributes[0]; attributes += 2) lib.hash_insert(table, (void *)attributes[0], (void *)attributes[1]);
  return table;
}

int uls_secrets_is_open(uls_secrets *secrets, char *message, size_t size) {
  void *service = connect_service(secrets, message, size);
  if (!service) return 0;
  void *collection = open_collection(secrets, service, message, size);
  if (collection) lib.object_unref(collection);
  lib.object_unref(service);
  return collection != NULL;
}

static void visit_item(void *item, uls_secrets_visitor visit, void *context) {
  void *value = lib.item_get_secret(item);
  // The item has become locked or has been deleted since the search.
  if (!value) return;
  void *table = lib.item_get_attributes(item);
  const char **attributes = calloc(2 * (size_t)lib.hash_size(table) + 1, sizeof *attributes);
  if (attributes) {
    g_hash_iterator iterator;
    void *name = NULL, *text = NULL;
    size_t count = 0;
    lib.hash_begin(&iterator, table);
    while (lib.hash_next(&iterator, &name, &text)) {
      attributes[count++] = name;
      attributes[count++] = text;
    }
    size_t length = 0;
    const char *secret = lib.value_get(value, &length);
    visit(context, attributes, (const uint8_t *)secret, length);
    free(attributes);
  }
  lib.hash_unref(table);
  lib.value_unref(value);
}

static list *search(
    uls_secrets *secrets, void *service, const char *const *attributes, int flags, g_error **error) {
  void *table = attribute_table(attributes);
  // Without SECRET_SEARCH_UNLOCK: locked items are found but not unlocked, so that the user isn't prompted.
  list *items = lib.search(service, NULL, table, search_all | flags, secrets->cancellable, error);
  lib.hash_unref(table);
  return items;
}

int uls_secrets_search(
    uls_secrets *secrets, const char *const *attributes, uls_secrets_visitor visit, void *context, char *message, size_t size) {
  void *service = connect_service(secrets, message, size);
  if (!service) return 0;
  g_error *error = NULL;
  list *items = search(secrets, service, attributes, search_load_secrets, &error);
  if (!error) {
    for (list *item = items; item; item = item->next) {
      if (!lib.item_get_locked(item->data)) visit_item(item->data, visit, context);
    }
  }
  lib.list_free(items, lib.object_unref);
  lib.object_unref(service);
  return error ? refuse("the search failed", error, message, size) : 1;
}

int uls_secrets_store(
    uls_secrets *secrets, const char *const *attributes, const char *label, const uint8_t *secret, size_t secret_length, char *message,
    size_t size) {
  void *service = connect_service(secrets, message, size);
  if (!service) return 0;
  void *collection = open_collection(secrets, service, message, size);
  if (!collection) {
    lib.object_unref(service);
    return 0;
  }
  g_error *error = NULL;
  void *table = attribute_table(attributes);
  void *value = lib.value_new((const char *)secret, (ssize_t)secret_length, "text/plain");
  void *item = lib.item_create(
      collection, NULL, table, label, value, item_create_replace, secrets->cancellable, &error);
  lib.value_unref(value);
  lib.hash_unref(table);
  lib.object_unref(collection);
  lib.object_unref(service);
  if (!item) return refuse("the item wasn't stored", error, message, size);
  lib.object_unref(item);
  return 1;
}

int uls_secrets_delete(uls_secrets *secrets, const char *const *attributes, char *message, size_t size) {
  void *service = connect_service(secrets, message, size);
  if (!service) return 0;
  g_error *error = NULL;
  list *items = search(secrets, service, attributes, 0, &error);
  for (list *item = items; item && !error; item = item->next) {
    if (!lib.item_get_locked(item->data)) lib.item_delete(item->data, secrets->cancellable, &error);
  }
  lib.list_free(items, lib.object_unref);
  lib.object_unref(service);
  return error ? refuse("an item wasn't deleted", error, message, size) : 1;
}
