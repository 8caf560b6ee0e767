/* Random pushing, deferring, popping and running, also inside deferred calls, in step with a model
 * that keeps a list for each pool. */
#include "support/drain.h"

#include <gyre/GYString.h>

enum { POOLS = 12, ENTRIES = 4000, SEEDS = 200, STEPS = 400, NESTING = 6 };

typedef struct model_pool {
    GYDrainPoolToken token; /* 0: a run's */
    int serial;
    int entries[ENTRIES];
    int count;
} model_pool;

static model_pool pools[POOLS];
static int depth, last_serial, last_entry;
static int draining; /* serial of the pool whose entries are called now, or will be by a run */
static int nesting, budget, calls;
static unsigned state;

/* xorshift */
static unsigned draw(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 3) % limit;
}

static void push_in_model(GYDrainPoolToken token) {
    pools[depth].token = token;
    pools[depth].serial = ++last_serial;
    pools[depth].count = 0;
    depth++;
}

static int index_of(int serial) {
    for (int i = 0; i < depth; i++) {
        if (pools[i].serial == serial) return i;
    }
    return -1;
}

/* The newest entry of a pool and those above, which become one; 0: none. */
static int take_in_model(int serial) {
    int i = index_of(serial);
    if (i < 0) return 0;
    model_pool *target = &pools[i];
    for (int k = i + 1; k < depth; k++) {
        for (int e = 0; e < pools[k].count; e++)
            target->entries[target->count++] = pools[k].entries[e];
    }
    depth = i + 1;
    return target->count == 0 ? 0 : target->entries[--target->count];
}

static void step(void);

static void called(void *entry) {
    int expected = take_in_model(draining);
    EXPECT_INT((intptr_t)entry, expected);
    calls++;
    for (unsigned i = draw(4); i > 0; i--) step();
}

static void defer_one(void) {
    if (depth == 0 || pools[depth - 1].count >= ENTRIES / POOLS) return;
    pools[depth - 1].entries[pools[depth - 1].count++] = ++last_entry;
    EXPECT(GYDefer(called, (void *)(intptr_t)last_entry));
}

static void end_in_model(int serial) {
    EXPECT_INT(take_in_model(serial), 0);
    if (index_of(serial) >= 0) depth = index_of(serial);
}

/* One of those inside the innermost run. */
static void pop_one(void) {
    int lowest = depth;
    while (lowest > 0 && pools[lowest - 1].token != 0) lowest--;
    if (lowest == depth) return;
    model_pool *chosen = &pools[lowest + (int)draw((unsigned)(depth - lowest))];
    int around = draining, serial = chosen->serial;
    draining = serial;
    GYDrainPoolPop(chosen->token);
    draining = around;
    end_in_model(serial);
}

static void steps(void *unused) {
    (void)unused;
    for (unsigned i = draw(10); i > 0; i--) step();
}

static void run_one(void) {
    int around = draining;
    if (depth == POOLS || nesting == NESTING) return;
    GYRunLoopSourceRef source = drain_source(GYSTR("fuzz"), steps, NULL);
    push_in_model(0);
    int serial = draining = last_serial;
    loop_poll(GYSTR("fuzz"));
    draining = around;
    end_in_model(serial);
    loop_drop(source);
}

static void step(void) {
    if (budget-- <= 0 || nesting == NESTING) return;
    nesting++;
    switch (draw(8)) {
    case 0:
    case 1:
        if (depth < POOLS) push_in_model(GYDrainPoolPush());
        break;
    case 2: pop_one(); break;
    case 3: run_one(); break;
    default: defer_one();
    }
    nesting--;
}

LOOP_TEST(pools_do_what_a_model_of_them_does) {
    test_capture_log();
    for (unsigned seed = 1; seed <= SEEDS && test_failures() == 0; seed++) {
        state = seed * 2654435761u;
        budget = STEPS;
        while (budget > 0) step();
        while (depth > 0) pop_one();
        if (test_failures() > 0) test_fail(__FILE__, __LINE__, "with seed %u", seed);
    }
    EXPECT(calls > 1000);
    EXPECT_STR(test_log(), "");
}

TEST_MAIN()
