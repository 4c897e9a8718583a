#ifndef LOADING_CAIRO_H
#define LOADING_CAIRO_H

// The part of cairo that drawing uses, looked up in libcairo.so.2 at run time: nothing of it is linked, and its headers aren't needed.
// Functions other than `loading_cairo_unavailable_reason` and `loading_cairo_try` may be called only where the former returns NULL. Each is
// cairo's of the same name, whose manual says what it does; the types are cairo's and opaque.

#include <stddef.h>
#include <stdint.h>

typedef struct loading_cairo_context loading_cairo_context;
typedef struct loading_cairo_surface loading_cairo_surface;
typedef struct loading_cairo_pattern loading_cairo_pattern;

typedef struct { double a, b, c, d, tx, ty; } loading_cairo_matrix;
typedef struct { double ascent, descent, height, max_x_advance, max_y_advance; } loading_cairo_font_extents_t;
typedef struct { double x_bearing, y_bearing, width, height, x_advance, y_advance; } loading_cairo_text_extents_t;

/// Reads or writes `length` bytes of a PNG; 0 if it succeeded, one of the two statuses below if not.
typedef int (*loading_cairo_read)(void *closure, unsigned char *data, unsigned length);
typedef int (*loading_cairo_write)(void *closure, const unsigned char *data, unsigned length);

enum {
  loading_cairo_status_read_error = 10,
  loading_cairo_status_write_error = 11,
  /// 32 bits a pixel in the machine's byte order, the alpha in the highest and multiplied into the others.
  loading_cairo_format_argb32 = 0,
};

/// Why cairo can't be used, or NULL if it can. Loads it at the first call; from any thread.
const char *loading_cairo_unavailable_reason(void);
/// Why a library of this name couldn't be used in place of cairo's, or NULL if it could. Changes nothing; the message is the thread's, up
/// to its next call.
const char *loading_cairo_try(const char *library);

// Surfaces.
loading_cairo_surface *loading_cairo_image_surface_create(int format, int width, int height);
loading_cairo_surface *loading_cairo_image_surface_create_for_data(unsigned char *data, int format, int width, int height, int stride);
loading_cairo_surface *loading_cairo_image_surface_create_from_png_stream(loading_cairo_read read, void *closure);
unsigned char *loading_cairo_image_surface_get_data(loading_cairo_surface *surface);
int loading_cairo_image_surface_get_stride(loading_cairo_surface *surface);
int loading_cairo_image_surface_get_width(loading_cairo_surface *surface);
int loading_cairo_image_surface_get_height(loading_cairo_surface *surface);
int loading_cairo_surface_write_to_png_stream(loading_cairo_surface *surface, loading_cairo_write write, void *closure);
int loading_cairo_surface_status(loading_cairo_surface *surface);
void loading_cairo_surface_flush(loading_cairo_surface *surface);
void loading_cairo_surface_destroy(loading_cairo_surface *surface);
const char *loading_cairo_status_to_string(int status);

// Contexts and their state.
loading_cairo_context *loading_cairo_create(loading_cairo_surface *surface);
void loading_cairo_destroy(loading_cairo_context *context);
int loading_cairo_status(loading_cairo_context *context);
void loading_cairo_save(loading_cairo_context *context);
void loading_cairo_restore(loading_cairo_context *context);
void loading_cairo_push_group(loading_cairo_context *context);
void loading_cairo_pop_group_to_source(loading_cairo_context *context);
void loading_cairo_set_matrix(loading_cairo_context *context, const loading_cairo_matrix *matrix);
void loading_cairo_set_operator(loading_cairo_context *context, int operation);
void loading_cairo_set_antialias(loading_cairo_context *context, int antialias);
void loading_cairo_set_fill_rule(loading_cairo_context *context, int rule);
void loading_cairo_set_line_width(loading_cairo_context *context, double width);
void loading_cairo_set_line_cap(loading_cairo_context *context, int cap);
void loading_cairo_set_line_join(loading_cairo_context *context, int join);
void loading_cairo_set_miter_limit(loading_cairo_context *context, double limit);
void loading_cairo_set_dash(loading_cairo_context *context, const double *dashes, int count, double offset);

// Paths.
void loading_cairo_new_path(loading_cairo_context *context);
void loading_cairo_move_to(loading_cairo_context *context, double x, double y);
void loading_cairo_line_to(loading_cairo_context *context, double x, double y);
void loading_cairo_curve_to(loading_cairo_context *context, double x1, double y1, double x2, double y2, double x3, double y3);
void loading_cairo_close_path(loading_cairo_context *context);

// Painting.
void loading_cairo_fill(loading_cairo_context *context);
void loading_cairo_stroke(loading_cairo_context *context);
void loading_cairo_clip(loading_cairo_context *context);
void loading_cairo_paint(loading_cairo_context *context);
void loading_cairo_paint_with_alpha(loading_cairo_context *context, double alpha);
void loading_cairo_set_source_rgba(loading_cairo_context *context, double red, double green, double blue, double alpha);
void loading_cairo_set_source(loading_cairo_context *context, loading_cairo_pattern *pattern);

// Patterns.
loading_cairo_pattern *loading_cairo_pattern_create_for_surface(loading_cairo_surface *surface);
loading_cairo_pattern *loading_cairo_pattern_create_linear(double x0, double y0, double x1, double y1);
loading_cairo_pattern *loading_cairo_pattern_create_radial(double x0, double y0, double r0, double x1, double y1, double r1);
void loading_cairo_pattern_add_color_stop_rgba(
    loading_cairo_pattern *pattern, double offset, double red, double green, double blue, double alpha);
void loading_cairo_pattern_set_extend(loading_cairo_pattern *pattern, int extend);
void loading_cairo_pattern_destroy(loading_cairo_pattern *pattern);

// Text, by cairo's "toy" functions.
void loading_cairo_select_font_face(loading_cairo_context *context, const char *family, int slant, int weight);
void loading_cairo_set_font_size(loading_cairo_context *context, double size);
void loading_cairo_font_extents(loading_cairo_context *context, loading_cairo_font_extents_t *extents);
void loading_cairo_text_extents(loading_cairo_context *context, const char *text, loading_cairo_text_extents_t *extents);
void loading_cairo_show_text(loading_cairo_context *context, const char *text);
/// Makes the context lay out text alike at every size and position: glyphs and their metrics aren't fitted to the pixels.
void loading_cairo_use_unhinted_text(loading_cairo_context *context);

#endif
