#ifndef LOADING_CAIRO_H
#define LOADING_CAIRO_H

// The functions of cairo that drawing uses. They are looked up in libcairo.so.2 at run time: cairo isn't linked, and its headers aren't needed. Each
// has the name and effect of cairo's function (see cairo's manual); the types are opaque. If `loading_cairo_unavailable_reason` doesn't return NULL,
// none of them may be called except it and `loading_cairo_try`.

#include <stddef.h>
#include <stdint.h>

typedef struct loading_cairo_context loading_cairo_context;
typedef struct loading_cairo_surface loading_cairo_surface;
typedef struct loading_cairo_pattern loading_cairo_pattern;

typedef struct { double a, b, c, d, tx, ty; } loading_cairo_matrix;
typedef struct { double ascent, descent, height, max_x_advance, max_y_advance; } loading_cairo_font_extents_t;
typedef struct { double x_bearing, y_bearing, width, height, x_advance, y_advance; } loading_cairo_text_extents_t;

/// Called by cairo to read or write `length` bytes of a PNG. Returns 0 on success, one of the two error statuses below on failure.
typedef int (*loading_cairo_read)(void *closure, unsigned char *data, unsigned length);
typedef int (*loading_cairo_write)(void *closure, const unsigned char *data, unsigned length);

enum {
  loading_cairo_status_read_error = 10,
  loading_cairo_status_write_error = 11,
  /// A pixel format of 32 bits in the machine's byte order: alpha in the highest byte, then red, green and blue, premultiplied by the alpha.
  loading_cairo_format_argb32 = 0,
};

/// Returns why cairo can't be used, or NULL if it can. Loads cairo at the first call. May be called from any thread.
const char *loading_cairo_unavailable_reason(void);
/// Returns why the library of this name couldn't be used as cairo, or NULL if it could; for tests. It doesn't replace the loaded cairo. The text is
/// valid until the thread's next call.
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

// Text functions, of cairo's "toy" text API.
void loading_cairo_select_font_face(loading_cairo_context *context, const char *family, int slant, int weight);
void loading_cairo_set_font_size(loading_cairo_context *context, double size);
void loading_cairo_font_extents(loading_cairo_context *context, loading_cairo_font_extents_t *extents);
void loading_cairo_text_extents(loading_cairo_context *context, const char *text, loading_cairo_text_extents_t *extents);
void loading_cairo_show_text(loading_cairo_context *context, const char *text);
/// Turns hinting of glyphs and font metrics off, so that text has the same layout at every size and position.
void loading_cairo_use_unhinted_text(loading_cairo_context *context);

#endif
