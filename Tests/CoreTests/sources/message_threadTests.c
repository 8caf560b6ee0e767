/* Message ports and many threads: nothing is lost, nothing is used after its end. */
#include "sources/ports.h"

#include <gyre/GYObject.h>

#define SENDERS 4
#define MESSAGES 2000

typedef struct crowd {
    GYStringRef name;
    int next[SENDERS];
    int received;
} crowd;

static GYDataRef checks_order(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)data;
    crowd *c = info;
    int who = id / MESSAGES;
    EXPECT_INT(id % MESSAGES, c->next[who]);
    c->next[who]++;
    c->received++;
    return NULL;
}

typedef struct member {
    crowd *c;
    int number;
} member;

static void sends_many(void *info) {
    member *m = info;
    GYMessagePortRef remote = port_remote(m->c->name);
    for (int i = 0; i < MESSAGES; i++) {
        int32_t id = m->number * MESSAGES + i;
        EXPECT_INT(GYMessagePortSendRequest(remote, id, NULL, 1e10, 0, NULL, NULL), 0);
    }
    GYRelease(remote);
}

/* R262, R264 */
LOOP_TEST(messages_of_many_threads_arrive_in_the_order_of_each) {
    crowd c = {.name = port_name("crowd")};
    GYMessagePortRef local = port_local(c.name, checks_order, &c);
    port_listen(local, kGYRunLoopDefaultMode);
    member members[SENDERS];
    pthread_t threads[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        members[i] = (member){&c, i};
        threads[i] = test_thread_start(sends_many, &members[i]);
    }
    while (c.received < SENDERS * MESSAGES) {
        if (!EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), 4)) break;
    }
    for (int i = 0; i < SENDERS; i++) test_thread_join(threads[i]);
    port_end(local);
    GYRelease(c.name);
}

static void asks_many(void *info) {
    member *m = info;
    GYMessagePortRef remote = port_remote(m->c->name);
    for (int i = 0; i < 200; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%d:x", m->number * MESSAGES + i);
        EXPECT_STR(port_ask(remote, m->number * MESSAGES + i, "x", 1e10), expected);
    }
    GYRelease(remote);
}

/* R265 */
TEST(every_thread_gets_the_replies_to_its_own_requests) {
    crowd c = {.name = port_name("askers")};
    port_server server;
    port_server_start(&server, c.name, port_echoes, NULL);
    member members[SENDERS];
    pthread_t threads[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        members[i] = (member){&c, i};
        threads[i] = test_thread_start(asks_many, &members[i]);
    }
    for (int i = 0; i < SENDERS; i++) test_thread_join(threads[i]);
    port_server_end(&server);
    GYRelease(c.name);
}

/* The results that a request may have while its port comes and goes. */
static bool is_expected(const char *reply) {
    return strcmp(reply, "1:x") == 0 || strcmp(reply, "-3") == 0 || strcmp(reply, "-5") == 0;
}

static atomic_bool is_over;

static void asks_what_comes_and_goes(void *info) {
    while (!is_over) {
        GYMessagePortRef remote = GYMessagePortCreateRemote(NULL, info);
        if (remote == NULL) continue;
        EXPECT(is_expected(port_ask(remote, 1, "x", 1e10)));
        GYRelease(remote);
    }
}

/* R266, F97 */
TEST(ports_come_and_go_while_threads_ask_them) {
    GYStringRef name = port_name("comes and goes");
    pthread_t threads[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        threads[i] = test_thread_start(asks_what_comes_and_goes, (void *)(uintptr_t)name);
    }
    for (int i = 0; i < 100; i++) {
        port_server server;
        port_server_start(&server, name, port_echoes, NULL);
        test_pause();
        port_server_end(&server);
    }
    is_over = true;
    for (int i = 0; i < SENDERS; i++) test_thread_join(threads[i]);
    GYRelease(name);
}

static void makes_and_drops(void *info) {
    for (int i = 0; i < 500; i++) {
        GYMessagePortRef local = GYMessagePortCreateLocal(NULL, info, port_echoes, NULL, NULL);
        GYMessagePortRef remote = GYMessagePortCreateRemote(NULL, info);
        if (remote != NULL) GYRelease(remote);
        if (local != NULL && i % 3 == 0) GYMessagePortInvalidate(local);
        if (local != NULL) GYRelease(local);
    }
}

/* R261 */
TEST(threads_make_and_drop_ports_of_one_name) {
    GYStringRef name = port_name("shared");
    pthread_t threads[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        threads[i] = test_thread_start(makes_and_drops, (void *)(uintptr_t)name);
    }
    for (int i = 0; i < SENDERS; i++) test_thread_join(threads[i]);
    GYMessagePortRef local = port_local(name, port_echoes, NULL);
    EXPECT(GYMessagePortIsValid(local));
    GYRelease(local);
    GYRelease(name);
}

TEST_MAIN()
