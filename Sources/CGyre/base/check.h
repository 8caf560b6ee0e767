/* Reports of misuse, and the assertion.
 *
 * Owns: the log handler and the strict switch. Threads: any. */
#ifndef GYRE_BASE_CHECK_H
#define GYRE_BASE_CHECK_H

#include <gyre/GYBase.h>

void gy_log_handler_set(GYLogHandler handler, void *info);
/* The thread that held the handler's lock may be gone. */
void gy_check_reset_in_child(void);

/* The caller broke the contract: one line that names the call, what was wrong and the rule.
 * Keeps errno. Calls foreign code (the log handler): no lock may be held. */
void gy_report(const char *call, const char *what, const char *rule);

/* The same where another process is at fault: never fatal. */
void gy_report_peer(const char *call, const char *what, const char *rule);

/* The same for calls that may run in a signal handler: write(2) to standard error, nothing else. */
void gy_report_from_signal(const char *call, const char *what, const char *rule);

/* Reports once per process; `done` is the caller's static flag. */
void gy_report_once(_Atomic bool *done, const char *call, const char *what, const char *rule);

/* The library is wrong inside. Compiled out of normal builds. */
#ifdef GYRE_DEBUG
_Noreturn void gy_assertion_failed(const char *text, const char *file, int line);
#define gy_assert(x) ((x) ? (void)0 : gy_assertion_failed(#x, __FILE__, __LINE__))
#else
#define gy_assert(x) ((void)sizeof(!(x)))
#endif

#endif
