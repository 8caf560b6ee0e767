/* embed_glib.c - a mode of this thread's run loop inside GLib's, as a source of a GMainContext.
 *
 * Everything is called in the source's dispatch function, the preparing too: a callout may then
 * iterate the context, which GLib forbids in a source's prepare and check functions. */
#include "embed_guest.h"

#include <glib-unix.h>
#include <glib.h>

typedef struct {
    GSource source;
    GYRunLoopEmbeddingRef embedding;
    GMainLoop *loop; /* to quit when the run has ended */
} embedding_source;

static gboolean dispatch(GSource *source, GSourceFunc unused, gpointer nothing) {
    (void)unused;
    (void)nothing;
    embedding_source *s = (embedding_source *)source;
    GYRunLoopRunResult result = GYRunLoopEmbeddingDispatch(s->embedding);
    if (result == kGYRunLoopEmbeddingGoesOn) result = GYRunLoopEmbeddingPrepare(s->embedding);
    if (result == kGYRunLoopEmbeddingGoesOn) return G_SOURCE_CONTINUE;
    printf("host: the guest has %s\n", result == kGYRunLoopRunStopped ? "stopped" : "finished");
    g_main_loop_quit(s->loop);
    return G_SOURCE_REMOVE;
}

/* By now the context no longer polls the descriptor. */
static void finalize(GSource *source) {
    embedding_source *s = (embedding_source *)source;
    GYRunLoopEmbeddingInvalidate(s->embedding);
    GYRelease(s->embedding);
}

static GSourceFuncs functions = {.dispatch = dispatch, .finalize = finalize};

/* Not prepared yet, the descriptor is readable: the first dispatch prepares. */
static void embed(GYRunLoopRef rl, GMainLoop *loop) {
    GSource *source = g_source_new(&functions, sizeof(embedding_source));
    embedding_source *s = (embedding_source *)source;
    s->loop = loop;
    s->embedding = GYRunLoopEmbeddingCreate(rl, kGYRunLoopDefaultMode);
    if (s->embedding == NULL) abort();
    g_source_add_unix_fd(source, GYRunLoopEmbeddingGetDescriptor(s->embedding), G_IO_IN);
    g_source_attach(source, g_main_loop_get_context(loop));
    g_source_unref(source); /* the context has it */
}

static gboolean timer_fires(gpointer info) {
    printf("host: its timer fires\n");
    guest_ask_for_the_end(info);
    return G_SOURCE_REMOVE;
}

static gboolean pipe_is_readable(int descriptor, GIOCondition condition, gpointer info) {
    (void)condition;
    guest_say("host", descriptor);
    g_timeout_add(5, timer_fires, info);
    return G_SOURCE_REMOVE;
}

int main(void) {
    guest g;
    guest_begin(&g);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_unix_fd_add(g.host_pipe[0], G_IO_IN, pipe_is_readable, &g);
    embed(g.loop, loop);
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
    guest_end(&g);
    return 0;
}
